package robust

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// batch is the number of runs in a batch. The randomness of all runs of a batch is sampled before any of
// them is executed. The number must not depend on the machine, since it determines how much randomness
// a part uses until a run fails.
const batch = 64

// execute executes the runs concurrently on all processors. After a run has failed, it starts no further
// run. It returns the result of runs[0] as first, the number of started runs as made, and reports
// whether no run failed as ok.
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
