package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newPairs() *cobra.Command {
	f := &pairsFlags{}
	cmd := &cobra.Command{
		Use:   "pairs --data F --schema S --epsilon 1 --delta 1e-9 --out pairs.csv",
		Short: "Release counts of all pairs of columns with differential privacy",
		Long: `Pairs releases the two-way contingency tables of all pairs of columns. The schema needs no
label; a label is treated as any other column. Pairs encodes the values by signs ±1, adds
exact discrete Gaussian noise to the sums of products of signs, and replaces the
noisy sums by those of the nearest correlation matrix. This projection reduces the error,
the more so the more columns there are.

The file has a line for each pair of values: column, value, other, other_value, count, and
error, the estimated root mean square error of the counts of these two columns. The
estimate uses released values only. Small counts have smaller errors. Two contingency tables need not agree
in the sums of a column that they share. The time grows with the number of values of the
columns; sibyl synth supports more values.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.spend.register(cmd, "the privacy loss `ε` of the release, a decimal such as 1")
	f.registerPublic(cmd)
	flags := cmd.Flags()
	cli.PathVar(flags, &f.out, "out", "the `file` to which the counts are written, as CSV")
	flags.BoolVar(&f.force, "force", false, "replace the output file if it exists")
	for _, name := range []string{"schema", "epsilon", "out"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

func newPlanPairs() *cobra.Command {
	f := &pairsFlags{}
	cmd := &cobra.Command{
		Use:   "pairs --schema S --rows N --epsilon 1 --delta 1e-9",
		Short: "Estimate the error of counts of all pairs of columns, before any data is read",
		Long: `Plan pairs estimates the root mean square error of the counts that sibyl pairs would
release. It reads no data and consumes no budget: the estimate follows from the schema,
the approximate number of rows, ε and δ.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.plan(cmd) },
	}
	cmd.SetHelpFunc(new(cobra.Command).HelpFunc()) // without this it would inherit plan's help, which lists classes
	f.spend.registerEpsilon(cmd, "the privacy loss `ε` of the release, a decimal such as 1")
	f.registerPublic(cmd)
	cmd.Flags().Int64Var(&f.spend.rows, "rows", 0, "the approximate number of `rows` of the data, or of persons if the schema has [person]; it must be public")
	for _, name := range []string{"schema", "rows", "epsilon", "delta"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// registerPublic defines the flags for public parameters that the commands pairs and plan pairs
// share.
func (f *pairsFlags) registerPublic(cmd *cobra.Command) {
	cli.PathVar(cmd.Flags(), &f.schema, "schema", "the schema, a TOML `file` that lists the columns and their possible values")
	f.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	f.spend.registerTotal(cmd)
	f.spend.registerRequiredDelta(cmd)
}

type pairsFlags struct {
	data   dataFlags
	schema string
	spend  spendFlags
	out    string
	force  bool
}

// prepare reads the schema, checks the public parameters and prepares the release.
func (f *pairsFlags) prepare(cmd *cobra.Command) (release.Pairs, *release.PreparedPairs, error) {
	var spend release.Request
	if err := f.spend.read(cmd, &spend); err != nil {
		return release.Pairs{}, nil, err
	}
	r := release.Pairs{Epsilon: spend.Epsilon, Delta: spend.Delta, Total: spend.Total, Relation: spend.Relation, Rows: spend.Rows, Seed: spend.Seed}
	var err error
	if r.Schema, err = release.ReadDomain(f.schema); err != nil {
		return r, nil, err
	}
	p, err := r.Prepare()
	return r, p, err
}

// plannedPairs is the output of the command sibyl plan pairs with --json.
type plannedPairs struct {
	Rows     int64           `json:"rows"`
	Epsilon  privacy.Decimal `json:"epsilon"`
	Delta    privacy.Decimal `json:"delta"`
	Relation string          `json:"relation"`
	Columns  int             `json:"columns"`
	Expected float64         `json:"expected_error"` // estimated root mean square error of a count
	Noise    float64         `json:"noise"`          // estimated root mean square error of a count before the projection

	Total *privacy.Statement `json:"total_guarantee,omitempty"` // the total guarantee, if --total is given
}

func (f *pairsFlags) plan(cmd *cobra.Command) error {
	r, p, err := f.prepare(cmd)
	if err != nil {
		return err
	}
	if _, err := claimInputs(cmd, nil, f.schema); err != nil {
		return err
	}
	caution(cmd, r.Epsilon)
	g := p.Guarantee
	planned := plannedPairs{r.Rows, g.Epsilon, g.Delta, g.Relation.String(), len(p.Columns), p.Expected, p.Noise, f.spend.totalOf(g, r.Schema)}
	return cli.Print(cmd, planned, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "Counts of all pairs of %d columns from %d %s, ε = %s, δ = %s, relation %s.\n%s\nThe root mean square error of a count, over all pairs, is at most about %.1f (%.1f before the projection).\n",
			planned.Columns, planned.Rows, r.Schema.Unit(r.Rows), planned.Epsilon, planned.Delta, planned.Relation, f.spend.completed(g, r.Schema), planned.Expected, planned.Noise)
		return err
	})
}

func (f *pairsFlags) run(cmd *cobra.Command) error {
	r, p, err := f.prepare(cmd)
	if err != nil {
		return err
	}
	terms, end, err := f.spend.begin(cmd, intent{schema: r.Schema, epsilon: r.Epsilon, data: &f.data, inputs: []string{f.schema}, outputs: []string{f.out}, force: f.force})
	if err != nil {
		return err
	}
	defer end()
	b := newBar(cmd)
	defer b.erase()
	c, err := p.Release(cmd.Context(), f.data.from(cmd, b), terms)
	b.erase()
	if err != nil {
		return err
	}
	return f.announce(cmd, r.Schema, p, c)
}

// paired is the output of the command sibyl pairs with --json.
type paired struct {
	Out      string  `json:"out"`
	Columns  int     `json:"columns"`
	Rows     float64 `json:"rows"`
	Expected float64 `json:"expected_error"`
	Error    float64 `json:"error"`
	guaranteed
}

func (f *pairsFlags) announce(cmd *cobra.Command, s *table.Schema, p *release.PreparedPairs, c *release.CountedPairs) error {
	value := paired{f.out, len(c.Columns), c.Rows, p.Expected, c.CountError(), guaranteeOf(p.Guarantee, p.Void, s)}
	rows := fmt.Sprintf("about %.0f %s", value.Rows, s.Unit(2))
	if c.Public != nil {
		rows = fmt.Sprintf("%d %s", *c.Public, s.Unit(*c.Public))
	}
	err := cli.Print(cmd, value, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: counts of all pairs of %d columns from %s.\nThe root mean square error of a count, over all pairs, is about %.1f, as estimated from the released\nvalues. The plan was at most about %.1f.\n\n%s",
			quote.Name(f.out), value.Columns, rows, value.Error, value.Expected, report.Guarantee("table of counts", p.Guarantee, p.Void.Text(), s))
		return err
	})
	noteSpent(cmd, p.Guarantee, p.Void, f.spend.account)
	return err
}
