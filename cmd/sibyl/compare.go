package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/compare"
	"github.com/sibyl-dp/sibyl/internal/database"
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
		Long: `Compare finds the query of a class for which two tables of one schema differ most in the
fraction of rows that satisfy it. The classes are:

  conjunction  all of some conditions "column is value" hold
  parity       an odd number of some conditions "column is value" hold
  scorecard    the points for the values of a few columns add up to at least a threshold

The search proves that no query of the class has a greater error. Compare prints the
result as certified only after a checker, which shares no code with the search, has
verified the proof.

Compare also prints the L1 errors (Σ |p − q| over the cells) of all marginals of one and
two columns and of some marginals of three, and how well a logistic regression trained on
the synthetic rows predicts the label of the real rows. The schema needs no label; a label
is treated as any other column. If the schema has [person], real rows are weighted so that
all persons have the same weight, and each synthetic row counts as one person. Rows outside
the schema's domain are left out of both tables.

The result is not private. It is for the curator.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.Var(locationFlag{(*cli.PathFlag)(&f.real.location)}, "real", "the real rows: a CSV, Parquet or .xlsx `file`, - for standard input, or a database URL")
	textVar(flags, &f.real.query, "query", "the `SQL` query that selects the real rows, if --real is a database URL")
	cli.PathVar(flags, &f.synthetic.location, "synthetic", "the synthetic rows, a CSV, Parquet or .xlsx `file`")
	cli.PathVar(flags, &f.schema, "schema", "the schema, a TOML `file` that lists the columns and their possible values")
	flags.StringVar(&f.class, "class", "conjunction", "the kind of queries whose answers on the two tables are compared: conjunction, parity or scorecard")
	flags.IntVar(&f.order, "order", 0, "the maximum number of columns that a conjunction or scorecard uses, or of conditions of a parity; 0 means no maximum (default: 2 for parities and scorecards, no maximum for conjunctions)")
	flags.Int64Var(&f.steps, "steps", 1_000_000_000, "stop the search for a conjunction after this number of `steps`, of some nanoseconds each; the result is then proved only for conjunctions of fewer columns; 0 means no limit")
	flags.BoolVar(&f.digits, "digits", false, "for parities: use the binary digits of each value's number in the schema as conditions, instead of conditions \"column is value\"")
	flags.IntVar(&f.cards.Groups, "groups", 8, "for scorecards: the maximum number of groups of adjacent values into which the values of a column are divided; all values of a group have the same points")
	flags.IntVar(&f.cards.Points, "points", 1, "for scorecards: the maximum absolute value of the points of a group of values")
	flags.IntVar(&f.cards.Threshold, "threshold", 1, "for scorecards: the least total of points with which a row satisfies the scorecard")
	textVar(flags, &f.target, "target", "the `column` with two values that a logistic regression on each table predicts (default: the label, if it has two values)")
	flags.Uint64Var(&f.seed, "seed", 0, "the seed by which marginals are chosen at random, if there are too many to compare all (default 0)")
	cli.PathVar(flags, &f.out, "out", "a `file` to which an HTML page with charts is written; only its owner can read it")
	flags.BoolVar(&f.force, "force", false, "replace the output file if it exists")
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

// mostPairs and mostTriples are the maximum numbers of two-way and three-way marginals that are compared.
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
	// The intervals of numeric columns are divided into finer ones to compare the numbers themselves, except
	// in a database, whose SQL statement would need a condition for each finer interval.
	finer := compare.NewFiner(flat, !database.IsURL(f.real.location))
	var tables, fine [2]*table.Table
	for side, of := range []struct {
		data   *dataFlags
		schema *table.Schema
	}{{&f.real, finer.Schema}, {&f.synthetic, finer.Schema.ByRow()}} {
		if fine[side], err = of.data.from(cmd, b).Table(cmd.Context(), of.schema); err != nil {
			return err
		}
		if tables[side], err = finer.Coarse(fine[side], side == 1); err != nil {
			return err
		}
	}
	c, err := f.compare(cmd.Context(), b, flat, tables, target)
	b.erase()
	if err != nil {
		return err
	}
	c.Measure(finer.Compare(fine[0], fine[1]))
	if out != nil {
		if err := c.WriteHTML(out); err != nil {
			return err
		}
		if err := out.Publish(cmd.Context()); err != nil {
			return err
		}
	}
	noteCurator(cmd)
	return cli.Print(cmd, c, c.Write)
}

// check returns an error if a flag is invalid, and replaces flags that the user has not set by defaults that depend
// on the class of queries.
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
				return fmt.Errorf("--%s requires --class %s; choose that class, or leave --%[1]s out", name, c.class)
			}
		}
	}
	switch {
	case f.order < 0:
		return fmt.Errorf("--order %d must not be negative; 0 means any number of columns", f.order)
	case !cmd.Flags().Changed("order") && f.class != "conjunction":
		f.order = 2
	case f.steps < 0:
		return fmt.Errorf("--steps %d must not be negative; 0 means no maximum", f.steps)
	}
	f.cards.Most = f.order
	return nil
}

// validate returns an error if the class of queries does not exist for columns with the given numbers of categories.
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

// column returns the index of the column that a model is trained to predict: the one that --target names or, without
// this flag, the label. It returns -1 if there is no label or the label cannot be predicted.
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
		return 0, fmt.Errorf("--target %s is not a column of the schema; name one of its columns", quote.Word(f.target))
	}
	if err := compare.CanLearn(target, flat.Sizes()); err != nil {
		return 0, fmt.Errorf("--target %s: %s", quote.Word(f.target), model.Reason(err))
	}
	return target, nil
}

// compare compares the two tables. The parameter target is the index of the column that a model is trained to
// predict, or -1 for none.
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
