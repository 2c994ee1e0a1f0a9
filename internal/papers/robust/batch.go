package robust

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// batch is the number of runs in a batch. All randomness of a batch is sampled before its first run starts, so the
// randomness that a release uses depends on this number, and it must be the same on every machine. If a run fails,
// the randomness of later batches is not sampled.
const batch = 64

// execute executes the runs concurrently on all processors. After a run has failed, it starts no further run. It
// returns the result of runs[0] as first, and the number of started runs as made. The result ok reports whether all
// runs succeeded.
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
