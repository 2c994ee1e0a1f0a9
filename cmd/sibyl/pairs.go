package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newPairs() *cobra.Command {
	f := &pairsFlags{}
	cmd := &cobra.Command{
		Use:   "pairs --data F --schema S --epsilon 1 --delta 1e-9 --out pairs.csv",
		Short: "Release counts of all pairs of columns with differential privacy",
		Long: `Pairs writes how many rows have each value of a column with each value of another, for
all pairs of columns at once; a label, which the schema need not have, is a column like
any other. Sums of signs are measured with exact discrete Gaussian noise, and replaced
by those of the nearest correlation matrix: what is said together of all pairs is more
accurate than each alone, and more so the more columns there are.

The file has a line for each pair of values: column, value, other, other_value, count, and
error, what the counts of these two columns are off by (root mean square), as estimated
from what is released. Counts of few rows are off by less. Tables of different pairs need not agree in
their sums. Columns that have many values cost the most time; sibyl synth has room for
more.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.spend.register(cmd, "the privacy loss `ε`, a decimal such as 1")
	f.registerPublic(cmd)
	flags := cmd.Flags()
	pathVar(flags, &f.out, "out", "the `file` for the counts, as CSV")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	for _, name := range []string{"schema", "epsilon", "out"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

func newPlanPairs() *cobra.Command {
	f := &pairsFlags{}
	cmd := &cobra.Command{
		Use:   "pairs --schema S --rows N --epsilon 1 --delta 1e-9",
		Short: "Estimate the error of counts of all pairs of columns, before any data is touched",
		Long: `Plan pairs prints about how far counts of all pairs of columns will be off, as a root
mean square over all of them. It is computed from public numbers: the schema, about how
many rows there are, ε and δ.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.plan(cmd) },
	}
	cmd.SetHelpFunc(new(cobra.Command).HelpFunc()) // plan's own describes classes
	f.spend.registerPromise(cmd, "the privacy loss `ε`, a decimal such as 1")
	f.registerPublic(cmd)
	cmd.Flags().Int64Var(&f.spend.rows, "rows", 0, "about how many `rows` the table has")
	for _, name := range []string{"schema", "rows", "epsilon", "delta"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

// registerPublic defines the flags that the plan shares.
func (f *pairsFlags) registerPublic(cmd *cobra.Command) {
	pathVar(cmd.Flags(), &f.schema, "schema", "the schema, a TOML `file`: the public domain of the data")
	f.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	cmd.Flags().StringVar(&f.spend.delta, "delta", "0", "the `δ` of the guarantee, above 0, such as 1e-9")
}

type pairsFlags struct {
	data   dataFlags
	schema string
	spend  spendFlags
	out    string
	force  bool
}

// prepare reads the schema and prepares the public part of the release.
func (f *pairsFlags) prepare(cmd *cobra.Command) (release.Pairs, *release.PreparedPairs, error) {
	var spend release.Request
	if err := f.spend.read(cmd, &spend); err != nil {
		return release.Pairs{}, nil, err
	}
	r := release.Pairs{Epsilon: spend.Epsilon, Delta: spend.Delta, Relation: spend.Relation, Rows: spend.Rows, Seed: spend.Seed}
	var err error
	if r.Schema, err = release.ReadDomain(f.schema); err != nil {
		return r, nil, err
	}
	p, err := r.Prepare()
	return r, p, err
}

// plannedPairs is the output of plan pairs --json.
type plannedPairs struct {
	Rows     int64           `json:"rows"`
	Epsilon  privacy.Decimal `json:"epsilon"`
	Delta    privacy.Decimal `json:"delta"`
	Relation string          `json:"relation"`
	Columns  int             `json:"columns"`
	Expected float64         `json:"expected_error"`
	Noise    float64         `json:"noise"` // of a count, before the projection
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
	planned := plannedPairs{r.Rows, r.Epsilon, r.Delta, p.Guarantee.Relation.String(), len(p.Columns), p.Expected, p.Noise}
	return printing(cmd, planned, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "Counts of all pairs of %d columns from %d %s, ε = %s, δ = %s, relation %s.\n\nA count is off by about %.1f, or less (root mean square over all pairs): its noise is %.1f.\n",
			planned.Columns, planned.Rows, r.Schema.Unit(r.Rows), planned.Epsilon, planned.Delta, planned.Relation, planned.Expected, planned.Noise)
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
	return f.announce(cmd, r.Schema.Unit(2), p, c)
}

// paired is the output of pairs --json.
type paired struct {
	Out        string             `json:"out"`
	Columns    int                `json:"columns"`
	Rows       float64            `json:"rows"`
	Expected   float64            `json:"expected_error"`
	Error      float64            `json:"error"`
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`
}

func (f *pairsFlags) announce(cmd *cobra.Command, unit string, p *release.PreparedPairs, c *release.CountedPairs) error {
	value := paired{f.out, len(c.Columns), c.Rows, p.Expected, c.CountError(), p.Guarantee, p.Void}
	err := printing(cmd, value, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: counts of all pairs of %d columns, of about %.0f %s.\nA count is off by about %.1f (root mean square over all pairs), as estimated from what is released;\nabout %.1f, or less, was expected before the data was read.\n\n%s",
			quote.Name(f.out), value.Columns, value.Rows, unit, value.Error, value.Expected, report.Guarantee("table of counts", p.Guarantee, p.Void.Text()))
		return err
	})
	noteSpent(cmd, p.Guarantee, p.Void, f.spend.account)
	return err
}
