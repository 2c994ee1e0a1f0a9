package pb

import (
	"bytes"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/papers/network/networktest"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/network"
)

// random returns a small random network.
func random(draw classtest.Draw) *network.Network {
	n := &network.Network{}
	for range draw(1, 4) {
		costs := make([]int64, draw(1, 3))
		for a := range costs {
			costs[a] = int64(draw(-3, 3))
		}
		n.Variable(costs)
	}
	for i := range draw(0, 4) {
		var t network.Threshold
		for v, costs := range n.Costs {
			own := network.Term{Variable: v}
			for range costs {
				own.Values = append(own.Values, draw(-2, 3))
			}
			t.Terms = append(t.Terms, own)
		}
		lo, hi := t.Extremes()
		if t.Least = draw(lo, hi+1); i == 3 {
			n.Forbid(t)
		} else {
			n.Charge(t, int64(draw(-3, 3)))
		}
	}
	return n
}

func (s sum) at(bits []bool) int64 {
	v := s.constant
	for _, own := range s.parts {
		if bits[own.bit] {
			v += own.weight
		}
	}
	return v
}

// For every assignment, the least objective over the bits that represent it is its cost. Such bits satisfy the
// constraints if and only if the assignment is allowed.
func TestProblemIsExact(t *testing.T) {
	for seed := range 1000 {
		n := random(classtest.FromSeed(seed))
		p := newProblem(n)
		least := map[string]int64{}
		bits := make([]bool, p.bits)
	each:
		for set := range 1 << p.bits {
			for b := range bits {
				bits[b] = set>>b&1 == 1
			}
			for _, c := range p.constraints {
				if c.at(bits) < 0 {
					continue each
				}
			}
			assignment, err := p.assignment(n, bits)
			if err != nil {
				t.Fatalf("seed %d: bits %v represent no assignment", seed, bits)
			}
			key := string(key(assignment))
			if best, ok := least[key]; !ok || p.objective.at(bits) < best {
				least[key] = p.objective.at(bits)
			}
		}
		assignment := make([]int, len(n.Costs))
		for more := true; more; more = networktest.Next(n, assignment) {
			cost, allowed := n.Cost(assignment)
			best, ok := least[string(key(assignment))]
			if ok != allowed || ok && n.Base+best != cost {
				t.Fatalf("seed %d: assignment %v has cost %d, allowed %v, in the written problem; want %d, %v", seed, assignment, n.Base+best, ok, cost, allowed)
			}
		}
	}
}

func key(assignment []int) []byte {
	var out []byte
	for _, a := range assignment {
		out = append(out, byte(a))
	}
	return out
}

func TestWrite(t *testing.T) {
	n := &network.Network{}
	all := network.Threshold{Least: 2}
	for range 2 {
		v := n.Variable([]int64{0, 3, 1})
		all.Terms = append(all.Terms, network.Term{Variable: v, Values: []int{-1, 0, 2}})
	}
	n.Charge(all, 5)
	n.Charge(all, -7)
	n.Forbid(network.Threshold{Terms: all.Terms[:1], Least: 2})
	var got bytes.Buffer
	if err := newProblem(n).write(&got); err != nil {
		t.Fatal(err)
	}
	want := `* #variable= 7 #constraint= 5
min: +3 x1 -2 x2 +3 x3 -2 x4 +5 x5 +7 x6 +1 x7 ;
 +1 x1 -1 x2 >= 0 ;
 +1 x3 -1 x4 >= 0 ;
 -1 x1 -2 x2 -1 x3 -2 x4 +3 x5 >= -3 ;
 +1 x1 +2 x2 +1 x3 +2 x4 +4 x6 >= 4 ;
 -1 x1 -2 x2 >= -2 ;
`
	if got.String() != want {
		t.Errorf("wrong problem text:\n%s", got.String())
	}
}

func TestFits(t *testing.T) {
	for cost, fits := range map[int64]bool{1<<31 - 1: true, 1 << 31: false, -1 << 31: false} {
		n := &network.Network{}
		n.Variable([]int64{max(0, -cost), max(0, cost)})
		if newProblem(n).fits() != fits {
			t.Errorf("a cost of %d", cost)
		}
	}
}
