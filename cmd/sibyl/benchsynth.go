package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/experiment"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/publish"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/report"
)

func newBenchSynth() *cobra.Command {
	f := &benchSynthFlags{}
	cmd := &cobra.Command{
		Use:   "synth --data-dir DIR",
		Short: "Compare what makes synthetic rows, on many tables",
		Long: `Synth has each engine make rows of each table at each ε, and compares these with the
real ones: the conjunction of any order whose shares differ most (≥ where a search of
--steps has not proved that there is no worse one), the mean L1 distance of all marginals
of two columns and of 200 of three, AUC and accuracy on the real rows of a logistic
regression trained on the made ones, where the label, or else the last column, has two
values; the seconds of a draw, those of all processors at most, and the memory that the
process held. Beside them stand the published numbers of AIM and MST, where there are any.
Its numbers are NOT private: it is for public data.

A table is one of ` + strings.Join(experiment.PublicSynthetic(), ", ") + `,
whose files are below DIR, or made up: LABEL:ATTRIBUTESxCATEGORIES:ROWS:SEED, as of
bench tables. A table of your own is read with --data and --schema. bootstrap, drawn from the real
rows, is what sampling alone errs, and NOT private.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	pathVar(flags, &f.directory, "data-dir", "the `directory` of the public tables")
	flags.StringSliceVar(&f.tables, "table", nil, "a `table`; repeatable; without any, some public ones where there is a directory, and some that are made up")
	pathVar(flags, &f.data, "data", "a `file` with a table of your own, which is public")
	pathVar(flags, &f.schema, "schema", "its schema, a TOML `file`")
	flags.StringSliceVar(&f.bench.Engines, "engine", experiment.Synthesizers(), "an `engine`; repeatable")
	flags.StringSliceVar(&f.epsilons, "epsilons", []string{"0.3", "1", "3"}, "the `ε`s")
	flags.StringVar(&f.delta, "delta", "1e-9", "the `δ` of all")
	flags.StringVar(&f.relation, "relation", privacy.AddRemove.String(), "what neighbouring tables differ in: replace or add-remove")
	flags.IntVar(&f.bench.Draws, "draws", 5, "`draws` of each engine on each table at each ε")
	flags.DurationVar(&f.bench.Limit, "limit", 5*time.Minute, "end a draw after that `time`, and its engine on that table with it")
	flags.Int64Var(&f.bench.Steps, "steps", 300_000_000, "end the search for the worst conjunction after so many `steps`, of some 10 ns; 0 for no end")
	pathVar(flags, &f.out, "out", "a `file` for the results, one line of JSON each")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type benchSynthFlags struct {
	bench                               experiment.Synthetics
	directory, data, schema, out, delta string
	relation                            string
	tables, epsilons                    []string
	force                               bool
}

func (f *benchSynthFlags) run(cmd *cobra.Command) error {
	for name, words := range map[string][]string{"table": f.tables, "engine": f.bench.Engines, "epsilons": f.epsilons} {
		if cmd.Flags().Changed(name) && len(words) == 0 {
			return fmt.Errorf("--%s names nothing; leave it out for the usual ones", name)
		}
	}
	if err := f.read(); err != nil {
		return err
	}
	inputs := experiment.SyntheticFiles(f.tables, f.directory)
	if f.data != "" {
		inputs = append(inputs, f.data, f.schema)
	}
	files, err := claimInputs(cmd, nil, inputs...)
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
	lines := [][]string{experiment.SynthesizedColumns()}
	var failed error
	f.bench.Tell = func(s experiment.Synthesized) {
		lines = append(lines, s.Line())
		if asJSON {
			failed = errors.Join(failed, writeLine(cmd.OutOrStdout(), s))
		} else {
			note(cmd, "%s", strings.Join(s.Line(), "  "))
		}
		if out != nil {
			failed = errors.Join(failed, writeLine(out, s))
		}
	}
	for _, name := range f.tables {
		s, err := experiment.FindSynthetic(cmd.Context(), name, f.directory)
		if err == nil {
			err = f.bench.On(cmd.Context(), s)
		}
		if err := errors.Join(err, failed); err != nil {
			return err
		}
		if name == experiment.AdultDiscrete {
			for _, epsilon := range f.epsilons {
				lines = append(lines, experiment.Published(epsilon)...)
			}
		}
	}
	if f.data != "" {
		s, err := experiment.ReadSynthetic(cmd.Context(), f.data, f.schema)
		if err == nil {
			err = f.bench.On(cmd.Context(), s)
		}
		if err := errors.Join(err, failed); err != nil {
			return err
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
	return report.WriteTable(cmd.OutOrStdout(), lines, "lrlrrrrrrrrl")
}

// read checks the flags.
func (f *benchSynthFlags) read() error {
	b := &f.bench
	switch {
	case b.Draws < 1:
		return fmt.Errorf("--draws %d is no number of draws", b.Draws)
	case b.Limit <= 0:
		return fmt.Errorf("--limit %v is no time", b.Limit)
	case b.Steps < 0:
		return fmt.Errorf("--steps %d is no number of steps", b.Steps)
	case (f.data == "") != (f.schema == ""):
		return errors.New("--data and --schema go together: a table needs its public domain")
	}
	for _, e := range b.Engines {
		if known := experiment.Synthesizers(); !slices.Contains(known, e) {
			return fmt.Errorf("--engine %s is none of %s", quote.Word(e), strings.Join(known, ", "))
		}
	}
	if err := b.Relation.UnmarshalText([]byte(f.relation)); err != nil {
		return fmt.Errorf("--relation %w", err)
	}
	if b.Relation.Persons() > 0 {
		return fmt.Errorf("--relation %v is of persons, and rows are compared", b.Relation)
	}
	var err error
	if b.Delta, err = privacy.ParseDecimal(f.delta); err != nil {
		return fmt.Errorf("--delta %w", err)
	}
	for _, text := range f.epsilons {
		if err := checkEpsilon(text); err != nil {
			return err
		}
		e, err := privacy.ParseDecimal(text)
		if err != nil {
			return err
		}
		if _, err := privacy.RhoWithin(e, b.Delta); err != nil {
			return fmt.Errorf("--delta %s: the noise of these engines needs a δ above 0 and below 1", b.Delta)
		}
		b.Epsilons = append(b.Epsilons, e)
	}
	if len(f.tables) == 0 && f.data == "" {
		f.tables = experiment.UsualSynthetic(f.directory != "")
	}
	for _, name := range f.tables {
		if err := experiment.CheckSynthetic(name, f.directory); err != nil {
			return fmt.Errorf("--table %w", err)
		}
	}
	return nil
}
