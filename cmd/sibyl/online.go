package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/source"
)

func newOnline() *cobra.Command {
	f := &onlineFlags{}
	cmd := &cobra.Command{
		Use:   "online [CLASS] --data F --schema S --rounds 10 --batch 1000 --epsilon 1 --out DIR",
		Short: "Release a hypothesis before every batch of a stream, with differential privacy",
		Long: `Online divides the rows, in their order, into batches. Before each batch, and
after the last one, it samples a hypothesis from all earlier rows, as learn does ("follow
the private leader"). The first hypothesis depends on no row.

The ε is that of all hypotheses together. A row influences all hypotheses after its batch,
so each hypothesis uses ε divided by the number of batches. Neighbouring streams differ in
one row; the number of rows is public. The stream must not depend on released hypotheses.

The files are DIR/model-0001.json and so on. Online prints an upper bound on the
expected regret: the errors of the hypotheses, each on the batch after it, minus the
errors of the best single hypothesis on all rows. The bound does not depend on the data.`,
		Args: f.class.argument,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.class.register(cmd, searched())
	f.class.registerBalanced(cmd)
	f.spend.register(cmd, "the privacy loss `ε` of all hypotheses together")
	flags := cmd.Flags()
	flags.IntVar(&f.rounds, "rounds", 0, "the number of rounds; the rows are divided into this number of `batches`, one for each round")
	flags.Int64Var(&f.batch, "batch", 0, "the number of `rows` of a batch; the last batch may have fewer")
	cli.PathVar(flags, &f.out, "out", "the `directory` to which the models are written; it is created if necessary")
	flags.BoolVar(&f.force, "force", false, "replace output files that exist")
	for _, name := range []string{"epsilon", "rounds", "batch", "out"} {
		must(cmd.MarkFlagRequired(name))
	}
	setClassHelp(cmd, &f.class, "data", "schema", "rounds", "batch", "epsilon", "out")
	return cmd
}

type onlineFlags struct {
	data   dataFlags
	class  classFlags
	spend  spendFlags
	rounds int
	batch  int64
	out    string
	force  bool
}

func (f *onlineFlags) run(cmd *cobra.Command) error {
	r := &f.class.request
	if err := f.spend.read(cmd, r); err != nil {
		return err
	}
	asked, union, err := f.class.asked(searched())
	if err != nil {
		return err
	}
	if err := f.class.read(asked, union); err != nil {
		return err
	}
	p, err := release.Stream{Request: *r, Rounds: f.rounds, Batch: f.batch}.Prepare()
	if err != nil {
		return err
	}
	caution(cmd, r.Epsilon)
	cautionOfEffort(cmd, &p.Effort)
	files, err := claimInputs(cmd, &f.data, f.class.schema)
	if err != nil {
		return err
	}
	drafts, end, err := f.begin(cmd.Context(), files, p.Models())
	if err != nil {
		return err
	}
	defer end()
	terms, closed, err := f.spend.terms(cmd, files)
	if err != nil {
		return err
	}
	defer closed()
	terms.Publish = drafts.Publish
	b := newBar(cmd)
	models, err := p.Release(cmd.Context(), f.data.from(cmd, b), terms)
	b.erase()
	if err != nil {
		return err
	}
	return f.announce(cmd, p, models[0], drafts)
}

// begin creates a draft of every file. The function end removes the drafts that were not published, and the
// directory if begin created it and it is empty.
func (f *onlineFlags) begin(ctx context.Context, files *publish.Claims, models int) (drafts publish.Drafts, end func(), err error) {
	made := publish.In(ctx)
	create := func() (string, error) { return f.out, os.MkdirAll(f.out, 0o777) }
	if _, absent := os.Lstat(f.out); errors.Is(absent, fs.ErrNotExist) {
		err = made.Begin(os.Remove, create)
	} else {
		_, err = create()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the directory cannot be created: %w", source.FileName(f.out), publish.Inner(err))
	}
	var paths []string
	for i := range models {
		paths = append(paths, filepath.Join(f.out, fmt.Sprintf("model-%04d.json", i+1)))
	}
	if drafts, err = publish.NewDrafts(ctx, files, f.force, publish.ForAll, paths...); err != nil {
		made.Remove(f.out)
		return nil, nil, err
	}
	return drafts, func() {
		drafts.Discard()
		made.Remove(f.out)
	}, nil
}

// followed is the output of the command sibyl online with --json.
type followed struct {
	Models []string `json:"models"`
	Regret *float64 `json:"regret"` // bound on the expected regret; nil if there is no useful bound
	guaranteed
}

func (f *onlineFlags) announce(cmd *cobra.Command, of *release.PreparedStream, first *model.Model, drafts []*publish.Draft) error {
	p := followed{Regret: of.Regret, guaranteed: guaranteeOf(of.Guarantee, of.Void, first.Schema)}
	for _, d := range drafts {
		p.Models = append(p.Models, d.Path())
	}
	err := cli.Print(cmd, p, func(w io.Writer) error {
		things := first.Form.Noun().Plural()
		fmt.Fprintf(w, "%s: %d %s for %s, one before each of %d batches and one after the last.\n\n%s",
			quote.Name(f.out), len(p.Models), things, quote.Clean(first.Schema.Label.Column), f.rounds, report.Guarantee("sequence of "+things, p.Guarantee, p.NotPrivate.Text(), first.Schema))
		if p.Regret != nil {
			fmt.Fprintf(w, "The expected regret is at most %.0f.\n", *p.Regret)
		}
		_, err := fmt.Fprintf(w, "\nTo read one: sibyl show %s\n", quote.Name(p.Models[len(p.Models)-1]))
		return err
	})
	noteSpent(cmd, p.Guarantee, p.NotPrivate, f.spend.account)
	return err
}
