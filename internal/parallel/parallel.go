// Package parallel starts all goroutines of the project.
//
// An unrecovered panic in a goroutine ends the process with a stack trace, which may quote private
// data. Therefore each goroutine that this package starts recovers a panic. The function that waits
// for the goroutine then panics with the same value in the goroutine of the caller, where the
// program converts panics to a fixed message. A test forbids other ways of starting goroutines.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// A Group is a set of goroutines whose end a caller can wait for. The zero Group is empty and ready to use.
type Group struct {
	running  sync.WaitGroup
	panicked atomic.Pointer[any] // the value of the first panic
}

// Go runs the function f in a new goroutine of the group. A goroutine of the group may itself call Go.
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

// Wait returns when all goroutines of the group have ended. If one of them panicked, Wait panics with the value of
// the first panic.
func (g *Group) Wait() {
	g.running.Wait()
	if p := g.panicked.Load(); p != nil {
		panic(*p)
	}
}

// Do executes the tasks with the numbers 0 to tasks-1 in several goroutines, at most as many as the parameter
// threads. If one goroutine suffices, Do uses that of its caller. In each goroutine, Do calls the function start
// once, and then calls the function that start returned for each task of the goroutine.
//
// Tasks begin in ascending order, so long tasks should have the lowest numbers. After the context ends or a task
// panics, no further task begins. Do returns the context's error, and panics if a task panicked.
func Do(ctx context.Context, threads, tasks int, start func() func(task int)) error {
	var next atomic.Int64
	var group Group
	work := func() {
		do := start()
		for ctx.Err() == nil && group.panicked.Load() == nil {
			i := next.Add(1) - 1
			if i >= int64(tasks) {
				return
			}
			do(int(i))
		}
	}
	workers := min(threads, tasks)
	if workers == 1 {
		work()
		return ctx.Err()
	}
	for range workers {
		group.Go(work)
	}
	group.Wait()
	return ctx.Err()
}
