package learn

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// batch is how many runs are drawn before they are made. It must not depend on
// the machine, since it decides how many coins a part that fails has tossed.
const batch = 64

// together makes all runs on all processors, and tells whether none failed. After
// a failure it makes no more. It returns the first run's result and the number
// of runs made.
func together[H any](ctx context.Context, runs []func(context.Context) (H, error)) (first H, made int64, ok bool) {
	var next atomic.Int64
	var failed atomic.Bool
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(runs)) {
		workers.Go(func() {
			for !failed.Load() {
				i := next.Add(1) - 1
				if i >= int64(len(runs)) {
					return
				}
				h, err := runs[i](ctx)
				if err != nil {
					failed.Store(true)
				} else if i == 0 {
					first = h
				}
			}
		})
	}
	workers.Wait()
	return first, min(next.Load(), int64(len(runs))), !failed.Load()
}
