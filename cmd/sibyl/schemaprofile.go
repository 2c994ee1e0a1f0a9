package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newSchemaProfile() *cobra.Command {
	f := &profileFlags{}
	cmd := &cobra.Command{
		Use:   "profile --data people.csv --schema people.toml --epsilon 0.2 --out full.toml",
		Short: "Choose missing cuts and categories from private data, with differential privacy",
		Long: `Profile completes the attributes of a schema that have kind = "number" or "date" and no
cuts, and those that have kind = "category" and no values. It chooses cuts and values from
the private data with differential privacy, and divides the budget evenly among these
columns.

The cuts are quantiles with random errors, and cuts around values that many rows have.
A column gets at most 31 cuts, or 63 if one value has most of the rows; the number
follows from --rows and ε, and is at most 15 without --rows. For a column
that is mostly 0, the private data determine only which powers of ten have many rows;
the cuts are all numbers of two significant digits in these powers of ten. If ε is too
small for this, the cuts are a few quantiles of the numbers other than 0.
The cuts are numbers of a public grid. If an attribute has draw, least and most, the
grid lies within them. Otherwise it has the numbers of three significant digits, and
only integers with draw = "integer". Dates need format, draw = "day", least and most.

Categories need --delta. A value becomes a category if its number of rows, plus random
noise, reaches a threshold, which follows from ε and δ. If more than
--most-categories values reach it, the most frequent ones are used. All other values
become the category "other", or the category that the key "other" of the attribute names.
State a δ far below 1 divided by the number of rows, such as 1e-9.

The output is the schema with these cuts and categories and a [[profile]], which states
the guarantee. Every release with this schema from data of the same people adds to this
guarantee; sibyl show prints the sum.

With --plan it prints the number of cuts and their expected error, and the number of
rows from which a value becomes a category with probability 0.95. It reads no data.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.registerOptional(cmd)
	f.spend.register(cmd, "the privacy loss `ε` of the release, a decimal such as 0.2")
	f.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	flags := cmd.Flags()
	f.spend.registerOptionalDelta(cmd, "a δ above 0 is required to choose categories, and makes the cuts more accurate if the schema has many columns")
	flags.IntVar(&f.categories, "most-categories", release.UsualCategories, "the maximum `number` of categories that are chosen for a column, from 1 to 1000, without the category \"other\"")
	cli.PathVar(flags, &f.schema, "schema", "the open schema, a TOML `file` as written by sibyl schema new")
	cli.PathVar(flags, &f.out, "out", "the `file` to which the completed schema is written, as TOML")
	flags.BoolVar(&f.force, "force", false, "replace the output file if it exists")
	flags.BoolVar(&f.plan, "plan", false, "print how accurate the cuts will be, and how many rows a value needs to become a category; this reads no data")
	for _, name := range []string{"schema", "epsilon"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

type profileFlags struct {
	data       dataFlags
	schema     string
	spend      spendFlags
	out        string
	force      bool
	plan       bool
	categories int
}

func (f *profileFlags) run(cmd *cobra.Command) error {
	var spend release.Request
	if err := f.spend.read(cmd, &spend); err != nil {
		return err
	}
	switch {
	case f.plan && (f.data.location != "" || f.out != "" || f.spend.account != "" && cmd.Flags().Changed("account")):
		return fmt.Errorf("--data, --out and --account cannot be used with --plan, which reads no data and writes nothing; leave them out")
	case !f.plan && f.data.location == "":
		return fmt.Errorf("--data is missing; name the file or database with the private data, or give --plan")
	case !f.plan && f.out == "":
		return fmt.Errorf("--out is missing; name a file for the completed schema")
	}
	text, err := readText(f.schema, "schema")
	if err != nil {
		return err
	}
	if f.categories < 1 || f.categories > release.MostCategories {
		return fmt.Errorf("--most-categories %d is outside 1..%d", f.categories, release.MostCategories)
	}
	r := release.Profile{Name: f.schema, Text: text, MostCategories: f.categories, Epsilon: spend.Epsilon, Delta: spend.Delta, Relation: spend.Relation, Rows: spend.Rows, Seed: spend.Seed}
	p, err := r.Prepare()
	if err != nil {
		return err
	}
	if f.plan {
		return f.announcePlan(cmd, p, r)
	}
	terms, end, err := f.spend.begin(cmd, intent{schema: p.Domain(), epsilon: r.Epsilon, data: &f.data, inputs: []string{f.schema}, outputs: []string{f.out}, force: f.force})
	if err != nil {
		return err
	}
	defer end()
	b := newBar(cmd)
	defer b.erase()
	out, err := p.Release(cmd.Context(), f.data.from(cmd, b), terms)
	b.erase()
	if err != nil {
		return err
	}
	return f.announce(cmd, p, out)
}

// plannedProfile is the output of the command sibyl schema profile with --plan and --json.
type plannedProfile struct {
	Columns    []string           `json:"columns"`
	Cuts       int                `json:"most_cuts"`
	RankError  float64            `json:"expected_rank_error"` // the expected rank error of a cut, in rows or persons
	Categories *plannedCategories `json:"categories,omitempty"`
	Guarantee  *privacy.Statement `json:"guarantee"`
}

type plannedCategories struct {
	Columns []string `json:"columns"`
	Most    int      `json:"most"`
	Kept    int64    `json:"kept_rows_95"` // the number of rows or persons from which a value becomes a category with probability 0.95
}

func (f *profileFlags) announcePlan(cmd *cobra.Command, p *release.PreparedProfile, r release.Profile) error {
	if _, err := claimInputs(cmd, nil, f.schema); err != nil {
		return err
	}
	caution(cmd, r.Epsilon)
	planned := plannedProfile{append([]string{}, p.Columns...), p.Cuts, p.RankError, nil, p.Guarantee}
	if len(p.Categories) > 0 {
		planned.Categories = &plannedCategories{p.Categories, f.categories, p.Kept}
	}
	return cli.Print(cmd, planned, func(w io.Writer) error {
		_, err := io.WriteString(w, f.expectation(p, r.Rows))
		return err
	})
}

// expectation describes how many cuts and categories the release of p would choose, and how accurate they would
// be.
func (f *profileFlags) expectation(p *release.PreparedProfile, rows int64) (text string) {
	share := func(n float64) string {
		if rows == 0 {
			return ""
		}
		return fmt.Sprintf(" of %d (%.2g %%)", rows, 100*n/float64(rows))
	}
	if len(p.Columns) > 0 {
		text = fmt.Sprintf("At most %d cuts of each of %s.\nA cut misses its rank by about %.0f %s%s on average, if the values of its column are spread widely.\nA column that is mostly 0 gets public cuts instead, at most 90 for each power of ten.\n",
			p.Cuts, several(len(p.Columns), "column"), p.RankError, p.Domain().Unit(2), share(p.RankError))
	}
	if len(p.Unranged) > 0 {
		text += fmt.Sprintf("No range is stated for %s. Some of their cuts may lie far outside the data, and synthetic data needs the ranges: if you know them, first add draw, least and most.\n", someOf(p.Unranged))
	}
	if rows == 0 && len(p.Columns) > 0 {
		text += "The number of cuts is small because --rows is not stated.\n"
	}
	if len(p.Categories) > 0 {
		text += fmt.Sprintf("At most %d categories of each of %s, besides a category for all other values.\nA value of %d %s%s becomes a category with probability 0.95, unless the column has more such values.\n",
			f.categories, several(len(p.Categories), "column"), p.Kept, p.Domain().Unit(p.Kept), share(float64(p.Kept)))
	}
	return text
}

// someOf lists names. If there are more than five, it lists the first four and the number of the others.
func someOf(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, quote.Name(name))
	}
	if more := len(names) - 4; more > 1 {
		all = append(all[:4], "and "+several(more, "more column"))
	}
	return strings.Join(all, ", ")
}

// profiledColumn describes a numeric column in the output of schema profile --json.
type profiledColumn struct {
	Column string `json:"column"`
	Cuts   int    `json:"cuts"`
}

// profiledCategories describes a categorical column in the output of schema profile --json.
type profiledCategories struct {
	Column string `json:"column"`
	Values int    `json:"values"` // the number of released values, without the category other
}

// profiled is the output of the command sibyl schema profile with --json.
type profiled struct {
	Out        string               `json:"out"`
	Columns    []profiledColumn     `json:"columns"`
	RankError  float64              `json:"expected_rank_error"`
	Categories []profiledCategories `json:"categories,omitempty"`
	guaranteed
}

func (f *profileFlags) announce(cmd *cobra.Command, p *release.PreparedProfile, out *release.Profiled) error {
	earlier := *out.Schema
	earlier.Profiles = earlier.Profiles[:len(earlier.Profiles)-1] // without that of this release
	value := profiled{Out: f.out, Columns: []profiledColumn{}, RankError: p.RankError, guaranteed: guaranteeOf(p.Guarantee, p.Void, &earlier)}
	var lines []string
	for j, name := range p.Columns {
		value.Columns = append(value.Columns, profiledColumn{name, out.Cuts[j]})
		lines = append(lines, fmt.Sprintf("%s: %s", quote.Name(name), several(out.Cuts[j], "cut")))
	}
	empty := false
	for j, name := range p.Categories {
		value.Categories = append(value.Categories, profiledCategories{name, out.Values[j]})
		lines = append(lines, fmt.Sprintf("%s: %s", quote.Name(name), several(out.Values[j], "value")))
		empty = empty || out.Values[j] == 0
	}
	what := "cuts of " + several(len(p.Columns), "column")
	switch {
	case len(p.Columns) == 0:
		what = "values of " + several(len(p.Categories), "column")
	case len(p.Categories) > 0:
		what += " and values of " + several(len(p.Categories), "column")
	}
	err := cli.Print(cmd, value, func(w io.Writer) error {
		fmt.Fprintf(w, "%s: a schema with %s.\n", quote.Name(f.out), what)
		for _, line := range lines[:min(len(lines), mostListed)] {
			fmt.Fprintf(w, "  %s\n", line)
		}
		if more := len(lines) - mostListed; more > 0 {
			fmt.Fprintf(w, "  and %s\n", several(more, "more column"))
		}
		if f.spend.rows == 0 && len(p.Columns) > 0 {
			fmt.Fprintf(w, "Each column has at most %d cuts because --rows is not stated; with many rows it can have more.\n", p.Cuts)
		}
		if empty {
			fmt.Fprint(w, "In a column with 0 values, no value has enough rows; delete its attribute from the schema, or list its values from public knowledge. A new profile with a larger ε or δ consumes budget again.\n")
		}
		_, err := fmt.Fprintf(w, "\n%s", report.Guarantee("schema", p.Guarantee, p.Void.Text(), &earlier))
		return err
	})
	noteSpent(cmd, p.Guarantee, p.Void, f.spend.account)
	return err
}
