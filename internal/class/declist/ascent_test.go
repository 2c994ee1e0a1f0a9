package declist

import (
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// climb returns a list that no insertion, replacement or deletion of a single rule improves.
func TestClimbEndsAtTheTop(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 7))
	for range 40 {
		c, err := New([]literal.Attribute{literal.Equal(3), literal.EqualOrNot(3), literal.Equal(2)}, Options{Rules: 3})
		if err != nil {
			t.Fatal(err)
		}
		var p class.Problem[[]uint16]
		for range 30 {
			x := []uint16{uint16(random.IntN(3)), uint16(random.IntN(3)), uint16(random.IntN(2))}
			p.Points = append(p.Points, class.Point[[]uint16]{X: x, Cost: [2]int64{random.Int64N(9), random.Int64N(9)}})
		}
		of, err := c.Tree(p)
		if err != nil {
			t.Fatal(err)
		}
		s := newAscent(of.(*tree))
		for _, y := range []bool{false, true} {
			h := s.climb(List{Default: y})
			cost := s.cost(h)
			for i := range len(h.Rules) + 1 {
				var others []List
				if len(h.Rules) < 3 {
					others = s.withBestRule(h.Rules[:i], h.Rules[i:])
				}
				if i < len(h.Rules) {
					others = append(append(others, s.without(h, i)), s.withBestRule(h.Rules[:i], h.Rules[i+1:])...)
				}
				for _, other := range others {
					if s.cost(other) < cost {
						t.Errorf("the climb ended at %v, which costs %d, below %v, which costs %d", h, cost, other, s.cost(other))
					}
				}
			}
		}
	}
}
