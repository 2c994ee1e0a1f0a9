package wcsp

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/papers/network/networktest"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/network"
)

// random returns a random network in which each threshold is reached by some assignments and not by others.
func random(draw classtest.Draw) *network.Network {
	n := &network.Network{}
	for range draw(1, 6) {
		n.Variable(make([]int64, draw(1, 3)))
	}
	for range draw(1, 6) {
		var t network.Threshold
		for v, costs := range n.Costs {
			own := network.Term{Variable: v}
			for range costs {
				own.Values = append(own.Values, draw(-2, 3))
			}
			t.Terms = append(t.Terms, own)
		}
		lo, hi := t.Extremes()
		t.Least = draw(lo, hi)
		n.Charge(t, int64(draw(-3, 3)))
	}
	return n
}

// A shortened row has at most widest terms, and an assignment reaches it if and only if it reaches the threshold.
func TestShortenIsExact(t *testing.T) {
	for seed := range 2000 {
		n := random(classtest.FromSeed(seed))
		s := &sums{index: map[string]int{}}
		for _, costs := range n.Costs {
			s.domains = append(s.domains, len(costs))
		}
		var rows []row
		for _, soft := range n.Soft {
			rows = append(rows, newRow(soft.Threshold))
		}
		arrange(rows)
		for i := range rows {
			if rows[i] = s.shorten(rows[i]); len(rows[i].terms) > widest {
				t.Fatalf("seed %d: shorten left a row with %d terms, more than widest", seed, len(rows[i].terms))
			}
		}
		assignment := make([]int, len(n.Costs))
		for more := true; more; more = networktest.Next(n, assignment) {
			all := append([]int(nil), assignment...)
			for _, made := range s.made {
				l, r := all[made.left.variable], all[made.right.variable]
				for a, v := range made.result.values {
					if v == made.value(l, r) {
						all = append(all, a)
					}
				}
			}
			if len(all) != len(s.domains) {
				t.Fatalf("seed %d: %d variables have a value; want %d", seed, len(all), len(s.domains))
			}
			for i, r := range rows {
				total := 0
				for _, own := range r.terms {
					total += own.values[all[own.variable]]
				}
				if (total >= r.least) != n.Soft[i].Reached(assignment) {
					t.Fatalf("seed %d, assignment %v: only one of the shortened row %v and the threshold %v is reached", seed, assignment, r, n.Soft[i])
				}
			}
		}
	}
}

// Two thresholds with the same last terms share the variables for their partial sums.
func TestSumsAreShared(t *testing.T) {
	n := &network.Network{}
	var t0, t1 network.Threshold
	for v := range 6 {
		n.Variable([]int64{0, 0})
		t0.Terms = append(t0.Terms, network.Term{Variable: v, Values: []int{0, 1}})
	}
	n.Variable([]int64{0, 0})
	t0.Least = 3
	t1 = t0
	t1.Terms = append([]network.Term{{Variable: 6, Values: []int{0, 1}}}, t0.Terms[1:]...)
	s := &sums{index: map[string]int{}}
	rows := []row{newRow(t0), newRow(t1)}
	arrange(rows)
	for _, r := range rows {
		s.shorten(r)
	}
	if len(s.made) != 3 {
		t.Errorf("%d partial sums were created; want 3, shared by both thresholds", len(s.made))
	}
}

func TestWrite(t *testing.T) {
	n := &network.Network{}
	var all network.Threshold
	for v := range 4 {
		n.Variable([]int64{0, int64(v)})
		all.Terms = append(all.Terms, network.Term{Variable: v, Values: []int{0, 1}})
	}
	all.Least = 4
	n.Charge(all, -5)
	n.Forbid(network.Threshold{Terms: all.Terms[:1], Least: 1})
	var got bytes.Buffer
	if err := write(&got, n, 9); err != nil {
		t.Fatal(err)
	}
	want := `network 5 2 7 9
 2 2 2 2 2
 1 0 0 2
 0 0
 1 0
 1 1 0 2
 0 0
 1 1
 1 2 0 2
 0 0
 1 2
 1 3 0 2
 0 0
 1 3
 3 2 3 4 9 4
 0 0 0 0
 0 1 0 0
 1 0 0 0
 1 1 1 0
 3 0 1 4 0 7
 0 0 0 5
 1 0 0 5
 0 1 0 5
 1 1 0 5
 0 0 1 5
 1 0 1 5
 0 1 1 5
 1 0 0 1
 1 9
`
	if got.String() != want {
		t.Errorf("wrong problem text:\n%s", strings.TrimSpace(got.String()))
	}
}
