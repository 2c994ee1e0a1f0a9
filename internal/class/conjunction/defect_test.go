package conjunction

import (
	"runtime"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A panic during the computation of any part of a table, on any thread, reaches the caller, which
// can recover. The class is large enough for several threads.
func TestPanicsOfParts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const attributes = 18
	var all []literal.Attribute
	p := class.Problem[[]uint16]{Points: []class.Point[[]uint16]{{X: make([]uint16, attributes), Cost: [2]int64{0, 1}}}}
	for range attributes {
		all = append(all, literal.Positive())
	}
	for faulty := range attributes {
		c, err := New(all, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.axes[faulty].tests = [][]uint16{{9}} // there is no atom 9
		if panicOf(func() { c.Tabulate(p) }) == nil {
			t.Errorf("attribute %d: the caller sees no panic", faulty)
		}
	}
}

// panicOf returns the value with which f panics.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
