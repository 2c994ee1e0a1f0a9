package robust

import (
	"context"
	"fmt"
	"runtime"
	"testing"
)

// A panic in a run of a batch reaches the caller, who can recover from it.
func TestPanicsOfRuns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	for faulty := range batch {
		runs := make([]func(context.Context) (int, error), batch)
		for i := range runs {
			runs[i] = func(context.Context) (int, error) {
				if i == faulty {
					panic(fmt.Sprint("secret ", i))
				}
				return i, nil
			}
		}
		if p := panicOf(func() { execute(context.Background(), runs) }); p != fmt.Sprint("secret ", faulty) {
			t.Errorf("run %d panicked, but the caller recovered %v", faulty, p)
		}
	}
}

// panicOf returns the value with which f panics.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
