package convex

import "testing"

func TestRoot(t *testing.T) {
	for _, r := range []int64{1, 2, 1000, mostBound - 1, mostBound} {
		if root(r*r) != r || root(r*r-1) != r-1 || root(r*r+2*r) != r {
			t.Errorf("root of %d²", r)
		}
	}
}
