package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newSynth() *cobra.Command {
	f := &synthFlags{}
	cmd := &cobra.Command{
		Use:   "synth --data F --schema S --epsilon 1 --delta 1e-9 --out synthetic.csv",
		Short: "Release synthetic data with differential privacy, or sample more rows of it",
		Long: `Synth writes synthetic rows that resemble the rows of a private table. It measures the
marginals of all columns and pairs of columns, the numbers of rows in bins within the
intervals of numeric columns, and the marginals that a fitted model predicts worst, with
exact discrete Gaussian noise. Then it samples rows from the fitted model. Other statistics of the rows resemble the table's as far as these marginals
determine them.

The schema states how numbers within an interval are written, and rules that every row
satisfies. It needs no label; a label is treated as any other column. --target and --pair
select columns and pairs that are measured with less noise. The file of --out is Parquet if
its name ends in .parquet, and otherwise text with the format and the columns of the
schema's [file].

With --data and --model, synth also writes the model. With --model and without --data, it
samples --rows rows from this model, which consumes no privacy budget. With --where, all of
them satisfy a condition such as "age ≥ 65 and sex = Female"; sibyl ask --help describes
conditions. Each run with --data consumes its ε and δ again.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.registerOptional(cmd)
	flags := cmd.Flags()
	f.spend.register(cmd, "the privacy loss `ε` of the release, a decimal such as 1")
	f.registerWanted(cmd)
	f.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	flags.Lookup("rows").Usage = rowsUsage + "; without --data, the number of rows to sample"
	cli.PathVar(flags, &f.out, "out", "the `file` to which the rows are written")
	cli.PathVar(flags, &f.model, "model", "the `file` to which the model is written; without --data, the model file to sample from")
	textVar(flags, &f.where, "where", "without --data: a `condition` that all sampled rows satisfy; the default of --rows is then the model's estimate of the number of rows that satisfy it")
	flags.Uint64Var(&f.seed, "seed", 0, "a public `number` from which the sampled rows follow, so that sampling can be repeated; the noise does not depend on it")
	flags.BoolVar(&f.force, "force", false, "replace output files that exist")
	must(cmd.MarkFlagRequired("out"))
	return cmd
}

// registerWanted defines the flags for public parameters that the commands synth and plan synth share.
func (f *synthFlags) registerWanted(cmd *cobra.Command) {
	flags := cmd.Flags()
	cli.PathVar(flags, &f.schema, "schema", "the schema, a TOML `file` that lists the columns and their possible values")
	f.spend.registerRequiredDelta(cmd)
	textVar(flags, &f.target, "target", "an `attribute` whose contingency tables with all others are measured with less noise")
	f.spend.registerTotal(cmd)
	flags.BoolVar(&f.pairwise, "pairwise", false, "measure only single columns and pairs of columns, as sibyl pairs does")
	flags.StringArrayVar(&f.pairs, "pair", nil, "two `attributes`, separated by a comma, whose contingency table is measured with less noise; can be given several times")
}

type synthFlags struct {
	data   dataFlags
	schema string
	spend  spendFlags
	out    string
	model  string
	target string
	pairs  []string

	pairwise bool
	where    string
	seed     uint64
	force    bool
}

func (f *synthFlags) run(cmd *cobra.Command) error {
	if strings.EqualFold(filepath.Ext(f.out), ".json") {
		return fmt.Errorf("--out %s must be a file of rows, such as synthetic.csv or synthetic.parquet; the model is written to the file of --model", quote.Name(f.out))
	}
	if !cmd.Flags().Changed("data") {
		return f.draw(cmd)
	}
	for _, name := range []string{"schema", "epsilon"} {
		if !cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is required with --data", name)
		}
	}
	if f.where != "" {
		return errors.New("--where cannot be used with --data; first release a model, then sample rows from it with --model and --where")
	}
	b := newBar(cmd)
	defer b.erase()
	r, err := f.request(cmd, b)
	if err != nil {
		return err
	}
	p, err := r.Prepare()
	if err != nil {
		return err
	}
	outputs := []string{f.out}
	if f.model != "" {
		outputs = append(outputs, f.model)
	}
	terms, end, err := f.spend.begin(cmd, intent{schema: r.Schema, epsilon: r.Epsilon, data: &f.data, inputs: []string{f.schema}, outputs: outputs, force: f.force})
	if err != nil {
		return err
	}
	defer end()
	s, err := p.Release(cmd.Context(), f.data.from(cmd, b), terms)
	b.erase()
	if errors.Is(err, privacy.ErrSpent) {
		err = fmt.Errorf("%w; sibyl account show prints the largest release of synthetic data", err)
	}
	if err != nil {
		return err
	}
	if err := f.announce(cmd, s.Model, s.Rows.Len()); err != nil {
		return err
	}
	noteSpent(cmd, s.Model.Guarantee, s.Model.Void, f.spend.account)
	return nil
}

// request returns the request for a release that the flags describe. The bar b shows the progress of sampling.
func (f *synthFlags) request(cmd *cobra.Command, b *bar) (r release.Synthetic, err error) {
	var spend release.Request
	if err := f.spend.read(cmd, &spend); err != nil {
		return r, err
	}
	r = release.Synthetic{
		Epsilon: spend.Epsilon, Delta: spend.Delta, Total: spend.Total, Relation: spend.Relation, Rows: spend.Rows, Seed: spend.Seed,
		Target: f.target, Pairwise: f.pairwise, Out: f.out, Model: f.model != "", Drawing: f.drawing(b),
	}
	if r.Pairs, err = parsePairs(f.pairs); err != nil {
		return r, err
	}
	r.Schema, err = release.ReadDomain(f.schema)
	return r, err
}

func parsePairs(texts []string) (pairs [][2]string, err error) {
	for _, text := range texts {
		one, other, found := strings.Cut(text, ",")
		if !found || strings.Contains(other, ",") {
			return nil, fmt.Errorf("--pair %s must be two attributes, separated by a comma", quote.Word(text))
		}
		pairs = append(pairs, [2]string{strings.TrimSpace(one), strings.TrimSpace(other)})
	}
	return pairs, nil
}

// drawing returns the options for sampling rows on all processors, with the progress shown on the bar b.
func (f *synthFlags) drawing(b *bar) synthetic.Drawing {
	return synthetic.Drawing{Seed: f.seed, Threads: runtime.GOMAXPROCS(0), Progress: b.work("making rows")}
}

// draw samples more synthetic rows from the released model that --model names.
func (f *synthFlags) draw(cmd *cobra.Command) error {
	if f.model == "" {
		return errors.New("--data and --model are missing; give --data to learn from a private table, or --model to sample rows from a model")
	}
	for _, name := range []string{"schema", "query", "epsilon", "delta", "total", "relation", "insecure-seed", "pad-to", "private-log", "account", "target", "pair"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%[1]s applies only to learning from private data; give --data, or leave --%[1]s out", name)
		}
	}
	m, err := readSynthetic(f.model)
	if err != nil {
		return err
	}
	where, n, err := f.wanted(cmd, m)
	if err != nil {
		return err
	}
	if n < 1 || n > synthetic.MostRows {
		return fmt.Errorf("--rows %d is outside 1..%d", n, int64(synthetic.MostRows))
	}
	if err := m.Layout.Writable(f.out, m.Void); err != nil {
		return err
	}
	files, err := claimInputs(cmd, nil, f.model)
	if err != nil {
		return err
	}
	drafts, err := publish.NewDrafts(cmd.Context(), files, f.force, publish.ForAll, f.out)
	if err != nil {
		return err
	}
	defer drafts.Discard()
	b := newBar(cmd)
	defer b.erase()
	rows, err := drawWhere(cmd.Context(), m, where, int(n), f.drawing(b))
	b.erase()
	if err != nil {
		return err
	}
	if err := f.noteLength(cmd, m, where, n); err != nil {
		return err
	}
	err = rows.Write(cmd.Context(), drafts[0], f.out, m.Void, b.work("writing rows"))
	b.erase()
	if err != nil {
		return fmt.Errorf("%s: the file could not be written: %w", quote.Name(f.out), publish.Inner(err))
	}
	if err := drafts[0].Publish(cmd.Context()); err != nil {
		return err
	}
	return f.announce(cmd, m, rows.Len())
}

// wanted returns the condition of --where, and the number n of rows to sample. The condition is nil if the flag is
// not given.
func (f *synthFlags) wanted(cmd *cobra.Command, m *synthetic.Model) (where *synthetic.Question, n int64, err error) {
	if f.where != "" {
		if where, err = synthetic.ParseQuestion(m.Layout.Flat, f.where); err != nil {
			return nil, 0, fmt.Errorf("--where: %w", err)
		}
	}
	if cmd.Flags().Changed("rows") {
		return where, f.spend.rows, nil
	}
	n, err = m.Expected(cmd.Context(), where, f.drawing(newBar(cmd)))
	return where, n, err
}

// drawWhere samples rows that satisfy the condition of --where.
func drawWhere(ctx context.Context, m *synthetic.Model, where *synthetic.Question, n int, d synthetic.Drawing) (synthetic.Rows, error) {
	rows, err := m.DrawWhere(ctx, where, n, d)
	if err != nil && where != nil && ctx.Err() == nil {
		err = fmt.Errorf("--where: %w", err)
	}
	return rows, err
}

// noteLength prints the estimated size of the output file and the time to write it, if the number n of rows is
// large. It extrapolates both from a few rows.
func (f *synthFlags) noteLength(cmd *cobra.Command, m *synthetic.Model, where *synthetic.Question, n int64) error {
	const many, few = 5_000_000, 20_000
	if n < many {
		return nil
	}
	rows, err := drawWhere(cmd.Context(), m, where, few, synthetic.Drawing{Seed: f.seed})
	if err != nil {
		return err
	}
	var length lengthOf
	start := time.Now()
	if err := rows.Write(cmd.Context(), &length, f.out, m.Void, nil); err != nil {
		return err
	}
	times := float64(n) / few
	cli.Note(cmd, "%s will have about %.3g GB. Writing it takes about %v.", quote.Name(f.out), times*float64(length)/1e9, time.Duration(times*float64(time.Since(start))).Round(time.Second))
	return nil
}

// lengthOf is a writer that counts the bytes that are written to it.
type lengthOf int64

func (l *lengthOf) Write(p []byte) (int, error) {
	*l += lengthOf(len(p))
	return len(p), nil
}

// readSynthetic reads a model file of synthetic data.
func readSynthetic(path string) (*synthetic.Model, error) {
	text, err := readText(path, "model")
	if err != nil {
		return nil, err
	}
	m, err := synthetic.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	return m, nil
}

// synthesised is the output of the command sibyl synth with --json.
type synthesised struct {
	Out   string `json:"out"`
	Rows  int    `json:"rows"`
	Model string `json:"model,omitempty"`
	guaranteed
	Card synthetic.Card `json:"card"`
}

// announce prints the number of synthetic rows that were written, and the summary of the model.
func (f *synthFlags) announce(cmd *cobra.Command, m *synthetic.Model, rows int) error {
	card := m.Card()
	return cli.Print(cmd, synthesised{f.out, rows, f.model, guaranteeOf(m.Guarantee, m.Void, m.Layout.Schema), card}, func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "%s: %s.\n\n", quote.Name(f.out), several(rows, "row")); err != nil {
			return err
		}
		return card.Write(w)
	})
}

// work returns a function that shows on the bar which fraction of a task is done, and how much time is left. It
// returns nil if standard error is not a terminal.
//
// The returned function redraws the bar. If its argument done is less than in the previous call, a new part of the
// task begins. The progress must depend only on released values.
func (b *bar) work(what string) func(done, of int64) {
	if b.w == nil {
		return nil
	}
	var start, last time.Time
	part, before := 1, int64(0)
	return func(done, of int64) {
		now := time.Now()
		if start.IsZero() || done < before {
			if !start.IsZero() {
				part++
			}
			start = now
		}
		before = done
		if now.Sub(last) < 200*time.Millisecond || done < 1 || of < 1 {
			return
		}
		last = now
		left := time.Duration(float64(now.Sub(start)) * float64(of-done) / float64(done))
		b.tell("%s, part %d: %d %%, %v left", what, part, 100*done/of, left.Round(time.Second))
	}
}
