package parallel_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// Each task is executed once, for any number of threads, and no task begins after the context has
// ended.
func TestDo(t *testing.T) {
	for _, threads := range []int{1, 2, 9} {
		for _, tasks := range []int{0, 1, 100} {
			done, started := make([]atomic.Int32, tasks), atomic.Int32{}
			err := parallel.Do(context.Background(), threads, tasks, func() func(int) {
				started.Add(1)
				return func(i int) { done[i].Add(1) }
			})
			if err != nil || int(started.Load()) != min(threads, tasks) {
				t.Errorf("%d tasks on %d threads: %d are started, %v", tasks, threads, started.Load(), err)
			}
			for i := range done {
				if n := done[i].Load(); n != 1 {
					t.Errorf("task %d of %d is done %d times on %d threads", i, tasks, n, threads)
				}
			}
		}
	}
	ended, end := context.WithCancel(context.Background())
	end()
	err := parallel.Do(ended, 2, 5, func() func(int) { return func(int) { t.Error("a task is done") } })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// panicOf returns the value with which f panics.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// The caller can recover from a panic of any task, for any number of threads.
func TestPanics(t *testing.T) {
	for _, threads := range []int{1, 2, 9} {
		for faulty := range 50 {
			p := panicOf(func() {
				parallel.Do(context.Background(), threads, 50, func() func(int) {
					return func(i int) {
						if i == faulty {
							panic(i)
						}
					}
				})
			})
			if p != faulty {
				t.Errorf("task %d on %d threads: %v is recovered", faulty, threads, p)
			}
		}
		if p := panicOf(func() { parallel.Do(context.Background(), threads, 5, func() func(int) { panic("start") }) }); p != "start" {
			t.Errorf("starting %d threads: %v is recovered", threads, p)
		}
	}
}

// After a panic no thread begins a further task. There are more tasks than could ever be executed.
func TestPanicsEndTheTasks(t *testing.T) {
	ctx, end := context.WithTimeout(context.Background(), 10*time.Second)
	defer end()
	p := panicOf(func() {
		parallel.Do(ctx, 2, math.MaxInt, func() func(int) {
			return func(i int) {
				if i == 0 {
					panic("a defect")
				}
				time.Sleep(time.Millisecond)
			}
		})
	})
	if p != "a defect" || ctx.Err() != nil {
		t.Errorf("%v is recovered, %v", p, ctx.Err())
	}
}

// A panic of a goroutine that another goroutine of the group started also reaches the caller, after
// all goroutines have ended.
func TestPanicsOfGroup(t *testing.T) {
	for depth := range 5 {
		var g parallel.Group
		var ended atomic.Int64
		var descend func(int)
		descend = func(left int) {
			defer ended.Add(1)
			if left == 0 {
				panic("a defect")
			}
			g.Go(func() { descend(left - 1) })
		}
		g.Go(func() { descend(depth) })
		if p := panicOf(g.Wait); p != "a defect" || int(ended.Load()) != depth+1 {
			t.Errorf("depth %d: %v is recovered, %d have ended", depth, p, ended.Load())
		}
	}
}
