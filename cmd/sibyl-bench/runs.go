package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

// runsFlags are the flags that the commands tables and synth share, such as the public tables, the values of ε and
// the number of releases for each of them. Fill the struct with the defaults of the flags, then call register.
type runsFlags struct {
	directory, data, schema string
	tables, epsilons        []string
	delta, relation         string
	draws                   int
	limit                   time.Duration
	out                     string
	force                   bool
}

// register defines the flags. The parameter noun is the word in their help for what the command compares, such as
// "method".
func (c *runsFlags) register(cmd *cobra.Command, noun string) {
	flags := cmd.Flags()
	cli.PathVar(flags, &c.directory, "data-dir", "the `directory` of the public tables")
	flags.StringSliceVar(&c.tables, "table", nil, "a `table` to run on; repeatable (default: the public tables, if --data-dir is given, and some generated ones)")
	cli.PathVar(flags, &c.data, "data", "a `file` with a public table of your own to run on")
	cli.PathVar(flags, &c.schema, "schema", "the schema of --data, a TOML `file`")
	flags.StringSliceVar(&c.epsilons, "epsilons", c.epsilons, "the `ε`s")
	flags.StringVar(&c.delta, "delta", c.delta, "the `δ` of mechanisms that need one")
	flags.StringVar(&c.relation, "relation", c.relation, "what neighbouring tables differ in: replace or add-remove")
	flags.IntVar(&c.draws, "draws", c.draws, "`draws` of each "+noun+" on each table at each ε")
	flags.DurationVar(&c.limit, "limit", c.limit, "end a draw after this `time`, and skip the further draws of its "+noun+" on this table")
	cli.PathVar(flags, &c.out, "out", "a `file` to which the results are written, one line of JSON each")
	flags.BoolVar(&c.force, "force", false, "replace an existing file")
}

// read checks the flags and returns the parameters of the runs.
func (c *runsFlags) read(cmd *cobra.Command) (r experiment.Runs, err error) {
	if err := named(cmd, "table", "epsilons"); err != nil {
		return r, err
	}
	switch {
	case c.draws < 1:
		return r, fmt.Errorf("--draws %d must be positive", c.draws)
	case c.limit <= 0:
		return r, fmt.Errorf("--limit %v must be positive", c.limit)
	case (c.data == "") != (c.schema == ""):
		return r, errors.New("--data and --schema must be given together")
	}
	r.Draws, r.Limit = c.draws, c.limit
	if err := r.Relation.UnmarshalText([]byte(c.relation)); err != nil {
		return r, fmt.Errorf("--relation %w", err)
	}
	if r.Delta, err = privacy.ParseDecimal(c.delta); err != nil {
		return r, fmt.Errorf("--delta %w", err)
	}
	for _, text := range c.epsilons {
		if err := checkEpsilon(text); err != nil {
			return r, err
		}
		e, err := privacy.ParseDecimal(text)
		if err != nil {
			return r, err
		}
		r.Epsilons = append(r.Epsilons, e)
	}
	return r, nil
}

// named returns an error if the user has set one of the given flags to an empty list.
func named(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		list, err := cmd.Flags().GetStringSlice(name)
		if err != nil {
			return err
		}
		if cmd.Flags().Changed(name) && len(list) == 0 {
			return fmt.Errorf("--%s is empty; leave it out for the defaults", name)
		}
	}
	return nil
}

// settle determines the tables: those of --table and --data or, if the user gives neither flag, the default tables.
// Then it calls the function check with the name of each table except that of --data.
func (c *runsFlags) settle(defaults []string, check func(name, directory string) error) error {
	if len(c.tables) == 0 && c.data == "" {
		c.tables = defaults
	}
	for _, name := range c.tables {
		if err := check(name, c.directory); err != nil {
			return fmt.Errorf("--table %w", err)
		}
	}
	return nil
}

// A measured is the result of one method on one table with one ε. Its method Line returns the result as a row of the
// printed table.
type measured interface{ Line() []string }

// A contest holds what a benchmark needs to compare methods: how to find tables, how to run the methods on a table,
// and how to print the results.
type contest struct {
	columns []string // the header of the printed table
	align   string
	files   []string // the files from which the named tables are read

	find func(ctx context.Context, name, directory string) (*experiment.Sample, error)
	read func(ctx context.Context, data, schema string) (*experiment.Sample, error)
	on   func(ctx context.Context, of *experiment.Sample, tell func(measured)) error
	more func(name string) [][]string // returns lines to print below those of the named table; nil if there are none

	conclude func(w io.Writer) error // writes a text below the table of all results; nil if there is none
}

// compete runs all methods on all tables. It prints each result as soon as it is known, and the table of all results
// at the end.
func (c *runsFlags) compete(cmd *cobra.Command, of contest) error {
	ctx := cmd.Context()
	if c.data != "" {
		of.files = append(of.files, c.data, c.schema)
	}
	files, err := cli.Claim(cmd, false, of.files...)
	if err != nil {
		return err
	}
	var out *publish.Draft
	if c.out != "" {
		if out, err = publish.NewDraft(ctx, files, c.out, c.force, publish.ForAll); err != nil {
			return err
		}
		defer out.Discard()
	}
	asJSON, err := cmd.Flags().GetBool("json")
	if err != nil {
		return err
	}
	lines := [][]string{of.columns}
	var failed error
	tell := func(m measured) {
		lines = append(lines, m.Line())
		if asJSON {
			failed = errors.Join(failed, writeLine(cmd.OutOrStdout(), m))
		} else {
			cli.Note(cmd, "%s", strings.Join(m.Line(), "  "))
		}
		if out != nil {
			failed = errors.Join(failed, writeLine(out, m))
		}
	}
	on := func(s *experiment.Sample, err error) error {
		if err == nil {
			err = of.on(ctx, s, tell)
		}
		return errors.Join(err, failed)
	}
	for _, name := range c.tables {
		if err := on(of.find(ctx, name, c.directory)); err != nil {
			return err
		}
		if of.more != nil {
			lines = append(lines, of.more(name)...)
		}
	}
	if c.data != "" {
		if err := on(of.read(ctx, c.data, c.schema)); err != nil {
			return err
		}
	}
	cli.Note(cmd, "NOT PRIVATE: these measurements are for public data only.")
	if out != nil {
		if err := out.Publish(ctx); err != nil {
			return err
		}
	}
	if asJSON {
		return nil
	}
	if err := report.WriteTable(cmd.OutOrStdout(), lines, of.align); err != nil || of.conclude == nil {
		return err
	}
	return of.conclude(cmd.OutOrStdout())
}

// writeLine writes a value as a line of JSON.
func writeLine(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}
