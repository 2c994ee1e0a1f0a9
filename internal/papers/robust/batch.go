package robust

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// batch is how many runs are drawn before they are made. It must not depend on
// the machine, since it decides how many coins a part that fails has tossed.
const batch = 64

// together makes all runs on all processors, and reports whether none failed. After
// a failure it makes no more. It returns the first run's result and the number
// of runs made.
func together[H any](ctx context.Context, runs []func(context.Context) (H, error)) (first H, made int64, ok bool) {
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
