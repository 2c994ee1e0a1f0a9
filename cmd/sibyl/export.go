package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newExport() *cobra.Command {
	f := &exportFlags{}
	var dialects []string
	for _, d := range export.Dialects {
		dialects = append(dialects, d.Name)
	}
	cmd := &cobra.Command{
		Use:   "export model.json --format sql --table patients",
		Short: "Write a model as SQL, for databases to predict with",
		Long: `Export writes a model in a language in which others run it. With --format sql that is
one SELECT over a table whose columns have the names of the schema's, with a row for each of
its rows: "prediction", the number of an outcome of two and the name of one of more; "points"
for scorecards and other sums ("rule" for decision lists, "leaf" for trees, as predict calls
them); and "risk" where the model states risks ("risk of low" for more than two outcomes).
With --id the first column is one of the data, which says whose prediction a row is.

Each row has what predict writes of it, read from the same table, whatever the type and the
collation of a column: all is NULL where a value lies outside the schema's domain. Moments and
bytes are compared by the text that the database shows; cast their columns in a view where the
schema writes them in another way. What is written tells no more than the model does.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("the command takes one model, as in: sibyl export model.json --format sql --table patients")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "sql", "the language: "+strings.Join(formatNames(), ", "))
	flags.StringVar(&f.options.Dialect, "dialect", dialects[0], "of SQL: "+strings.Join(dialects, ", "))
	f.options.Table = "data"
	textVar(flags, &f.options.Table, "table", "the `table` or view that is selected from, in SQL")
	textVar(flags, &f.options.ID, "id", "select this `column` of the data beside the predictions")
	pathVar(flags, &f.out, "out", "a `file` to write (default standard output)")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
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

// exportedModel is the output of export --json.
type exportedModel struct {
	Format string `json:"format"`
	Out    string `json:"out,omitempty"`
	Text   string `json:"text,omitempty"` // where it is written to no file

	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate model.Void         `json:"not_private,omitempty"`
}

func (f *exportFlags) run(cmd *cobra.Command, path string) error {
	at := slices.IndexFunc(export.Formats, func(known export.Format) bool { return known.Name == f.format })
	if at < 0 {
		return fmt.Errorf("--format %s is unknown; it must be %s", quote.Word(f.format), strings.Join(formatNames(), " or "))
	}
	format := export.Formats[at]
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
	result := exportedModel{Format: format.Name, Out: f.out, Guarantee: m.Guarantee, NotPrivate: m.Void}
	if m.Guarantee == nil {
		note(cmd, "NOT PRIVATE: %s", m.Void.Text())
	}
	if f.out == "" {
		result.Text = string(text)
		return printing(cmd, result, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	out, err := publish.NewDraft(cmd.Context(), files, f.out, f.force, publish.ForAll)
	if err != nil {
		return err
	}
	defer out.Discard()
	if _, err := out.Write(text); err != nil {
		return err
	}
	if err := out.Publish(cmd.Context()); err != nil {
		return err
	}
	return printing(cmd, result, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %s.\n", quote.Name(f.out), format.What)
		return err
	})
}
