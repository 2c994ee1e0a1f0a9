package main

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newTables() *cobra.Command {
	f := &tablesFlags{runsFlags: runsFlags{
		epsilons: []string{"0.1", "0.5", "1", "3"}, delta: "0", relation: privacy.ReplaceOne.String(), draws: 10, limit: time.Minute,
	}}
	cmd := &cobra.Command{
		Use:   "tables --data-dir DIR",
		Short: "Compare what learn would choose with its alternatives, on many tables",
		Long: `Tables learns from 70 % of the rows of each table, with each method at each ε, and tests
the released model on the other rows. It prints accuracy and AUC with their standard
errors, the mean and maximum seconds of a run, the maximum processor seconds, and the memory
of the process. These numbers are NOT private: the command is for public data.

A table is one of ` + strings.Join(experiment.PublicSamples(), ", ") + `,
whose files are below DIR, or generated: LABEL:ATTRIBUTESxCATEGORIES:ROWS:SEED, such
as tree:14x6:20000:1, where LABEL is one of ` + strings.Join(experiment.LabelRules(), ", ") + `.
Use --data and --schema for a table of your own. A method is "chosen", which learn chooses
without a class, or a class with parameters, such as "tree --depth 3".`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.register(cmd, "method")
	flags := cmd.Flags()
	flags.StringSliceVar(&f.bench.Methods, "method", nil, "a `method`; repeatable (default: chosen, and each class with its default parameters)")
	flags.BoolVar(&f.bench.Unstated, "unstated", false, "do not state the number of rows to the methods")
	flags.IntVar(&f.bench.Train, "train", 0, "learn from at most this number of `rows`, and test on all others (default: 70 % of the rows)")
	flags.Uint64Var(&f.bench.Seed, "seed", 1, "the `number` that determines which rows of a table are for learning, and which for testing")
	return cmd
}

type tablesFlags struct {
	runsFlags
	bench experiment.Tables
}

func (f *tablesFlags) run(cmd *cobra.Command) error {
	if err := f.read(cmd); err != nil {
		return err
	}
	return f.compete(cmd, contest{
		columns: experiment.TrialColumns(), align: "lrlrrrrrrl",
		files: experiment.SampleFiles(f.tables, f.directory),
		find:  experiment.FindSample, read: experiment.ReadSample,
		on: func(ctx context.Context, s *experiment.Sample, tell func(measured)) error {
			f.bench.Tell = func(t experiment.Trials) { tell(t) }
			return f.bench.On(ctx, s)
		},
	})
}

// read checks the flags of the command tables.
func (f *tablesFlags) read(cmd *cobra.Command) (err error) {
	if err := named(cmd, "method"); err != nil {
		return err
	}
	b := &f.bench
	if b.Runs, err = f.runsFlags.read(cmd); err != nil {
		return err
	}
	if b.Delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("--delta %s is not below 1", b.Delta)
	}
	if b.Train < 0 {
		return fmt.Errorf("--train %d is negative; give a number of rows, or leave the flag out", b.Train)
	}
	if len(b.Methods) == 0 {
		b.Methods = experiment.DefaultMethods()
	}
	for _, m := range b.Methods {
		if m != experiment.Chosen {
			if err := release.CheckName(m); err != nil {
				return fmt.Errorf("--method %w", err)
			}
		}
	}
	return f.settle(experiment.DefaultSamples(f.directory != ""), experiment.CheckSample)
}
