package convex_test

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
)

// Vectors have ones exactly where the encoding puts them, and at most Most of them.
func TestVectors(t *testing.T) {
	f := features(t, convex.OneHot, 3, 2)
	d := examples{{X: []uint16{2, 1}, Label: true, Count: 4}, {X: []uint16{0, 0}, Count: 5}}
	if got, want := fmt.Sprint(f.Vectors(d)), "[{[1 0 0 1 1] true 4} {[1 1 0 0 0] false 5}]"; got != want || f.Most() != 3 || f.Columns() != 5 {
		t.Errorf("%s, norm %d", got, f.Most())
	}
}
