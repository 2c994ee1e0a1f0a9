package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
)

// Exit codes.
const (
	exitDone        = 0
	exitUsage       = 1 // bad usage or input, nothing written
	exitNothing     = 3 // the data was read, but nothing was released
	exitPartly      = 4 // a result was released or written, but some of the output could not be written
	exitInterrupted = 130
)

// interrupted is the error of a command that a signal ended. It lists the files that the command
// had already written.
type interrupted struct{ written []string }

func (i interrupted) Error() string {
	if len(i.written) == 0 {
		return "interrupted; nothing was written"
	}
	return "interrupted" + notice("; ", i.written)
}

// run runs the program and returns its exit code. It prints an error as one line on stderr.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	u := &publish.Unfinished{ToDisk: toDisk}
	ctx, stop := untilSignal(publish.With(context.Background(), u), func() {
		abandon(u)
		os.Exit(exitInterrupted)
	})
	defer stop()
	out := &output{w: stdout}
	err := execute(ctx, func() error {
		root := newRoot(args)
		root.SetArgs(args)
		root.SetIn(stdin)
		root.SetOut(out)
		root.SetErr(stderr)
		return root.ExecuteContext(ctx)
	})
	err = out.ended(err, u.Left())
	code := exitCode(err)
	if s := (publish.Shared{}); err != nil && !(errors.As(err, &s) && s.Silent(stderr)) && !errors.Is(err, errUnread) {
		message := quote.Line(err.Error())
		fmt.Fprintf(stderr, "sibyl: %s\n", message)
		if wantsJSON(args) && !out.used() {
			encode(out, newFailure(code, err, message))
		}
	}
	return code
}

// exitCode returns the exit code of a command that returned err.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, new(interrupted)):
		return exitInterrupted
	case errors.As(err, new(publish.Partly)):
		return exitPartly
	case errors.As(err, new(release.Withheld)):
		return exitNothing
	}
	return exitUsage
}

// abandon removes the temporary files of commands and solvers that have not ended.
func abandon(u *publish.Unfinished) {
	u.Abandon()
	solver.Abandon()
}

// patience is how long a command may run after its context has ended. A command may be blocked while it reads
// its input, so run does not wait longer.
const patience = time.Second

// execute runs the command until it ends, or until shortly after its context ends.
func execute(ctx context.Context, command func() error) error {
	done := make(chan error, 1)
	var group parallel.Group
	group.Go(func() {
		defer func() {
			if recover() != nil {
				done <- release.ErrDefect
			}
		}()
		done <- command()
	})
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		select {
		case err = <-done:
		case <-time.After(patience):
			abandon(publish.In(ctx))
			err = ctx.Err()
		}
	}
	if err != nil && ctx.Err() != nil {
		return interrupted{publish.In(ctx).Left()}
	}
	return err
}

// A command is a constructor that registers the command's flags.
type command struct {
	name string
	make func() *cobra.Command
}

// commands lists the commands in the order of the help.
func commands() []command {
	return []command{
		{"demo", newDemo}, {"schema", newSchema}, {"check", newCheck}, {"count", newCount}, {"learn", newLearn}, {"show", newShow}, {"predict", newPredict}, {"export", newExport},
		{"evaluate", newEvaluate}, {"optimum", newOptimum}, {"compare", newCompare}, {"plan", newPlan}, {"online", newOnline}, {"synth", newSynth},
		{"ask", newAsk}, {"pairs", newPairs}, {"account", newAccount}, {"serve", newServe}, {"bench", newBench}, {"version", newVersion},
	}
}

// newRoot returns the root command of the program. If the first of args names a command, the root has only
// this subcommand, because registering the flags of all commands takes longer than many commands run.
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
		Args:          noArgs,
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
	root.SetFlagErrorFunc(mistypedFlag)
	return root
}
