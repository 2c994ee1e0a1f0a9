package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newSchema() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Draft a schema from public facts, or complete it from private data",
		Long: `Schema drafts a schema from facts that are public: the names of the columns (new),
or metadata that is published or held in a database's catalog (import). Neither of
these commands reads a row of the table. What these facts do not determine stays open
in the schema: "kind" then states what is known, and a person adds values, groups or
cuts from public knowledge. Profile chooses missing cuts and categories from private
data, with differential privacy. Other commands refuse a schema with open columns.

  sibyl schema new --data people.csv --header --out people.toml
  sibyl schema import datapackage.json --out people.toml
  sibyl schema profile --data people.csv --schema people.toml --epsilon 0.2 --out full.toml`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSchemaNew(), newSchemaImport(), newSchemaProfile())
	return cmd
}

// draftFlags are the flags that the commands schema new and schema import share: public facts about the columns, and
// the output file.
type draftFlags struct {
	known         schema.Known
	label, person string
	out           string
	force         bool
}

func (f *draftFlags) register(cmd *cobra.Command) {
	flags, k := cmd.Flags(), &f.known
	textVar(flags, &f.label, "label", "the `column` to predict, with its positive and its negative value, such as y=yes/no, or with three or more values")
	textVar(flags, &f.person, "person", "the `column` that identifies persons, and the maximum number of rows that are used per person, such as patient_id:3")
	namesVar(flags, &k.Number, "number", "the `columns` that contain numbers, separated by commas")
	namesVar(flags, &k.Range, "range", "columns of numbers with public `ranges`, separated by commas, such as age=0..120 for integers and weight=0.0..400.0 for numbers with one decimal")
	namesVar(flags, &k.Category, "category", "the `columns` that contain categories, separated by commas")
	namesVar(flags, &k.Date, "date", "the `columns` that contain dates, separated by commas, each with or without its format iso, d.m.y, m/d/y or epoch, such as admitted,born=d.m.y")
	textVar(flags, &k.Others, "others", "the `kind` of all other columns, for which neither a flag nor metadata states one: number, category or date (default: it stays open)")
	namesVar(flags, &k.Drop, "drop", "the `columns` of the data that the schema leaves out, separated by commas")
	textVar(flags, &k.Name, "name", "a `title` for the schema")
	textVar(flags, &k.Public, "public", "the person or organization `who` asserts that these facts are public; the schema records it")
	cli.PathVar(flags, &f.out, "out", "a `file` to which the schema is written, as TOML (default: standard output)")
	flags.BoolVar(&f.force, "force", false, "replace the output file if it exists")
}

// read parses the values of the flags --label and --person.
func (f *draftFlags) read() error {
	k := &f.known
	k.Label = f.label
	if at := strings.IndexByte(f.label, '='); at >= 0 {
		k.Label, k.Outcomes = f.label[:at], strings.Split(f.label[at+1:], "/")
	}
	k.Person = f.person
	if at := strings.LastIndexByte(f.person, ':'); at >= 0 {
		most, err := strconv.Atoi(f.person[at+1:])
		if err != nil || most < 1 {
			return fmt.Errorf("--person %s has no positive number after the colon; write the maximum number of rows counted per person there, as in patient_id:3", quote.Word(f.person))
		}
		k.Person, k.MostRows = f.person[:at], most
	}
	if f.label != "" && k.Label == "" {
		return errors.New("--label names no column; write it as in --label y=yes/no")
	}
	if f.person != "" && k.Person == "" {
		return errors.New("--person names no column; write it as in --person patient_id:3")
	}
	return nil
}

// drafted is the output of the commands sibyl schema new and sibyl schema import with --json.
type drafted struct {
	Out        string        `json:"out,omitempty"`
	Text       string        `json:"text,omitempty"` // the schema, if it is not written to a file
	Attributes int           `json:"attributes"`
	Open       []schema.Open `json:"open"`
	unranged   bool          // whether an open column of numbers has no range
	commas     bool          // whether the numbers of the table may have a decimal comma
	most       int           // the maximum number of rows used per person; 0 if a row is a person, or if it is open
}

// write writes the drafted schema, and lists its open columns, to which the user must still add values, groups or
// cuts.
func (f *draftFlags) write(cmd *cobra.Command, d *schema.Draft, inputs ...string) error {
	text, err := d.TOML()
	if err != nil {
		return err
	}
	files, err := claimInputs(cmd, nil, inputs...)
	if err != nil {
		return err
	}
	result := drafted{Out: f.out, Attributes: len(d.Columns), Open: append([]schema.Open{}, d.Open()...), unranged: d.LacksRanges(), commas: d.MayHaveCommas()}
	if d.Person != nil {
		result.most = d.Person.Most
	}
	if f.out == "" {
		result.Text = string(text)
		return cli.Print(cmd, result, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	if err := publishText(cmd, files, f.out, f.force, text); err != nil {
		return err
	}
	return cli.Print(cmd, result, result.write)
}

// mostListed is the maximum number of open columns of one kind that are printed. The written schema contains all
// columns.
const mostListed = 40

func (r drafted) write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: a schema of %s.\n", quote.Name(r.Out), several(r.Attributes, "attribute"))
	if len(r.Open) > 0 {
		fmt.Fprintf(&b, "Open, to be completed from public knowledge:\n")
		kinds, columns := openByKind(r.Open)
		for _, o := range kinds {
			kind := "kind " + o.Kind
			if o.Kind == "person" {
				kind = "the person's column"
			}
			names := columns[o]
			if more := len(names) - mostListed; more > 0 {
				names = append(names[:mostListed:mostListed], several(more, "more column"))
			}
			fmt.Fprintf(&b, "  %s (%s): add %s\n", strings.Join(names, ", "), kind, o.Needs)
		}
		of := func(kinds ...string) bool {
			return slices.ContainsFunc(r.Open, func(o schema.Open) bool { return slices.Contains(kinds, o.Kind) })
		}
		if of(table.UnknownKind) {
			fmt.Fprintf(&b, "To state the kind of a column: --number, --range, --category or --date\n")
		}
		if r.unranged {
			fmt.Fprintf(&b, "To write synthetic numbers later, first state their public ranges: --range\n")
		}
		if of(table.NumberKind, table.CategoryKind, table.UnknownKind) {
			fmt.Fprintf(&b, "To let the curator check that numbers and dates can be read: sibyl check\n")
			fmt.Fprintf(&b, "To choose cuts and categories from the private table with differential privacy: sibyl schema profile\n")
		}
	}
	if r.commas {
		fmt.Fprintf(&b, "Semicolons separate the columns. If the numbers have a decimal comma, first add decimal = \",\" to [file], or run the command with --decimal ,\n")
	}
	if r.most > 0 {
		fmt.Fprintf(&b, "Releases protect persons with up to %s. Open their account with --relation %v.\n", several(r.most, "row"), privacy.ReplaceOne.OfPersons(r.most))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// openByKind groups the open columns of a schema by the information that they lack. The slice kinds has one element
// for each group, with an empty column name, in the order of the schema. The map columns holds the quoted names of
// the columns in each group.
func openByKind(open []schema.Open) (kinds []schema.Open, columns map[schema.Open][]string) {
	columns = map[schema.Open][]string{}
	for _, o := range open {
		name := quote.Name(o.Column)
		o.Column = ""
		if columns[o] == nil {
			kinds = append(kinds, o)
		}
		columns[o] = append(columns[o], name)
	}
	return kinds, columns
}

// several formats a number of things, as in "1 column" or "2 columns".
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
