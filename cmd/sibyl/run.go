package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitDone        = 0
	exitUsage       = 1 // bad usage or input, nothing written
	exitNothing     = 3 // nothing released after the data was read
	exitInterrupted = 130
)

// A withheld error came up after private data was read. Its cause may depend on
// the data, so only a fixed sentence is shown; the cause goes to the private
// log.
type withheld struct{ cause error }

func (withheld) Error() string {
	return "nothing was released: the release failed after the data was read, and why is private (--private-log keeps it)"
}

func (w withheld) Unwrap() error { return w.cause }

// run is the whole program. It shows an error as one sentence, and of a panic,
// which may hold private values, nothing.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	defer func() {
		if recover() != nil {
			fmt.Fprintln(stderr, "sibyl: nothing was released: the program came upon a defect of its own; please report the command")
			code = exitNothing
		}
	}()
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "sibyl: interrupted; nothing was written")
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "sibyl: %v\n", err)
	if errors.As(err, new(withheld)) {
		return exitNothing
	}
	return exitUsage
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "sibyl",
		Short: "Learn scorecards from private tables with differential privacy",
		Long: `Sibyl learns a scorecard from a private table: a few whole points for each
answer, added up by hand, and a threshold. What it releases is differentially
private: one person's record hardly changes the odds of any scorecard.

Start with "sibyl demo", which needs no data. Exit codes: 0 done, 1 bad usage or
input, 3 nothing released, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().Bool("json", false, "print the result as JSON")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(
		newDemo(), newCheck(), newLearn(), newShow(), newPredict(),
		newEvaluate(), newOptimum(), newPlan(), newVersion(),
	)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	return root
}
