package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/experiment"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/publish"
	"github.com/sibyl-dp/sibyl/release"
	"github.com/sibyl-dp/sibyl/report"
)

func newBenchTables() *cobra.Command {
	f := &tablesFlags{}
	cmd := &cobra.Command{
		Use:   "tables --data-dir DIR",
		Short: "Compare what learn would choose with its alternatives, on many tables",
		Long: `Tables learns from seven rows of ten of each table, by each method at each ε, and
tests what is released on the other rows: accuracy and area under the curve with
their standard errors, the seconds of a draw, on average and at most, those of all
processors at most, and the memory that the process held. Its numbers are NOT private: it is for public data.

A table is one of ` + strings.Join(experiment.PublicSamples(), ", ") + `,
whose files are below DIR, or made up: LABEL:ATTRIBUTESxCATEGORIES:ROWS:SEED, such
as tree:14x6:20000:1; the label follows one of ` + strings.Join(experiment.Follows(), ", ") + `.
A table of your own is read with --data and --schema. A method is "chosen", what
learn takes by itself, or a class with parameters, such as "tree --depth 3".`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	pathVar(flags, &f.directory, "data-dir", "the `directory` of the public tables")
	flags.StringSliceVar(&f.tables, "table", nil, "a `table`; repeatable; without any, all public ones where there is a directory, and some that are made up")
	pathVar(flags, &f.data, "data", "a `file` with a table of your own, which is public")
	pathVar(flags, &f.schema, "schema", "its schema, a TOML `file`")
	flags.StringSliceVar(&f.methods, "method", nil, "a `method`; repeatable; without any, chosen and every class with its usual parameters")
	flags.StringSliceVar(&f.epsilons, "epsilons", []string{"0.1", "0.5", "1", "3"}, "the `ε`s")
	flags.StringVar(&f.delta, "delta", "0", "the `δ` of methods that need one, which are left out otherwise")
	flags.StringVar(&f.relation, "relation", privacy.ReplaceOne.String(), "what neighbouring tables differ in: replace or add-remove")
	flags.BoolVar(&f.bench.Unstated, "unstated", false, "do not tell methods the number of rows")
	flags.IntVar(&f.bench.Draws, "draws", 10, "`draws` of each method on each table at each ε")
	flags.Uint64Var(&f.bench.Seed, "seed", 1, "divide tables by this `number`")
	flags.DurationVar(&f.bench.Limit, "limit", time.Minute, "end a draw after that `time`, and its method on that table with it")
	pathVar(flags, &f.out, "out", "a `file` for the results, one line of JSON each")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type tablesFlags struct {
	bench                               experiment.Tables
	directory, data, schema, out, delta string
	relation                            string
	tables, methods, epsilons           []string
	force                               bool
}

func (f *tablesFlags) run(cmd *cobra.Command) error {
	for name, words := range map[string][]string{"table": f.tables, "method": f.methods, "epsilons": f.epsilons} {
		if cmd.Flags().Changed(name) && len(words) == 0 {
			return fmt.Errorf("--%s names nothing; leave it out for the usual ones", name)
		}
	}
	if err := f.read(); err != nil {
		return err
	}
	files, err := claimInputs(cmd, nil, f.inputs()...)
	if err != nil {
		return err
	}
	var out *publish.Draft
	if f.out != "" {
		if out, err = publish.NewDraft(cmd.Context(), files, f.out, f.force, publish.ForAll); err != nil {
			return err
		}
		defer out.Discard()
	}
	asJSON, err := cmd.Flags().GetBool("json")
	if err != nil {
		return err
	}
	lines := [][]string{experiment.TrialColumns()}
	var failed error
	f.bench.Tell = func(t experiment.Trials) {
		lines = append(lines, t.Line())
		if asJSON {
			failed = errors.Join(failed, writeLine(cmd.OutOrStdout(), t))
		} else {
			note(cmd, "%s", strings.Join(t.Line(), "  "))
		}
		if out != nil {
			failed = errors.Join(failed, writeLine(out, t))
		}
	}
	for _, load := range f.samples(cmd) {
		s, err := load()
		if err != nil {
			return err
		}
		if err := f.bench.On(cmd.Context(), s); err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
	}
	note(cmd, "NOT PRIVATE: what is measured here is for public data alone.")
	if out != nil {
		if err := out.Publish(cmd.Context()); err != nil {
			return err
		}
	}
	if asJSON {
		return nil
	}
	return report.WriteTable(cmd.OutOrStdout(), lines, "lrlrrrrrrl")
}

// writeLine writes a value as a line of JSON.
func writeLine(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// read checks the flags.
func (f *tablesFlags) read() error {
	b := &f.bench
	switch {
	case b.Draws < 1:
		return fmt.Errorf("--draws %d is no number of draws", b.Draws)
	case b.Limit <= 0:
		return fmt.Errorf("--limit %v is no time", b.Limit)
	case (f.data == "") != (f.schema == ""):
		return errors.New("--data and --schema go together: a table needs its public domain")
	}
	if err := b.Relation.UnmarshalText([]byte(f.relation)); err != nil {
		return fmt.Errorf("--relation %w", err)
	}
	var err error
	if b.Delta, err = privacy.ParseDecimal(f.delta); err != nil {
		return fmt.Errorf("--delta %w", err)
	}
	if b.Delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("--delta %s is not below 1", b.Delta)
	}
	for _, text := range f.epsilons {
		if err := checkEpsilon(text); err != nil {
			return err
		}
		e, err := privacy.ParseDecimal(text)
		if err != nil {
			return err
		}
		b.Epsilons = append(b.Epsilons, e)
	}
	if b.Methods = f.methods; len(b.Methods) == 0 {
		b.Methods = experiment.UsualMethods()
	}
	for _, m := range b.Methods {
		if m != experiment.Chosen {
			if err := release.CheckName(m); err != nil {
				return fmt.Errorf("--method %w", err)
			}
		}
	}
	if len(f.tables) == 0 && f.data == "" {
		f.tables = experiment.UsualSamples(f.directory != "")
	}
	for _, name := range f.tables {
		if err := experiment.CheckSample(name, f.directory); err != nil {
			return fmt.Errorf("--table %w", err)
		}
	}
	return nil
}

// inputs are the paths of all files that are read.
func (f *tablesFlags) inputs() []string {
	paths := experiment.SampleFiles(f.tables, f.directory)
	if f.data != "" {
		paths = append(paths, f.data, f.schema)
	}
	return paths
}

// samples are the tables, each to be read when its turn comes.
func (f *tablesFlags) samples(cmd *cobra.Command) (all []func() (*experiment.Sample, error)) {
	for _, name := range f.tables {
		all = append(all, func() (*experiment.Sample, error) {
			return experiment.FindSample(cmd.Context(), name, f.directory)
		})
	}
	if f.data != "" {
		all = append(all, func() (*experiment.Sample, error) {
			return experiment.ReadSample(cmd.Context(), f.data, f.schema)
		})
	}
	return all
}
