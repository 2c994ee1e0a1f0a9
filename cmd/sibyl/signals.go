package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// Whatever ends a command (a keyboard, a closed terminal, a limit on time) ends it in
// order, so that it leaves no private files behind and shows no trace of what it did.

// untilSignal returns a context that a signal ends. After a second one the program ends
// at once, by last. Signals that were ignored when the program began, as by nohup, still
// are.
func untilSignal(parent context.Context, last func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	ending := make(chan os.Signal, 2)
	for _, s := range endings {
		if !signal.Ignored(s) {
			signal.Notify(ending, s)
		}
	}
	// These become errors of the call that they came from; programs that are started
	// have them as usual.
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
