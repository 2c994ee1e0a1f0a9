package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/publish"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

func newOnline() *cobra.Command {
	f := &onlineFlags{}
	cmd := &cobra.Command{
		Use:   "online --data F --schema S --rounds 10 --batch 1000 --epsilon 1 --out DIR",
		Short: "Release a hypothesis before every batch of a stream, with differential privacy",
		Long: `Online follows the private leader: it takes the rows in their order as a stream of
batches, and draws a hypothesis before each batch from all rows before it, as
learn does, and one after the last. The first depends on no row.

The ε is that of all hypotheses together: a person's row bears on all that come
after its batch, so each of them has a share of ε, one over the number of rounds.
Neighbouring streams differ in one row at one place; how many rows there are is
public. The stream must not depend on what was released.

The files are DIR/model-0001.json and so on. What is told of the regret is a
bound on the errors of the hypotheses, each on the batch that it came before,
beyond those of the best single hypothesis: on average, from public numbers.

` + classHelp,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.class.register(cmd)
	f.class.registerBalanced(cmd)
	f.privacy.registerEpsilon(cmd, "the privacy loss `ε` of all hypotheses together")
	f.privacy.registerSeed(cmd)
	flags := cmd.Flags()
	flags.IntVar(&f.rounds, "rounds", 0, "how many `batches` the stream has")
	flags.Int64Var(&f.batch, "batch", 0, "the `rows` of a batch; the last may have fewer")
	pathVar(flags, &f.out, "out", "the `directory` for the models, which is made if need be")
	flags.BoolVar(&f.force, "force", false, "replace existing files")
	pathVar(flags, &f.log, "private-log", "a `file` for diagnostics, such as the errors in each round, which are private")
	for _, name := range []string{"epsilon", "rounds", "batch", "out"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

type onlineFlags struct {
	data     dataFlags
	class    classFlags
	privacy  privacyFlags
	rounds   int
	batch    int64
	out, log string
	force    bool
}

// A stream is all of online that is settled before the data is opened.
type stream struct {
	model  model.Model // without its hypothesis and round
	base   *learn.Exponential[table.Record, any]
	leader *learn.Leader[table.Record, any]
	series model.Series
	class  model.Class
	coins  noise.Coins
	log    *privateLog
	files  []*publish.Draft

	directory string
	begun     *publish.Unfinished // notes the directory if it was not there
}

func (f *onlineFlags) run(cmd *cobra.Command) error {
	s, err := f.prepare(cmd)
	if err != nil {
		return err
	}
	f.privacy.caution(cmd)
	files, err := claimInputs(cmd, &f.data, f.class.schema)
	if err != nil {
		return err
	}
	if err := f.begin(cmd.Context(), files, s); err != nil {
		return err
	}
	defer s.discard()
	if s.log, err = openPrivateLog(f.log, files); err != nil {
		return err
	}
	defer s.log.close()
	batches, err := f.read(cmd, s)
	if err != nil {
		return err
	}
	if err := s.release(cmd.Context(), batches); err != nil {
		return err
	}
	return f.announce(cmd, s)
}

// prepare checks all that is public.
func (f *onlineFlags) prepare(cmd *cobra.Command) (*stream, error) {
	epsilon, relation, err := f.privacy.read()
	if err != nil {
		return nil, err
	}
	switch {
	case f.rounds < 1 || f.rounds > model.MostRounds:
		return nil, fmt.Errorf("--rounds %d is outside 1..%d", f.rounds, model.MostRounds)
	case f.batch < 1 || f.batch > learn.MostRows/int64(f.rounds):
		return nil, fmt.Errorf("--batch %d: with %d rounds it must be within 1..%d", f.batch, f.rounds, learn.MostRows/int64(f.rounds))
	}
	share := epsilon.Rat()
	one, err := privacy.RoundDown(share.Quo(share, new(big.Rat).SetInt64(int64(f.rounds))), 9)
	if err != nil {
		return nil, err
	}
	s := &stream{series: model.Series{Rounds: f.rounds, Batch: f.batch, Epsilon: one}}
	schema, family, err := f.class.read(cmd, exponentialRate(one, relation, f.class.loss))
	if err != nil {
		return nil, err
	}
	if s.class, err = family.Over(schema); err != nil {
		return nil, err
	}
	if err := model.CheckRows(s.class, schema, f.batch*int64(f.rounds)); err != nil {
		return nil, err
	}
	if s.base, err = learn.NewExponential(s.class, one, relation, f.class.loss); err != nil {
		return nil, err
	}
	if s.leader, err = learn.NewLeader(s.base, f.batch); err != nil {
		return nil, err
	}
	s.model = model.Model{Schema: schema, Form: family}
	coins, insecure := f.privacy.coins(cmd)
	s.coins = coins
	if insecure {
		s.model.Void = model.InsecureSeed
		return s, nil
	}
	promise, err := s.leader.Guarantee(f.rounds)
	if err != nil {
		return nil, err
	}
	s.model.Guarantee, err = model.State(promise)
	return s, err
}

// begin makes a draft of every file.
func (f *onlineFlags) begin(ctx context.Context, files *publish.Claims, s *stream) error {
	s.directory, s.begun = f.out, publish.In(ctx)
	create := func() (string, error) { return f.out, os.MkdirAll(f.out, 0o777) }
	var err error
	if _, absent := os.Lstat(f.out); errors.Is(absent, fs.ErrNotExist) {
		err = s.begun.Begin(os.Remove, create)
	} else {
		_, err = create()
	}
	if err != nil {
		return fmt.Errorf("%s: the directory cannot be made: %w", source.FileName(f.out), publish.Inner(err))
	}
	for round := range f.rounds + 1 {
		d, err := publish.NewDraft(ctx, files, filepath.Join(f.out, fmt.Sprintf("model-%04d.json", round+1)), f.force, publish.ForAll)
		if err != nil {
			s.discard()
			return err
		}
		s.files = append(s.files, d)
	}
	return nil
}

// discard removes what was not published, and a new directory without a file.
func (s *stream) discard() {
	for _, d := range s.files {
		d.Discard()
	}
	s.begun.Remove(s.directory)
}

// read returns the examples of every batch. Null records are rows of a batch.
func (f *onlineFlags) read(cmd *cobra.Command, s *stream) ([][]learn.Example[table.Record], error) {
	batches := make([][]learn.Example[table.Record], f.rounds)
	most := int64(f.rounds) * f.batch
	rows := int64(0)
	b := newBar(cmd)
	err := source.Records(cmd.Context(), f.data.location, s.model.Schema, f.data.options(cmd, b), func(r source.Row) error {
		if at := rows / f.batch; !r.Null && rows < most {
			batches[at] = append(batches[at], learn.Example[table.Record]{X: slices.Clone(r.Record), Label: r.Label, Count: 1})
		}
		rows++
		return nil
	})
	b.erase()
	if err == nil && (rows > most || rows <= most-f.batch) {
		err = fmt.Errorf("--rounds %d --batch %d are for %d to %d rows; the data has %d", f.rounds, f.batch, most-f.batch+1, most, rows)
	}
	return batches, err
}

// release draws all hypotheses, and then publishes their models.
func (s *stream) release(ctx context.Context, batches [][]learn.Example[table.Record]) error {
	s.base.Observe = s.log.effort
	for round, d := range s.files {
		text, err := s.draw(ctx, round, batches)
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if err != nil {
			s.log.tell("failed: %v", err)
			return errWithheld
		}
		if _, err := d.Write(text); err != nil {
			return withheld{fmt.Sprintf("nothing was released: %v", err)}
		}
	}
	err := publish.All(ctx, s.files...)
	if err != nil && !errors.As(err, new(publish.Partly)) {
		return withheld{fmt.Sprintf("nothing was released: %v", err)}
	}
	return err
}

// draw returns the model before the batch of that number, and sees the batch.
func (s *stream) draw(ctx context.Context, round int, batches [][]learn.Example[table.Record]) ([]byte, error) {
	h, err := s.leader.Next(ctx, s.coins)
	if err != nil {
		return nil, err
	}
	if round < len(batches) {
		wrong := 0
		for _, e := range batches[round] {
			if s.class.Predict(h, e.X) != e.Label {
				wrong++
			}
		}
		s.log.tell("round %d: %d of %d records predicted wrongly", round+1, wrong, len(batches[round]))
		if err := s.leader.See(batches[round]); err != nil {
			return nil, err
		}
	}
	m, series := s.model, s.series
	series.Round = round + 1
	m.Hypothesis, m.Mechanism = h, model.OfSeries(s.base, series)
	var text bytes.Buffer
	err = m.Write(&text)
	return text.Bytes(), err
}

// followed is what online --json prints.
type followed struct {
	Models     []string         `json:"models"`
	Regret     *float64         `json:"regret"` // nil where the bound says nothing
	Guarantee  *model.Guarantee `json:"guarantee"`
	NotPrivate model.Void       `json:"not_private,omitempty"`
}

func (f *onlineFlags) announce(cmd *cobra.Command, s *stream) error {
	p := followed{Guarantee: s.model.Guarantee, NotPrivate: s.model.Void}
	for _, d := range s.files {
		p.Models = append(p.Models, d.Path())
	}
	worst := float64(f.rounds) * float64(f.batch) * float64(f.class.loss.Range())
	if regret := s.leader.Regret(int64(f.rounds), worst); regret < worst {
		p.Regret = &regret
	}
	err := printing(cmd, p, func(w io.Writer) error {
		things := report.Things(s.model.Form.Name())
		fmt.Fprintf(w, "%s: %d %s for %s, one before each of %d batches and one after the last.\n\n%s",
			quote.Name(f.out), len(p.Models), things, quote.Clean(s.model.Schema.Label.Column), f.rounds, report.Guarantee("sequence of "+things, p.Guarantee, p.NotPrivate))
		if p.Regret != nil {
			fmt.Fprintf(w, "The regret is at most %.0f on average.\n", *p.Regret)
		}
		_, err := fmt.Fprintf(w, "\nRead one with: sibyl show %s\n", quote.Name(p.Models[len(p.Models)-1]))
		return err
	})
	noteSpent(cmd, p.Guarantee, p.NotPrivate)
	return err
}
