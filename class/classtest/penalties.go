package classtest

import (
	"errors"

	"github.com/sibyl-dp/sibyl/class"
)

// Penalties tests that a class rejects problems whose penalties are too large. The problems have no
// points, so the greatest cost is the greatest penalty times the unit of the problem. If this cost
// is at most 2^61, the tree and the checker must accept the problem. Otherwise both must fail with
// class.ErrRange.
func Penalties[X, H any](t T, c class.Enumerable[X, H]) {
	t.Helper()
	most := int64(0)
	for h := range c.All() {
		most = max(most, c.Penalty(h))
	}
	if most == 0 {
		t.Fatalf("%v has no penalties", c)
	}
	var plan []int
	last := int64(1) << 61 / most
	for _, unit := range []int64{last, last + 1, 1 << 62} {
		p := class.Problem[X]{Unit: unit}
		tree, err := c.Tree(p)
		if err == nil && unit <= last {
			plan = tree.Plan()
		}
		if _, checked := c.Checker(p, plan); unit <= last && (err != nil || checked != nil) ||
			unit > last && (!errors.Is(err, class.ErrRange) || !errors.Is(checked, class.ErrRange)) {
			t.Fatalf("%v: a penalty of %d at a unit of %d, and none beyond %d: the tree's error %v, the checker's %v", c, most, unit, last, err, checked)
		}
	}
}
