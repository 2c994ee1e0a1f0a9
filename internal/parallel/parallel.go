// Package parallel starts every goroutine of the project.
//
// A panic on a goroutine that nobody recovers ends the process with a stack trace, which may
// quote private data. So each goroutine recovers, and whoever waits for it panics in its place,
// on the way that turns a panic into one fixed sentence. A test forbids other ways of starting one.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// A Group is a number of goroutines that a caller waits for. The zero Group has none.
type Group struct {
	running  sync.WaitGroup
	panicked atomic.Pointer[any] // the value of the first panic
}

// Go runs f on a goroutine of its own. A goroutine of the group may call it.
func (g *Group) Go(f func()) {
	g.running.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				g.panicked.CompareAndSwap(nil, &p)
			}
		}()
		f()
	})
}

// Wait returns when all goroutines have ended. If one of them panicked, Wait panics with the
// value of the first of these panics.
func (g *Group) Wait() {
	g.running.Wait()
	if p := g.panicked.Load(); p != nil {
		panic(*p)
	}
}

// Do does the tasks 0, …, tasks-1 on at most the given number of threads, by the function that
// start returns for each thread, and returns the context's error. After the context's end or a
// panic no further task is begun; a panic is passed on to the caller, as by Wait. Tasks that take
// long should be the first.
func Do(ctx context.Context, threads, tasks int, start func() func(task int)) error {
	var next atomic.Int64
	var group Group
	for range min(threads, tasks) {
		group.Go(func() {
			do := start()
			for ctx.Err() == nil && group.panicked.Load() == nil {
				i := next.Add(1) - 1
				if i >= int64(tasks) {
					return
				}
				do(int(i))
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
