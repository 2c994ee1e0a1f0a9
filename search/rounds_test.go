package search

import (
	"context"
	"maps"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/noise"
)

// samplerOf returns a sampler with a frontier that contains all hypotheses of a grove.
func samplerOf(t *testing.T, of *grove, coins noise.Coins) *sampler {
	t.Helper()
	f, _ := built(t, of, 0, 1<<40, usual)
	return &sampler{frontier: f, coins: coins, lambda: big.NewRat(1, 1)}
}

// addOthers adds n frontier walkers to the frontier.
func (f *frontier) addOthers(n int) {
	f.blocks.threads = 1 + n
	f.addWalkers()
}

// If there is one frontier walker, rowsOf computes the row of one block. Otherwise it computes the
// rows of the next 8 blocks for each frontier walker. It omits blocks all of whose draws come after
// the first accepted one.
func TestRowsAhead(t *testing.T) {
	for _, c := range []struct{ others, rows int }{{0, 1}, {1, 16}, {2, 24}} {
		s := samplerOf(t, flat(16*40), nil)
		s.addOthers(c.others)
		const first = 100
		var draws []draw
		var want []int
		for b := range 40 {
			number := b
			switch b {
			case 5, 6: // all draws come after first
				number = first + b
			case 7: // the draws have the number first itself
				number = first
			}
			draws = append(draws, draw{b, number}, draw{b, number})
			if number <= first && len(want) < c.rows {
				want = append(want, b)
			}
		}
		rows, err := s.rowsOf(context.Background(), draws, first)
		if got := slices.Sorted(maps.Keys(rows)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d other frontier walkers: rows of %v, not of %v, %v", c.others, got, want, err)
		}
		for b, row := range rows {
			if len(row.nodes) != 16 || s.pathTo(b, row.nodes)[0] != 16*b+15 {
				t.Errorf("%d other frontier walkers: the row of block %d has %d nodes up to %v", c.others, b, len(row.nodes), s.pathTo(b, row.nodes))
			}
		}
	}
}

// scripted are coins that choose the given blocks, and the first node of each. They accept the rounds
// whose numbers are in accepts. Rounds are numbered from 1 in the order of their evaluation.
type scripted struct {
	noise.Coins
	blocks  []int
	accepts []int
	rounds  int
}

func (c *scripted) Pick([]uint64) int {
	if len(c.blocks) == 0 {
		return 0
	}
	b := c.blocks[0]
	c.blocks = c.blocks[1:]
	return b
}

func (c *scripted) Draw(noise.Sampler) *big.Int { return new(big.Int) }

func (c *scripted) BernoulliScaledExp(_, _ *big.Rat) bool {
	c.rounds++
	return slices.Contains(c.accepts, c.rounds)
}

// Rounds are evaluated in the order of their blocks, and rounds in the same block in the order in which
// they were drawn. Rounds that were drawn after an accepted one are not evaluated. Of the accepted
// rounds, the one that was drawn first determines the result.
func TestOrderOfRounds(t *testing.T) {
	var alternating []int
	for i := range 40 {
		alternating = append(alternating, (i+1)%2)
	}
	for _, c := range []struct {
		blocks, accepts []int
		hypothesis      int // -1 for none
		rounds          int // number of evaluated rounds
	}{
		{[]int{2, 1, 0}, nil, -1, 3},
		{[]int{2, 1, 0}, []int{1}, 0, 3},     // the draw in block 0 was made last, so all rounds are evaluated
		{[]int{2, 1, 0}, []int{1, 2}, 16, 3}, // block 1 was drawn before block 0
		{[]int{2, 1, 0}, []int{1, 2, 3}, 32, 3},
		{[]int{0, 1, 2}, []int{1}, 0, 1},
		{[]int{1, 0, 2}, []int{1}, 0, 2},
		{[]int{5, 3, 3}, []int{1}, 48, 2}, // the second round in block 3 is not evaluated, and the round in block 5 is
		{alternating, []int{1}, 0, 2},
		{alternating, []int{2}, 0, 4}, // the second round in block 0 is accepted; two rounds in block 1 were drawn before it
		{alternating, []int{2, 3}, 16, 3},
	} {
		coins := &scripted{blocks: slices.Clone(c.blocks), accepts: c.accepts}
		s := samplerOf(t, flat(16*8), coins)
		h, ok, err := s.rounds(context.Background(), len(c.blocks))
		if !ok {
			h = -1
		}
		if err != nil || h != c.hypothesis || coins.rounds != c.rounds {
			t.Errorf("%v, of which rounds %v are accepted: hypothesis %d after %d rounds, not %d after %d, %v", c.blocks, c.accepts, h, coins.rounds, c.hypothesis, c.rounds, err)
		}
	}
}

// A countdown is a context that ends after the given number of calls of Err.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// If the context ends, rounds returns no hypothesis, because an accepted round may not be the first.
func TestEndedRoundsReturnNothing(t *testing.T) {
	for left := range 20 {
		coins := &scripted{blocks: []int{3, 2, 1}, accepts: []int{1, 2, 3}}
		s := samplerOf(t, flat(16*8), coins)
		switch h, ok, err := s.rounds(&countdown{t.Context(), left}, 3); {
		case err == nil && left < 3:
			t.Errorf("the context ends after %d calls, and nothing notices", left)
		case err == nil && (h != 48 || !ok), err != nil && (h != nil || ok):
			t.Errorf("the context ends after %d calls: hypothesis %v, %v, %v", left, h, ok, err)
		}
	}
}

// The rounds on a frontier end as soon as their work exceeds the number of steps that the frontier may
// take.
func TestWorkOfRounds(t *testing.T) {
	for _, c := range []struct {
		children int // number of children of each of 96 groups; sampling one of n children counts as 1 + n/8 steps
		passes   int64
	}{{8 * 95, 1}, {8 * 96, 2}} {
		coins := &reluctant{rejects: 1, cap: true}
		_, e, err := SampleEffort(context.Background(), &grove{groups: slices.Repeat([]int{c.children}, 96)}, big.NewRat(1, 1), coins)
		if err != nil || e.Passes != c.passes {
			t.Errorf("%d children: %+v, not %d passes, %v", c.children, e, c.passes, err)
		}
	}
}

// single is the mass of one hypothesis, 7.
type single struct{}

func (single) Bound() (class.Upper, int64)                      { return class.Quotient(1, 1), 0 }
func (single) Descend() class.Descent[any]                      { return single{} }
func (single) Weights(context.Context) (sums []uint64, _ error) { return nil, nil }
func (single) Take(int)                                         {}
func (single) Hypothesis() (any, *big.Rat, int64)               { return 7, big.NewRat(1, 1), 0 }

// A round on a node with a mass counts as 32 steps.
func TestWorkOfDescents(t *testing.T) {
	f := newFrontier(class.Final[any](single{}), big.NewRat(1, 1), usual)
	f.ref = 5
	if _, err := f.build(context.Background(), 0, 100); err != nil || f.steps != 1 || f.ref != 0 { // the mass has the cost 0
		t.Fatalf("%d steps, reference %d, %v", f.steps, f.ref, err)
	}
	s := &sampler{frontier: f, coins: &reluctant{}, lambda: big.NewRat(1, 1)}
	if h, ok, err := s.rounds(context.Background(), 1); h != 7 || !ok || err != nil || s.work != 32 || s.descents != 1 {
		t.Errorf("hypothesis %d, %v, %v, after %d steps and %d descents", h, ok, err, s.work, s.descents)
	}
}

// levels is a descent through choices with the given partial sums, to a hypothesis of prior 1/3 and
// cost 6.
type levels struct {
	sums  [][]uint64
	taken []int
}

func (d *levels) Weights(context.Context) ([]uint64, error) {
	if len(d.taken) == len(d.sums) {
		return nil, nil
	}
	return d.sums[len(d.taken)], nil
}

func (d *levels) Take(i int)                         { d.taken = append(d.taken, i) }
func (d *levels) Hypothesis() (any, *big.Rat, int64) { return len(d.taken), big.NewRat(1, 3), 6 }
func (d *levels) Bound() (class.Upper, int64)        { panic("only descents are tested") }
func (d *levels) Descend() class.Descent[any]        { return d }

// A descent has the ratio prior/π, where π is the product of the shares of the options that were
// chosen.
func TestRatioOfDescents(t *testing.T) {
	sums := [][]uint64{{2, 5, 12}, {4, 9}, {7}}
	for _, c := range []struct {
		picks []int
		ratio *big.Rat // (12/weight)·(9/weight)/3
	}{
		{[]int{0, 0, 0}, big.NewRat(12*9, 2*4*3)}, {[]int{1, 0, 0}, big.NewRat(12*9, 3*4*3)}, {[]int{2, 1, 0}, big.NewRat(12*9, 7*5*3)},
	} {
		d := &levels{sums: sums}
		h, ratio, cost, err := descend(context.Background(), d, &scripted{blocks: c.picks})
		if err != nil || h != 3 || cost != 6 || ratio.Cmp(c.ratio) != 0 || !slices.Equal(d.taken, c.picks) {
			t.Errorf("%v: hypothesis %d of cost %d by %v, ratio %v, not %v, %v", c.picks, h, cost, d.taken, ratio, c.ratio, err)
		}
	}
}
