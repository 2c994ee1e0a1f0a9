package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newSynth() *cobra.Command {
	f := &synthFlags{runsFlags: runsFlags{
		epsilons: []string{"0.3", "1", "3"}, delta: "1e-9", relation: privacy.AddRemove.String(), draws: 5, limit: 5 * time.Minute,
	}}
	cmd := &cobra.Command{
		Use:   "synth --data-dir DIR",
		Short: "Compare engines for synthetic data on many tables",
		Long: `Synth runs each engine on each table at each ε, and compares the synthetic rows with the
real rows. It prints:

  - the error of the worst conjunction of any order (with ≥ if the search of --steps did
    not prove that no conjunction is worse)
  - the mean L1 distance of all marginals of one column (ones) and of two columns (pairs),
    and of 200 marginals of three columns (triples)
  - AUC and accuracy, on the real rows, of a logistic regression trained on the synthetic
    rows, if the label, or else the last column, has two values
  - the wall-clock seconds of a run, its maximum processor seconds, and its memory
  - the published numbers of AIM and MST, if there are any
  - for each measure, in how many settings (a table and an ε) the engine synth has a smaller
    error than the best other engine, and which differences are beyond chance in a test of
    all settings and measures together; for engines that were run at least twice

These numbers are NOT private: the command is for public data.

A table is one of ` + strings.Join(experiment.PublicSynthetic(), ", ") + `,
whose files are below DIR, or generated: LABEL:ATTRIBUTESxCATEGORIES:ROWS:SEED, as for
tables. Use --data and --schema for a table of your own. The engine bootstrap samples
from the real rows, so it shows the error of sampling alone; it is NOT private.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.register(cmd, "engine")
	flags := cmd.Flags()
	flags.StringSliceVar(&f.bench.Engines, "engine", experiment.Synthesizers(), "an `engine`; repeatable")
	flags.Int64Var(&f.bench.Steps, "steps", 300_000_000, "end the search for the worst conjunction after this number of `steps`, of about 10 ns each; 0 means no end")
	return cmd
}

type synthFlags struct {
	runsFlags
	bench experiment.Synthetics
}

func (f *synthFlags) run(cmd *cobra.Command) error {
	if err := f.read(cmd); err != nil {
		return err
	}
	var all []experiment.Synthesized
	return f.compete(cmd, contest{
		columns: experiment.SynthesizedColumns(), align: "lrlrrrrrrrrrl",
		files: experiment.SyntheticFiles(f.tables, f.directory),
		find:  experiment.FindSynthetic, read: experiment.ReadSynthetic,
		on: func(ctx context.Context, s *experiment.Sample, tell func(measured)) error {
			f.bench.Tell = func(s experiment.Synthesized) {
				all = append(all, s)
				tell(s)
			}
			return f.bench.On(ctx, s)
		},
		more:     f.published,
		conclude: func(w io.Writer) error { return writeAdvantages(w, "synth", all) },
	})
}

// writeAdvantages writes a table that compares the given engine with the best other engine, in each setting for which
// there are results of both. It writes nothing if there is no such setting.
func writeAdvantages(w io.Writer, engine string, results []experiment.Synthesized) error {
	advantages := experiment.Advantages(engine, results)
	lines, apart := [][]string{experiment.AdvantageColumns()}, [][]string{experiment.DifferenceColumns(engine)}
	for _, a := range advantages {
		if a.Settings == 0 {
			continue
		}
		lines = append(lines, a.Line())
		for _, d := range append(a.Above, a.Below...) {
			apart = append(apart, d.Line(a.Measure))
		}
	}
	if len(lines) == 1 {
		return nil
	}
	fmt.Fprintf(w, "\nErrors of %s against the best other engine:\n", engine)
	if err := report.WriteTable(w, lines, "lrrrrr"); err != nil || len(apart) == 1 {
		return err
	}
	fmt.Fprintf(w, "\nDifferences beyond chance:\n")
	return report.WriteTable(w, apart, "lrlrlrr")
}

// published returns the published results of other programs on the given table, for each ε. Such results exist only
// for one table.
func (f *synthFlags) published(table string) (lines [][]string) {
	if table != experiment.AdultDiscrete {
		return nil
	}
	for _, epsilon := range f.epsilons {
		lines = append(lines, experiment.Published(epsilon)...)
	}
	return lines
}

// read checks the flags of the command synth.
func (f *synthFlags) read(cmd *cobra.Command) (err error) {
	if err := named(cmd, "engine"); err != nil {
		return err
	}
	b := &f.bench
	if b.Runs, err = f.runsFlags.read(cmd); err != nil {
		return err
	}
	if b.Steps < 0 {
		return fmt.Errorf("--steps %d must not be negative", b.Steps)
	}
	for _, e := range b.Engines {
		if known := experiment.Synthesizers(); !slices.Contains(known, e) {
			return fmt.Errorf("--engine %s is unknown; it must be one of %s", quote.Word(e), strings.Join(known, ", "))
		}
	}
	if b.Relation.Persons() > 0 {
		return fmt.Errorf("--relation %v is not supported, because each row of the benchmark's tables is another person; use replace or add-remove", b.Relation)
	}
	for _, e := range b.Epsilons {
		if _, err := privacy.RhoWithin(e, b.Delta); err != nil {
			return fmt.Errorf("--delta %s must be above 0 and below 1 for the noise of these engines", b.Delta)
		}
	}
	return f.settle(experiment.DefaultSynthetic(f.directory != ""), experiment.CheckSynthetic)
}
