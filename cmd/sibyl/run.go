package main

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
)

// run runs the program and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Program{Name: "sibyl", Root: newRoot, ToDisk: toDisk, Abandon: solver.Abandon}.Run(args, stdin, stdout, stderr)
}

// A command is a subcommand of sibyl. The function make creates it with its flags.
type command struct {
	name string
	make func() *cobra.Command
}

// commands lists the subcommands of sibyl in the order of the help.
func commands() []command {
	return []command{
		{"demo", newDemo}, {"schema", newSchema}, {"check", newCheck}, {"count", newCount}, {"learn", newLearn}, {"show", newShow}, {"predict", newPredict}, {"export", newExport},
		{"evaluate", newEvaluate}, {"optimum", newOptimum}, {"compare", newCompare}, {"plan", newPlan}, {"online", newOnline}, {"synth", newSynth},
		{"ask", newAsk}, {"pairs", newPairs}, {"account", newAccount}, {"serve", newServe}, {"version", newVersion},
	}
}

// newRoot returns the root command of the program. If the first argument names a subcommand, the root has only
// this one, because defining the flags of all subcommands takes longer than many of them run.
func newRoot(args []string) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "sibyl",
		Short: "Learn scorecards, rules and formulas from private tables with differential privacy",
		Long: `Sibyl learns models that people can read from a private table: scorecards, whose
points are small integers that are added up by hand, decision trees, decision lists
and formulas. It also makes synthetic data and counts. Its releases are
differentially private: one person's record changes the probability of any result
by a factor of at most e^ε, plus a small δ for some methods.

Start with "sibyl demo", which needs no data.

Exit codes:
  0    success
  1    wrong usage or invalid input; nothing was written
  3    the data was read, but nothing was released
  4    a result was released or written, but some of the output could not be written
  130  interrupted`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return printVersions(cmd)
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "show the version")
	root.PersistentFlags().Bool("json", false, "print the result as JSON")
	root.CompletionOptions.HiddenDefaultCmd = false
	all := commands()
	if i := slices.IndexFunc(all, func(c command) bool { return len(args) > 0 && args[0] == c.name }); i >= 0 {
		all = all[i : i+1]
	}
	for _, c := range all {
		root.AddCommand(c.make())
	}
	root.SetFlagErrorFunc(cli.MistypedFlag)
	return root
}
