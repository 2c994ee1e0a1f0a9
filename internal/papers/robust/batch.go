package robust

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// batch is the number of runs whose randomness is sampled before they are executed. It must not
// depend on the machine, since it determines how much randomness a part uses until a run fails.
const batch = 64

// execute runs all runs on all processors. It starts no further run after a failure. It
// returns the result of the first run, the number of runs it started, and whether none failed.
func execute[H any](ctx context.Context, runs []func(context.Context) (H, error)) (first H, made int64, ok bool) {
	more, stop := context.WithCancel(ctx)
	defer stop()
	var calls atomic.Int64
	err := parallel.Do(more, runtime.GOMAXPROCS(0), len(runs), func() func(int) {
		return func(i int) {
			calls.Add(1)
			h, err := runs[i](ctx)
			if err != nil {
				stop()
			} else if i == 0 {
				first = h
			}
		}
	})
	return first, calls.Load(), err == nil
}
