package parallel_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/sibyl-dp/sibyl/parallel"
)

// Each task is done once, whatever the threads, and none after the context has ended.
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

// A panic on another thread is one that the caller can recover from: it would end the
// process otherwise, which would tell of the data.
func TestPanics(t *testing.T) {
	defer func() {
		if p := recover(); p != "a defect" {
			t.Errorf("%v is recovered", p)
		}
	}()
	parallel.Do(context.Background(), 2, 50, func() func(int) {
		return func(i int) {
			if i%2 == 1 {
				panic("a defect")
			}
		}
	})
	t.Error("there was no panic")
}
