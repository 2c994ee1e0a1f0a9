// Package parallel does tasks on several threads.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"
)

// Do does tasks 0, …, tasks-1 on at most so many threads, by what start returns for
// each thread, until the context ends, whose error it returns. A panic of a task is one of
// the caller, who can recover from it. Tasks that take long should be the first.
func Do(ctx context.Context, threads, tasks int, start func() func(task int)) error {
	threads = min(threads, tasks)
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make(chan any, threads)
	for range threads {
		group.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					failures <- p
				}
			}()
			do := start()
			for i := next.Add(1) - 1; i < int64(tasks) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	group.Wait()
	select {
	case p := <-failures:
		panic(p)
	default:
	}
	return ctx.Err()
}
