package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

func newCount() *cobra.Command {
	f := &countFlags{}
	cmd := &cobra.Command{
		Use:   "count --data F --schema S --order 2 --out counts.parquet",
		Short: "Count the data exactly, into a private file that stands for it",
		Long: `Count writes the exact counts of sub-tables of the data: of all lists of --order
attributes together with the label, or of all attributes (--all). The file takes the
place of the data in other commands, as --data counts.parquet, as far as they ask for
no more than follows from it: it is refused before anything is spent otherwise. A file
with --all does for everything that does not read row by row.

There is no privacy in it: the file is as private as the data, and only its owner can
read it.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	flags := cmd.Flags()
	pathVar(flags, &f.schema, "schema", "the schema, a TOML `file`")
	flags.IntVar(&f.order, "order", 2, "count marginals of up to this number of `attributes`, each with the label")
	flags.BoolVar(&f.all, "all", false, "count all attributes together: the distinct records")
	pathVar(flags, &f.out, "out", "the `file` for the counts, Parquet")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	for _, name := range []string{"schema", "out"} {
		must(cmd.MarkFlagRequired(name))
	}
	return cmd
}

type countFlags struct {
	data        dataFlags
	schema, out string
	order       int
	all, force  bool
}

// counted is the output of count --json.
type counted struct {
	Out   string `json:"out"`
	Order int    `json:"order"` // attributes that are counted together
	Lists int    `json:"lists"`
}

func (f *countFlags) run(cmd *cobra.Command) error {
	if f.all && cmd.Flags().Changed("order") {
		return errors.New("--all and --order exclude each other; leave one of them out")
	}
	schema, err := release.ReadDomain(f.schema)
	if err != nil {
		return err
	}
	if f.all {
		f.order = len(schema.Attributes)
	}
	lists, err := source.Lists(schema, f.order)
	if err != nil {
		return err
	}
	files, err := claimInputs(cmd, &f.data, f.schema)
	if err != nil {
		return err
	}
	out, err := publish.NewDraft(cmd.Context(), files, f.out, f.force, publish.ForCurator)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := f.count(cmd, out, schema, lists); err != nil {
		return err
	}
	if err := out.Publish(cmd.Context()); err != nil {
		return err
	}
	noteCurator(cmd)
	value := counted{f.out, len(lists[0]), len(lists)}
	return printing(cmd, value, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: exact counts of %s. It is as private as the data: delete it when it has served.\n", quote.Name(f.out), value.what())
		return err
	})
}

// count counts at the source of the data, except for the distinct records, which are the table
// itself.
func (f *countFlags) count(cmd *cobra.Command, out io.Writer, s *table.Schema, lists [][]int) error {
	b := newBar(cmd)
	defer b.erase()
	ctx, from := cmd.Context(), f.data.from(cmd, b)
	if len(lists[0]) == len(s.Attributes) {
		t, err := from.Table(ctx, s)
		if err != nil {
			return err
		}
		return source.WriteCounts(ctx, out, s, t, lists)
	}
	if err := from.Ready(ctx, s, table.Asks{Columns: lists}); err != nil {
		return err
	}
	c, done, err := from.Counts(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	return source.WriteCounts(ctx, out, s, c, lists)
}

// what describes the counts.
func (c counted) what() string {
	attributes := "1 attribute"
	if c.Order > 1 {
		attributes = fmt.Sprintf("%d attributes together", c.Order)
	}
	if c.Lists == 1 {
		return attributes
	}
	return fmt.Sprintf("%d lists of %s", c.Lists, attributes)
}
