package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// A signal (from the keyboard, a closed terminal, a time limit) cancels a command's context. The command then
// removes its private files and reveals nothing of its unfinished work.

// Signals returns the operating system signals that Run handles.
func Signals() []os.Signal { return slices.Concat(endings, failures) }

// untilSignal returns a context that is canceled by the first signal which requests the end of the program. After a
// second such signal, it calls the function last, which ends the program immediately. Signals that were ignored when
// the program started, as by nohup, stay ignored.
func untilSignal(parent context.Context, last func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	ending := make(chan os.Signal, 2)
	for _, s := range endings {
		if !signal.Ignored(s) {
			signal.Notify(ending, s)
		}
	}
	// A signal in failures accompanies a failed call, whose error is enough, so these signals are received and
	// dropped. They are not ignored, because child processes would inherit that; they get the default behaviour.
	failing := make(chan os.Signal, 1)
	for _, s := range failures {
		signal.Notify(failing, s)
	}
	done := make(chan struct{})
	var group parallel.Group
	group.Go(func() {
		for _, act := range []func(){cancel, last} {
			select {
			case <-ending:
				act()
			case <-done:
				return
			}
		}
	})
	return ctx, func() {
		signal.Stop(ending)
		signal.Stop(failing)
		close(done)
		group.Wait()
		cancel()
	}
}
