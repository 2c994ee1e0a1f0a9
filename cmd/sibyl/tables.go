package main

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

func newBenchTables() *cobra.Command {
	f := &tablesFlags{comparison: comparison{
		epsilons: []string{"0.1", "0.5", "1", "3"}, delta: "0", relation: privacy.ReplaceOne.String(), draws: 10, limit: time.Minute,
	}}
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
	f.register(cmd, "method")
	flags := cmd.Flags()
	flags.StringSliceVar(&f.bench.Methods, "method", nil, "a `method`; repeatable; without any, chosen and every class with its usual parameters")
	flags.BoolVar(&f.bench.Unstated, "unstated", false, "do not tell methods the number of rows")
	flags.Uint64Var(&f.bench.Seed, "seed", 1, "divide tables by this `number`")
	return cmd
}

type tablesFlags struct {
	comparison
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

// read checks the flags.
func (f *tablesFlags) read(cmd *cobra.Command) (err error) {
	if err := named(cmd, "method"); err != nil {
		return err
	}
	b := &f.bench
	if b.Runs, err = f.comparison.read(cmd); err != nil {
		return err
	}
	if b.Delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("--delta %s is not below 1", b.Delta)
	}
	if len(b.Methods) == 0 {
		b.Methods = experiment.UsualMethods()
	}
	for _, m := range b.Methods {
		if m != experiment.Chosen {
			if err := release.CheckName(m); err != nil {
				return fmt.Errorf("--method %w", err)
			}
		}
	}
	return f.settle(experiment.UsualSamples(f.directory != ""), experiment.CheckSample)
}
