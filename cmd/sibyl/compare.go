package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/compare"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

func newCompare() *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare --real F --synthetic F --schema S",
		Short: "Find where a synthetic table differs most from the real one, without privacy",
		Long: `Compare finds the query of a class on which two tables of one schema differ most: on
which share of their rows satisfy it. Conjunctions are of conditions "column is value",
of any number of columns; parities hold where an odd number of conditions do; scorecards
where points for the values of a few columns add up to a threshold. The search ends with
a proof that no query of the class has a greater error, and a checker, which shares
nothing with the search, proves it anew before anything is printed as certified.

It also tells the errors of all marginals of one and of two columns and of some of three
(L1: the sum of the differences of shares over the cells), and how well a logistic
regression learned on the synthetic rows predicts the label of the real ones. A label is
a column like any other, and a schema needs none. Where the schema has [person], real rows
are weighed so that each person counts alike, and each synthetic row is a person; its file
needs no column that says so. Rows outside the schema's domain are left out of both tables. There is no privacy: the result is for the curator.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.Var(locationFlag{(*pathFlag)(&f.real.location)}, "real", "the real rows: a CSV or Parquet `file`, - for standard input, or a database's URL")
	textVar(flags, &f.real.query, "query", "the `SQL` that selects the real rows, where --real is a database's URL")
	pathVar(flags, &f.synthetic.location, "synthetic", "the synthetic rows, a CSV or Parquet `file`")
	pathVar(flags, &f.schema, "schema", "the schema, a TOML `file`")
	flags.StringVar(&f.class, "class", "conjunction", "conjunction, parity or scorecard")
	flags.IntVar(&f.order, "order", 0, "how many columns a conjunction or a scorecard has at most, or conditions a parity; 0 for any number of them (default 2, but any number for conjunctions)")
	flags.Int64Var(&f.steps, "steps", 1_000_000_000, "after how many `steps` of some nanoseconds the search for a conjunction gives up, and certifies those of fewer columns; 0 for never")
	flags.BoolVar(&f.digits, "digits", false, "the conditions of parities are binary digits of a value's number, instead of \"column is value\"")
	flags.IntVar(&f.cards.Groups, "groups", 8, "in how many groups of neighbours a scorecard reads a column's values at most")
	flags.IntVar(&f.cards.Points, "points", 1, "a scorecard's points are between minus this and this")
	flags.IntVar(&f.cards.Threshold, "threshold", 1, "the total from which on a scorecard holds")
	textVar(flags, &f.target, "target", "the `column` of two values that the regressions predict (default the label, if it has two)")
	flags.Uint64Var(&f.seed, "seed", 0, "draws the marginals that are compared where there are very many")
	pathVar(flags, &f.out, "out", "a `file` for a page with pictures, which only its owner can read")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	for _, name := range []string{"real", "synthetic", "schema"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

type compareFlags struct {
	real, synthetic dataFlags
	schema, class   string
	order           int
	steps           int64
	digits          bool
	cards           compare.Cards
	target          string
	seed            uint64
	out             string
	force           bool
}

// The maximum number of compared marginals, for each number of columns.
const mostPairs, mostTriples = 5000, 200

func (f *compareFlags) run(cmd *cobra.Command) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	schema, err := release.ReadDomain(f.schema)
	if err != nil {
		return err
	}
	flat, err := schema.Flat()
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Name(f.schema), err)
	}
	target, err := f.column(schema, flat)
	if err != nil {
		return err
	}
	flat.Person = schema.Person
	if err := f.validate(flat.Sizes()); err != nil {
		return fmt.Errorf("invalid class: %s", model.Reason(err))
	}
	files, err := claimInputs(cmd, &f.real, append([]string{f.schema}, f.synthetic.location)...)
	if err != nil {
		return err
	}
	var out *publish.Draft
	if f.out != "" {
		if out, err = publish.NewDraft(cmd.Context(), files, f.out, f.force, publish.ForCurator); err != nil {
			return err
		}
		defer out.Discard()
	}
	b := newBar(cmd)
	defer b.erase()
	var tables [2]*table.Table
	for side, of := range []struct {
		data   *dataFlags
		schema *table.Schema
	}{{&f.real, flat}, {&f.synthetic, flat.ByRow()}} {
		if tables[side], err = of.data.from(cmd, b).Table(cmd.Context(), of.schema); err != nil {
			return err
		}
	}
	c, err := f.compare(cmd.Context(), b, flat, tables, target)
	b.erase()
	if err != nil {
		return err
	}
	if out != nil {
		if err := c.WriteHTML(out); err != nil {
			return err
		}
		if err := out.Publish(cmd.Context()); err != nil {
			return err
		}
	}
	noteCurator(cmd)
	return printing(cmd, c, c.Write)
}

// check refuses invalid flags and fills in defaults.
func (f *compareFlags) check(cmd *cobra.Command) error {
	of := []struct {
		class string
		flags []string
	}{{"conjunction", []string{"steps"}}, {"parity", []string{"digits"}}, {"scorecard", []string{"groups", "points", "threshold"}}}
	known := false
	for _, c := range of {
		known = known || c.class == f.class
	}
	if !known {
		return fmt.Errorf("--class %s must be conjunction, parity or scorecard", quote.Word(f.class))
	}
	for _, c := range of {
		for _, name := range c.flags {
			if c.class != f.class && cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s goes with --class %s", name, c.class)
			}
		}
	}
	switch {
	case f.order < 0:
		return fmt.Errorf("--order %d must be a number of columns, or 0 for any number", f.order)
	case !cmd.Flags().Changed("order") && f.class != "conjunction":
		f.order = 2
	case f.steps < 0:
		return fmt.Errorf("--steps %d must be a number of steps, or 0 for no end", f.steps)
	}
	f.cards.Most = f.order
	return nil
}

// validate refuses a class that is undefined over columns of these sizes.
func (f *compareFlags) validate(sizes []int) error {
	switch f.class {
	case "parity":
		return f.parities().Validate(sizes)
	case "scorecard":
		return f.cards.Validate(sizes)
	}
	return nil
}

func (f *compareFlags) parities() compare.Parities {
	return compare.Parities{Digits: f.digits, Most: f.order}
}

// column returns the index of the column to predict: the requested one, else the label, else -1 if
// no column can be predicted.
func (f *compareFlags) column(schema, flat *table.Schema) (int, error) {
	if f.target == "" {
		label := len(flat.Attributes) - 1
		if schema.Label == nil || compare.CanLearn(label, flat.Sizes()) != nil {
			return -1, nil
		}
		return label, nil
	}
	target := slices.IndexFunc(flat.Attributes, func(a table.Attribute) bool { return a.Name == f.target })
	if target < 0 {
		return 0, fmt.Errorf("--target %s is not a column of the schema", quote.Word(f.target))
	}
	if err := compare.CanLearn(target, flat.Sizes()); err != nil {
		return 0, fmt.Errorf("--target %s: %s", quote.Word(f.target), model.Reason(err))
	}
	return target, nil
}

// compare computes the comparison. A target of -1 means no target.
func (f *compareFlags) compare(ctx context.Context, b *bar, flat *table.Schema, tables [2]*table.Table, target int) (*report.Comparison, error) {
	b.tell("comparing")
	p, err := compare.New(flat, tables[0], tables[1])
	if err != nil {
		return nil, errors.New(model.Reason(err))
	}
	worst, err := f.worst(ctx, p)
	if err != nil {
		return nil, err
	}
	var orders []compare.OrderErrors
	for order, most := range []int{0, mostPairs, mostTriples} {
		if order == len(p.Columns()) {
			break
		}
		e, err := p.Errors(ctx, order+1, compare.Sample{Most: most, Seed: f.seed})
		if err != nil {
			return nil, err
		}
		orders = append(orders, e)
	}
	c := report.NewComparison(flat.Name, p, f.class, worst, orders)
	if target >= 0 {
		l, err := p.Learn(target)
		if err != nil {
			return nil, err
		}
		c.Predict(l)
	}
	return c, nil
}

func (f *compareFlags) worst(ctx context.Context, p *compare.Pair) (compare.Worst, error) {
	switch f.class {
	case "parity":
		return p.WorstParity(ctx, f.parities())
	case "scorecard":
		return p.WorstCard(ctx, f.cards)
	}
	return p.WorstConjunction(ctx, compare.Limits{Order: f.order, Steps: f.steps})
}
