package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

func newExport() *cobra.Command {
	f := &exportFlags{}
	var dialects []string
	for _, d := range export.Dialects {
		dialects = append(dialects, d.Name)
	}
	cmd := &cobra.Command{
		Use:   "export model.json --format python --out card.py",
		Short: "Write a model as a program, a query or a file for other software",
		Long: `Export writes a model in another language, for the place where decisions are made. For each
record, the exported program gives the result that predict writes for the same values. The
export states the guarantee of the model, and reveals no more than the model. The formats are:

` + formatsHelp() + `
All results have the prediction (1 or 0, or the name of one of more than two outcomes), the
points, rule or leaf, and the risk if the model states one. They are empty if a value lies
outside the schema's domain. A feature of the model that a format cannot express is refused.

With --format sql the result is one SELECT statement. It reads a table whose columns have the
names that the schema uses, and returns a row for each of its rows. The values are those
that predict writes for the same table, for any type and collation of its columns. Dates,
times and byte strings are compared by the text that the database prints for them; if the
schema writes them in another way, cast these columns in a view.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("export needs one model file, as in: sibyl export model.json --format python --out card.py")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "sql", "the format in which the model is written: "+strings.Join(formatNames(), ", "))
	flags.StringVar(&f.options.Dialect, "dialect", dialects[0], "for --format sql: the SQL dialect: "+strings.Join(dialects, ", "))
	f.options.Table = export.UsualTable
	textVar(flags, &f.options.Table, "table", "for --format sql: the `table` or view that the statement reads, named without its schema")
	textVar(flags, &f.options.ID, "id", "for --format sql: also return this `column` of the table, which identifies its rows")
	cli.PathVar(flags, &f.out, "out", "the `file` to write (default: standard output)")
	flags.BoolVar(&f.force, "force", false, "replace the output file if it exists")
	return cmd
}

// formatsHelp returns the lines of the help that describe the export formats.
func formatsHelp() string {
	var b strings.Builder
	for _, format := range export.Formats {
		fmt.Fprintf(&b, "  %-10s  %s\n", format.Name, format.What)
	}
	return b.String()
}

func formatNames() (names []string) {
	for _, format := range export.Formats {
		names = append(names, format.Name)
	}
	return names
}

type exportFlags struct {
	format  string
	options export.Options
	out     string
	force   bool
}

// exportedModel is the output of the command sibyl export with --json.
type exportedModel struct {
	Format string `json:"format"`
	Out    string `json:"out,omitempty"`
	Text   string `json:"text,omitempty"` // the exported program, if it is not written to the file Out

	guaranteed
}

func (f *exportFlags) run(cmd *cobra.Command, path string) error {
	at := slices.IndexFunc(export.Formats, func(known export.Format) bool { return known.Name == f.format })
	if at < 0 {
		return fmt.Errorf("--format %s is unknown; it must be %s", quote.Word(f.format), strings.Join(formatNames(), " or "))
	}
	format := export.Formats[at]
	if format.Name != "sql" {
		for _, name := range []string{"dialect", "table", "id"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s is for --format sql; leave it out", name)
			}
		}
	}
	if format.Binary && f.out == "" {
		return fmt.Errorf("--format %s is not text; name a file with --out", format.Name)
	}
	m, err := readModel(path)
	if err != nil {
		return err
	}
	text, err := format.Write(m, f.options)
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	files, err := claimInputs(cmd, nil, path)
	if err != nil {
		return err
	}
	result := exportedModel{Format: format.Name, Out: f.out, guaranteed: guaranteeOf(m.Guarantee, m.Void, m.Schema)}
	if m.Guarantee == nil {
		cli.Note(cmd, "NOT PRIVATE: %s", m.Void.Text())
	}
	if format.Name == "sql" && writesCommas(m.Schema) {
		cli.Note(cmd, "The statement reads numbers from columns of numbers. A text with a decimal comma counts as a missing value, so import such columns as numbers.")
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
	return cli.Print(cmd, result, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s.\n", quote.Name(f.out), format.What)
		return err
	})
}

// writesCommas reports whether the data files that a schema describes have numbers with a decimal
// comma.
func writesCommas(s *table.Schema) bool {
	return s.File.Decimal == ',' && slices.ContainsFunc(s.Attributes, func(a table.Attribute) bool { return len(a.Cuts) > 0 && !a.IsDate() })
}
