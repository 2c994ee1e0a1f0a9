package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/report"
)

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Benchmark the parts of Sibyl on public and generated data",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newBenchGame(), newBenchOracle(), newBenchTables(), newBenchSynth(), newFigure1())
	return cmd
}

func newBenchOracle() *cobra.Command {
	f := &benchFlags{}
	cmd := &cobra.Command{
		Use:   "oracle --data-dir DIR",
		Short: "Compare all oracles on the same problems",
		Long: `Oracle has every oracle minimise over every class that it knows, on public data
sets and on made-up records with the noise of rspm at ε = 1, and prints what each
found, whether it is proved, and the time it took: the median of three calls
where that is below a second. A call ends at the limit. Of problems that grow,
the larger ones are left out for an oracle that did not prove a smaller one.

The data sets are looked for in DIR: adult/adult-balanced.data with adult-7.toml
and adult-12.toml, mushroom/agaricus-lepiota.data and tic-tac-toe/tic-tac-toe.data.
Without DIR only the made-up records are used. Solvers that are missing are named
and left out. Two oracles that prove different costs are an error.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	pathVar(flags, &f.contest.Directory, "data-dir", "the `directory` of the data sets")
	flags.DurationVar(&f.contest.Limit, "limit", 20*time.Second, "end each call after that `time`")
	flags.StringSliceVar(&f.contest.Only, "only", nil, "only what has this `text` in its name, INSTANCE/CLASS/ORACLE; repeatable")
	pathVar(flags, &f.out, "out", "a `file` for the results as CSV")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type benchFlags struct {
	contest experiment.Contest
	out     string
	force   bool
}

func (f *benchFlags) run(cmd *cobra.Command) error {
	c := &f.contest
	if c.Limit <= 0 {
		return fmt.Errorf("--limit %v must be positive", c.Limit)
	}
	files, err := claimInputs(cmd, nil, c.Files()...)
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
	c.Tell = func(line string) { note(cmd, "%s", line) }
	found, err := c.Run(cmd.Context())
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return errors.New("nothing was measured; see --only and --data-dir")
	}
	if out != nil {
		if err := found.WriteCSV(out); err != nil {
			return err
		}
		if err := out.Publish(cmd.Context()); err != nil {
			return err
		}
	}
	if err := printing(cmd, found, func(w io.Writer) error { return report.WriteTable(w, found.Table(), "llrllrrl") }); err != nil {
		return err
	}
	return found.Disagreement()
}
