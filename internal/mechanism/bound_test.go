package mechanism

import "testing"

// Bounds with a pure guarantee precede bounds with a δ. A bound of a mechanism that chooses from no
// class counts as pure.
func TestPureFirst(t *testing.T) {
	pure, approximate := Bound{Excess: &Excess{}}, Bound{Excess: &Excess{Approximate: true}}
	for _, c := range []struct {
		a, b Bound
		want int
	}{{pure, approximate, -1}, {approximate, pure, 1}, {pure, pure, 0}, {approximate, approximate, 0}, {Bound{}, approximate, -1}, {Bound{}, pure, 0}} {
		if got := PureFirst(c.a, c.b); got != c.want {
			t.Errorf("%+v and %+v: %d, want %d", c.a.Excess, c.b.Excess, got, c.want)
		}
	}
}
