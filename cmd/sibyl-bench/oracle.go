package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/report"
)

func newOracle() *cobra.Command {
	f := &oracleFlags{}
	cmd := &cobra.Command{
		Use:   "oracle --data-dir DIR",
		Short: "Compare all oracles on the same problems",
		Long: `Oracle runs each oracle on each class that it supports, on public data sets and on
generated records, with the noise of the mechanism rspm at ε = 1. It prints the cost that the oracle
found, whether the oracle proved it, and the time: the median of three calls if that is below
a second. A call ends at --limit. If an oracle does not prove one problem of a series of
growing size, the larger ones are skipped for it.

The data sets are in DIR: adult/adult-balanced.data with adult-7.toml and
adult-12.toml, mushroom/agaricus-lepiota.data and tic-tac-toe/tic-tac-toe.data. Without
DIR only generated records are used. Solvers that are not installed are listed and skipped.
If two oracles prove different costs, the command fails.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	cli.PathVar(flags, &f.contest.Directory, "data-dir", "the `directory` of the data sets")
	flags.DurationVar(&f.contest.Limit, "limit", 20*time.Second, "end each call after this `time`")
	flags.StringSliceVar(&f.contest.Only, "only", nil, "run only cases whose name, INSTANCE/CLASS/ORACLE, contains this `text`; repeatable")
	cli.PathVar(flags, &f.out, "out", "a CSV `file` to which the results are written")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	return cmd
}

type oracleFlags struct {
	contest experiment.Contest
	out     string
	force   bool
}

func (f *oracleFlags) run(cmd *cobra.Command) error {
	c := &f.contest
	if c.Limit <= 0 {
		return fmt.Errorf("--limit %v must be positive", c.Limit)
	}
	files, err := cli.Claim(cmd, false, c.Files()...)
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
	c.Tell = func(line string) { cli.Note(cmd, "%s", line) }
	found, err := c.Run(cmd.Context())
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return errors.New("no benchmark case is left: none that matches --only has its data set in --data-dir; change one of these flags")
	}
	if out != nil {
		if err := found.WriteCSV(out); err != nil {
			return err
		}
		if err := out.Publish(cmd.Context()); err != nil {
			return err
		}
	}
	if err := cli.Print(cmd, found, func(w io.Writer) error { return report.WriteTable(w, found.Table(), "llrllrrl") }); err != nil {
		return err
	}
	return found.Disagreement()
}
