package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newSchemaProfile() *cobra.Command {
	f := &profileFlags{}
	cmd := &cobra.Command{
		Use:   "profile --data people.csv --schema people.toml --epsilon 0.2 --out full.toml",
		Short: "Choose missing cuts of numbers from private data, with differential privacy",
		Long: `Profile completes the attributes of a schema that have kind = "number" and no cuts.
It chooses their cuts from the private data with differential privacy: quantiles with
random errors, and cuts around values that many rows have. The budget is divided
evenly among these columns. There are at most 31 cuts of each; the number follows
from --rows and ε.

The cuts are numbers of a public grid. If an attribute has draw, least and most, the
grid lies within them. Otherwise it has the numbers of three significant digits.

The output is the schema with these cuts and a [[profile]], which states the guarantee.
Every release with this schema from data of the same people adds to this guarantee;
sibyl show prints the sum.

With --plan it prints the number of cuts and their expected error, and reads no data.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.registerOptional(cmd)
	f.spend.register(cmd, "the privacy loss `ε`, a decimal such as 0.2")
	f.spend.registerRelation(cmd, privacy.ReplaceOne.String())
	flags := cmd.Flags()
	flags.StringVar(&f.spend.delta, "delta", "0", "the `δ` of an (ε, δ) guarantee, such as 1e-9, which allows more accurate cuts of many columns; 0 for a pure guarantee")
	pathVar(flags, &f.schema, "schema", "the open schema, a TOML `file`, such as sibyl schema new writes")
	pathVar(flags, &f.out, "out", "the `file` for the completed schema, TOML")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	flags.BoolVar(&f.plan, "plan", false, "print the expected error of the cuts, without reading data")
	for _, name := range []string{"schema", "epsilon"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

type profileFlags struct {
	data   dataFlags
	schema string
	spend  spendFlags
	out    string
	force  bool
	plan   bool
}

func (f *profileFlags) run(cmd *cobra.Command) error {
	var spend release.Request
	if err := f.spend.read(cmd, &spend); err != nil {
		return err
	}
	switch {
	case f.plan && (f.data.location != "" || f.out != "" || f.spend.account != "" && cmd.Flags().Changed("account")):
		return fmt.Errorf("--plan reads no data and writes nothing; leave --data, --out and --account out")
	case !f.plan && f.data.location == "":
		return fmt.Errorf("--data is missing; name the private data, or give --plan")
	case !f.plan && f.out == "":
		return fmt.Errorf("--out is missing; name a file for the completed schema")
	}
	text, err := readSchemaText(f.schema)
	if err != nil {
		return err
	}
	r := release.Profile{Name: f.schema, Text: text, Epsilon: spend.Epsilon, Delta: spend.Delta, Relation: spend.Relation, Rows: spend.Rows, Seed: spend.Seed}
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

// readSchemaText reads the text of a schema.
func readSchemaText(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema cannot be read: %w", source.FileName(path), publish.Inner(err))
	}
	defer file.Close()
	text, err := table.ReadDocument(file)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema cannot be read: %w", quote.Name(path), err)
	}
	return text, nil
}

// plannedProfile is the output of schema profile --plan --json.
type plannedProfile struct {
	Columns   []string           `json:"columns"`
	Cuts      int                `json:"most_cuts"`
	RankError float64            `json:"expected_rank_error"` // in rows or persons
	Guarantee *privacy.Statement `json:"guarantee"`
}

func (f *profileFlags) announcePlan(cmd *cobra.Command, p *release.PreparedProfile, r release.Profile) error {
	if _, err := claimInputs(cmd, nil, f.schema); err != nil {
		return err
	}
	caution(cmd, r.Epsilon)
	return printing(cmd, plannedProfile{p.Columns, p.Cuts, p.RankError, p.Guarantee}, func(w io.Writer) error {
		_, err := io.WriteString(w, f.expectation(p, r.Rows))
		return err
	})
}

// expectation describes the cuts that a release would choose.
func (f *profileFlags) expectation(p *release.PreparedProfile, rows int64) string {
	unit := p.Domain().Unit(2)
	share := ""
	if rows > 0 {
		share = fmt.Sprintf(" of %d (%.2g %%)", rows, 100*p.RankError/float64(rows))
	}
	return fmt.Sprintf("At most %d cuts of each of %s.\nA cut misses its rank by about %.0f %s%s on average, if the values of its column are spread widely.\n",
		p.Cuts, several(len(p.Columns), "column"), p.RankError, unit, share)
}

// profiledColumn is a column in the output of schema profile --json.
type profiledColumn struct {
	Column string `json:"column"`
	Cuts   int    `json:"cuts"`
}

// profiled is the output of schema profile --json.
type profiled struct {
	Out        string             `json:"out"`
	Columns    []profiledColumn   `json:"columns"`
	RankError  float64            `json:"expected_rank_error"`
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`
}

func (f *profileFlags) announce(cmd *cobra.Command, p *release.PreparedProfile, out *release.Profiled) error {
	value := profiled{Out: f.out, RankError: p.RankError, Guarantee: p.Guarantee, NotPrivate: p.Void}
	for j, name := range p.Columns {
		value.Columns = append(value.Columns, profiledColumn{name, out.Cuts[j]})
	}
	err := printing(cmd, value, func(w io.Writer) error {
		fmt.Fprintf(w, "%s: a schema with cuts of %s.\n", quote.Name(f.out), several(len(p.Columns), "column"))
		for _, c := range value.Columns[:min(len(value.Columns), mostListed)] {
			fmt.Fprintf(w, "  %s: %s\n", quote.Name(c.Column), several(c.Cuts, "cut"))
		}
		if more := len(value.Columns) - mostListed; more > 0 {
			fmt.Fprintf(w, "  and %s\n", several(more, "more column"))
		}
		_, err := fmt.Fprintf(w, "\n%s", report.Guarantee("schema", p.Guarantee, p.Void.Text(), p.Domain()))
		return err
	})
	noteSpent(cmd, p.Guarantee, p.Void, f.spend.account)
	return err
}
