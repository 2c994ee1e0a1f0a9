package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
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
		Short: "Write exact counts of the data to a private file that can replace the data",
		Long: `Count writes exact counts of the data to a file: the marginals of all sets of --order
attributes, each with the label, or the counts of all distinct records (--all). Other
commands read this file in place of the data, as --data counts.parquet, if its counts
suffice for them. Otherwise they refuse it before any budget is consumed. Counts of all
distinct records suffice for every command that does not need single rows.

The counts are not private: protect the file like the data. Only its owner can read it.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	flags := cmd.Flags()
	cli.PathVar(flags, &f.schema, "schema", "the schema, a TOML `file` that lists the columns and their possible values")
	flags.IntVar(&f.order, "order", 2, "the number of `attributes` of a marginal; a marginal has the counts of all combinations of their values and the label")
	flags.BoolVar(&f.all, "all", false, "count all distinct records, instead of marginals")
	cli.PathVar(flags, &f.out, "out", "the Parquet `file` to which the counts are written")
	flags.BoolVar(&f.force, "force", false, "replace the output file if it exists")
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

// counted is the output of the command sibyl count with --json.
type counted struct {
	Out   string `json:"out"`
	Order int    `json:"order"` // the number of attributes of each marginal
	Lists int    `json:"lists"` // the number of marginals
}

func (f *countFlags) run(cmd *cobra.Command) error {
	if f.all && cmd.Flags().Changed("order") {
		return errors.New("--all and --order cannot be used together; remove one of them")
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
	err = publishFile(cmd, files, f.out, f.force, publish.ForCurator, func(w io.Writer) error { return f.count(cmd, w, schema, lists) })
	if err != nil {
		return err
	}
	noteCurator(cmd)
	value := counted{f.out, len(lists[0]), len(lists)}
	return cli.Print(cmd, value, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: exact counts of %s. The file is as private as the data: delete it after use.\n", quote.Name(f.out), value.what())
		return err
	})
}

// count writes one marginal for each list of attributes. All lists must have the same length. If they contain all
// attributes, count reads the whole table into memory to count its distinct records.
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
	if err := from.Ready(ctx, s, table.Queries{Columns: lists}); err != nil {
		return err
	}
	c, done, err := from.Counts(ctx, s, table.Queries{Columns: lists})
	if err != nil {
		return err
	}
	defer done()
	return source.WriteCounts(ctx, out, s, c, lists)
}

// what describes the written counts, as in "3 marginals of 2 attributes".
func (c counted) what() string {
	marginals, attributes := "1 marginal", "1 attribute"
	if c.Order > 1 {
		attributes = fmt.Sprintf("%d attributes", c.Order)
	}
	if c.Lists > 1 {
		marginals = fmt.Sprintf("%d marginals", c.Lists)
	}
	return fmt.Sprintf("%s of %s", marginals, attributes)
}
