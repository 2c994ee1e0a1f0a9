// Command sibyl-bench repeats the measurements that docs/measurements reports: it compares classes, oracles and methods
// for synthetic data, on public and generated tables. Its output is not private.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	_ "github.com/sibyl-dp/sibyl/cmd/sibyl/drivers"
	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/privacy"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run runs the program and returns its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return cli.Program{Name: "sibyl-bench", Root: newRoot, Abandon: solver.Abandon}.Run(args, stdin, stdout, stderr)
}

func newRoot([]string) *cobra.Command {
	root := &cobra.Command{
		Use:   "sibyl-bench",
		Short: "Benchmark the parts of Sibyl on public and generated data",
		Long: `Sibyl-bench repeats the measurements of docs/measurements: it compares the parts of Sibyl with
each other and with other methods, on public and generated tables. Its output is NOT private,
so use it for public data only.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cli.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().Bool("json", false, "print the result as JSON")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(newTables(), newSynth(), newOracle(), newGame(), newFigure1())
	root.SetFlagErrorFunc(cli.MistypedFlag)
	return root
}

// checkEpsilon returns an error if the text is not a decimal number that is valid as ε.
func checkEpsilon(text string) error {
	epsilon, err := privacy.ParseDecimal(text)
	if err != nil {
		return fmt.Errorf("--epsilon %w", err)
	}
	return mechanism.CheckEpsilon(epsilon)
}
