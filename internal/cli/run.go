// Package cli holds what the commands sibyl and sibyl-bench share: how a command line is run, the words of its errors,
// its exit codes, and how results are printed.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
)

// The exit codes of a program, by the reason why a command ended.
const (
	ExitDone        = 0
	ExitUsage       = 1 // bad usage or input, nothing written
	ExitNothing     = 3 // the data was read, but nothing was released
	ExitPartly      = 4 // a result was released or written, but some of the output could not be written
	ExitInterrupted = 130
)

// interrupted is the error of a command that ended because of a signal.
type interrupted struct {
	written []string // the files that the command had already written
	charged bool     // whether the command had charged a ledger
}

func (i interrupted) Error() string {
	switch {
	case len(i.written) > 0:
		return "interrupted" + notice("; ", i.written)
	case i.charged:
		return "interrupted; nothing was written, but " + release.Kept
	}
	return "interrupted; nothing was written"
}

// A Program is a command-line program with subcommands.
type Program struct {
	Name    string                             // begins each error
	Root    func(args []string) *cobra.Command // returns the root command for a command line
	ToDisk  func(*os.File) error               // flushes a file to the disk; (*os.File).Sync if it is nil
	Abandon func()                             // removes the temporary files of subcommands that have not ended
}

// Run runs the program and returns its exit code. If the program fails, Run prints the error as one line on stderr.
func (p Program) Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	u := &publish.Unfinished{ToDisk: p.ToDisk}
	abandon := func() {
		u.Abandon()
		p.Abandon()
	}
	ctx, stop := untilSignal(publish.With(context.Background(), u), func() {
		abandon()
		os.Exit(ExitInterrupted)
	})
	defer stop()
	out := &output{w: stdout}
	err := execute(ctx, abandon, func() error {
		root := p.Root(args)
		root.SetArgs(args)
		root.SetIn(stdin)
		root.SetOut(out)
		root.SetErr(stderr)
		cmd, err := root.ExecuteContextC(ctx)
		if unset := cmd.ValidateRequiredFlags(); err != nil && unset != nil && err.Error() == unset.Error() {
			return missingFlags(cmd)
		}
		return err
	})
	err = out.ended(err, u.Left())
	code := exitCode(err)
	if s := (publish.Shared{}); err != nil && !(errors.As(err, &s) && s.Silent(stderr)) && !errors.Is(err, errUnread) {
		message := quote.Line(err.Error())
		fmt.Fprintf(stderr, "%s: %s\n", p.Name, message)
		if wantsJSON(args) && !out.used() {
			Encode(out, newFailure(code, err, message))
		}
	}
	return code
}

// exitCode returns the exit code of a program whose command returned the error err.
func exitCode(err error) int {
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, new(interrupted)):
		return ExitInterrupted
	case errors.As(err, new(publish.Partly)):
		return ExitPartly
	case errors.As(err, new(release.Withheld)):
		return ExitNothing
	}
	return ExitUsage
}

// patience is how long Run waits for a command whose context has ended. Run waits no longer, because the command may
// be blocked in reading its input.
const patience = time.Second

// execute runs the command and returns its error. If the context ends, execute waits for the command for at most the
// time patience. If the command is still running then, execute calls the function abandon.
func execute(ctx context.Context, abandon func(), command func() error) error {
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
			abandon()
			err = ctx.Err()
		}
	}
	if err != nil && ctx.Err() != nil {
		u := publish.In(ctx)
		return interrupted{u.Left(), u.Charged()}
	}
	return err
}
