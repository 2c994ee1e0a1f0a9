package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/release"
	"github.com/sibyl-dp/sibyl/report"
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
error, what such a count is off by (root mean square), as estimated from what is
released. Counts of few rows are off by less. Tables of different pairs need not agree in
their sums. Columns that have many values cost the most time; sibyl synth has room for
more.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	flags := cmd.Flags()
	pathVar(flags, &f.schema, "schema", "the schema, a TOML `file`: the public domain of the data")
	f.spend.register(cmd, "the privacy loss `ε`, a decimal such as 1")
	f.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	flags.StringVar(&f.spend.delta, "delta", "0", "the `δ` of the guarantee, above 0, such as 1e-9")
	pathVar(flags, &f.out, "out", "the `file` for the counts, as CSV")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	for _, name := range []string{"schema", "epsilon", "out"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

type pairsFlags struct {
	data   dataFlags
	schema string
	spend  spendFlags
	out    string
	force  bool
}

func (f *pairsFlags) run(cmd *cobra.Command) error {
	var spend release.Request
	if err := f.spend.read(cmd, &spend); err != nil {
		return err
	}
	r := release.Pairs{Epsilon: spend.Epsilon, Delta: spend.Delta, Relation: spend.Relation, Rows: spend.Rows, Seed: spend.Seed}
	var err error
	if r.Schema, err = release.ReadDomain(f.schema); err != nil {
		return err
	}
	p, err := r.Prepare()
	if err != nil {
		return err
	}
	terms, end, err := f.spend.begin(cmd, intent{schema: r.Schema, epsilon: r.Epsilon, data: &f.data, inputs: []string{f.schema}, outputs: []string{f.out}, force: f.force})
	if err != nil {
		return err
	}
	defer end()
	note(cmd, "Expected, before the data is read: a count is off by about %.1f, or less.", p.Expected)
	b := newBar(cmd)
	defer b.erase()
	c, err := p.Release(cmd.Context(), f.data.from(cmd, b), terms)
	b.erase()
	if err != nil {
		return err
	}
	return f.announce(cmd, r.Schema.Unit(2), p, c)
}

// paired is what pairs --json prints.
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
		_, err := fmt.Fprintf(w, "%s: counts of all pairs of %d columns, of about %.0f %s.\nA count is off by about %.1f (root mean square), as estimated from what is released.\n\n%s",
			quote.Name(f.out), value.Columns, value.Rows, unit, value.Error, report.Guarantee("table of counts", p.Guarantee, p.Void.Text()))
		return err
	})
	noteSpent(cmd, p.Guarantee, p.Void, f.spend.account)
	return err
}
