package search

import (
	"context"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
)

// bit is the difference of costs at which weights differ by a factor of 2, at the rate logRate.
const bit = 1 << 16

// sloped returns a sampler over a grove, at the rate logRate.
func sloped(of *grove) *sampler {
	sizes := usual
	sizes.threads = 1
	return &sampler{frontier: newFrontier(of, logRate, sizes), lambda: logRate}
}

// leasts returns the least weights of the frontiers that walkers began to walk, from the limits at the first
// group, for reference 0.
func (t *grove) leasts() (of []int64) {
	for _, limit := range t.limits {
		if limit < 0 { // reach rounds down
			limit++
		}
		of = append(of, log(class.Quotient(uint64(t.groups[0]), 1))+unitBelow*bit-limit)
	}
	return of
}

// The first frontier splits nodes that weigh more than twice the root: its hypotheses times e^{λ·d}, where
// d is the difference of the costs of the incumbent and of the root's bound. A pace starts with the number
// of steps, or the given number if it is greater.
func TestCoarsest(t *testing.T) {
	for _, c := range []struct {
		groups []int
		root   int64
		best   int64 // the cost of the incumbent
		least  int64
		steps  int64
	}{
		{[]int{8, 8}, -3 * bit, 0, (4 + 3 + 1) * bit, 64},
		{[]int{8, 8}, -3 * bit, -bit, (4 + 2 + 1) * bit, 64},
		{[]int{8, 8}, -1, 0, 4*bit + bit + 1, 64},
		{[]int{8, 8}, -1, -1, 4*bit + bit, 64},
		{slices.Repeat([]int{1}, 64), -5 * bit, 0, 12 * bit, 64},
		{slices.Repeat([]int{1}, 128), -5 * bit, 0, 13 * bit, 128},
		{[]int{8, 8}, -mostLog + 4*bit, 0, mostLog + bit, 64}, // the logarithm of the root's weight is mostLog
		{[]int{8, 8}, -mostLog, 0, mostLog + bit, 64},
		{[]int{8, 8}, -1 << 62, 0, mostLog + bit, 64},
	} {
		s := sloped(&grove{groups: c.groups, root: c.root, costs: map[[2]int]int64{{}: c.best}})
		p, err := s.coarsest(context.Background(), 64)
		if want := (pace{most: c.steps, fall: 2 << 16}); err != nil || s.least != c.least || p != want {
			t.Errorf("%d groups, bound %d: least weight 2^(%d/2^16), not 2^(%d/2^16), and the pace %+v, not %+v, %v", len(c.groups), c.root, s.least, c.least, p, want, err)
		}
	}
}

// refine lowers the least weight in one of three ways:
//
//   - by four times the last decrease while the number of steps hardly grows,
//   - by a decrease in proportion if the number of steps grows,
//   - by half the distance if a walk takes too many steps.
//
// It ends if a frontier takes more than half of the allowed steps or has no open node, or if the distance is below
// leastFall. A cost lower than the reference permits all least weights again.
func TestRefine(t *testing.T) {
	const most = 128 // after the pace has doubled
	for _, c := range []struct {
		name   string
		of     *grove
		first  int64   // least weight of the frontier that is refined
		leasts []int64 // least weights of the walks
		steps  int64   // number of steps of the last frontier
		pace   pace
		growth int64 // of the pace at first
	}{
		{
			"in proportion at first",
			&grove{groups: []int{32, 32}, bounds: []int64{-1, -1}}, 100 * bit,
			[]int64{(100 - 1) * bit, (100 - 1 - 4) * bit, (100 - 1 - 4 - 16) * bit, (100 - 1 - 4 - 16 - 64) * bit, (100 - 1 - 4 - 16 - 64 - 256) * bit, (100 - 1 - 4 - 16 - 64 - 256) * bit},
			66, pace{most, 256 * bit, logOf(66) - logOf(2)}, 2 * (6*bit - 27<<10),
		}, {
			"four times the decrease",
			&grove{groups: []int{32, 32}, bounds: []int64{-1, -1}}, 100 * bit,
			[]int64{(100 - 8) * bit, (100 - 8 - 32) * bit, (100 - 8 - 32 - 128) * bit, (100 - 8 - 32 - 128) * bit}, // the last is walked again with another unit
			66, pace{most, 128 * bit, logOf(66) - logOf(2)}, 0,
		}, {
			// In 34 of 128 steps, the decrease in proportion is 8·bit·(log₂ 128 - log₂ 34 - 27/64)/(log₂ 34 - log₂ 2).
			"in proportion to the steps, and then by halves",
			&grove{groups: []int{32, 128}, bounds: []int64{-15 * bit, -3 * bit}}, 24 * bit, // the groups weigh 2^20 and 2^10
			[]int64{
				16 * bit, 16*bit - 195599,
				16*bit - 5*195599, 16*bit - 3*195599, // too many steps
				16*bit - 2*195599,
				657378 - 97799, 657378 - 48899, 657378 - 24449, 657378 - 12224, // too many steps
				657378,
			},
			34, pace{most, 195599, 0}, 0,
		}, {
			"less than half of the distance",
			&grove{groups: []int{58, 128}, bounds: []int64{-16 * bit, -11 * bit}}, 24 * bit, // the groups weigh 2^21.9 and 2^18
			[]int64{
				16 * bit, // too many steps
				20 * bit, 20*bit - 37809,
				1272911 - 112167, // too many steps
				1272911 - 56083, 1216828 - 28042,
				1188786 - 14021, // too many steps
				1188786,
			},
			60, pace{most, 28042, 0}, 0,
		}, {
			"a lower cost",
			&grove{groups: []int{128, 32}, bounds: []int64{-11 * bit, -17 * bit}, costs: map[[2]int]int64{{1, 7}: -bit}}, 24 * bit,
			[]int64{
				16 * bit,           // too many steps
				20 * bit, 21 * bit, // 2^20 again, after the reference has become -bit, which makes the limits lower
				21*bit - 97799,
				21*bit - 5*97799, 21*bit - 3*97799, // too many steps
				21*bit - 2*97799,
				1180658 - 48899, 1180658 - 24449, 1180658 - 12224, // too many steps
				1180658,
			},
			34, pace{most, 97799, 0}, 0,
		}, {
			"half of the steps",
			&grove{groups: []int{62, 128}, bounds: []int64{-15 * bit, -3 * bit}}, 24 * bit,
			[]int64{
				16 * bit, 16*bit - 60620, 16*bit - 5*60620,
				745476 - 969920, 745476 - 484960, 745476 - 242480, 745476 - 121240, // too many steps
				745476 - 60620,
				745476 - 90930, // too many steps
				745476 - 75775,
			},
			64, pace{most, 15155, 0}, 0,
		}, {
			"more than half of the steps",
			&grove{groups: []int{63, 128}, bounds: []int64{-15 * bit, -3 * bit}}, 24 * bit,
			[]int64{16 * bit}, 65, pace{most, 8 * bit, logOf(65) - logOf(2)}, 0,
		}, {
			"no decrease",
			&grove{groups: []int{128, 128}, bounds: []int64{-17*bit + 4096, -3 * bit}}, 24 * bit, // the first group weighs 2^(24 - 1/16)
			[]int64{16 * bit, 20 * bit, 22 * bit, 23 * bit, 24*bit - bit/2, 24*bit - bit/4, 24*bit - bit/8, 24 * bit}, 2, pace{most, startFall, 0}, 0,
		}, {
			"the lowest least weight",
			&grove{groups: []int{1, 32}, bounds: []int64{0, 2 * mostLog}}, -mostLog + bit,
			[]int64{-mostLog, -mostLog}, 2, pace{most, bit, 0}, 0, // the second walk has another unit
		},
	} {
		s, p := sloped(c.of), pace{most: most / 2, fall: startFall, growth: c.growth}
		if _, err := s.build(t.Context(), c.first, most); err != nil {
			t.Fatal(err)
		}
		c.of.limits = nil
		err := s.refine(t.Context(), &p)
		if got := c.of.leasts(); err != nil || !slices.Equal(got, c.leasts) || s.steps != c.steps || p != c.pace {
			t.Errorf("%s: least weights %v, not %v; %d steps, not %d; pace %+v, not %+v; %v", c.name, got, c.leasts, s.steps, c.steps, p, c.pace, err)
		}
	}
}

// The next decrease is such that the number of steps grows to three quarters of the allowed number.
func TestNextDecrease(t *testing.T) {
	const quarter = 27 << 10 // log₂ 4/3, approximately
	const wanted = 6*bit - quarter
	for _, c := range []struct {
		p           pace
		steps, fall int64
	}{
		{pace{128, 1000, 0}, 2, 4000},
		{pace{128, 1000, -7}, 2, 4000}, // the number of steps decreased with a lower reference
		{pace{128, 1000, wanted / 4}, 2, 4000},
		{pace{128, 100_000, wanted/4 + 1}, 2, 100_000 * wanted / (wanted/4 + 1)},
		{pace{128, 100_000, wanted}, 2, 100_000},
		{pace{128, 100_000, 2 * wanted}, 2, 50_000},
		{pace{128, 100_000, 13 * wanted}, 2, leastFall},
		{pace{128, 1000, 0}, 128, 4000},
		{pace{128, 1 << 20, 1}, 128, leastFall},
		{pace{128, 1000, 0}, 200, 4000},
		{pace{128, mostLog / 4, 0}, 2, mostLog},
		{pace{128, mostLog/4 - 1, 0}, 2, mostLog - 4},
		{pace{128, mostLog/4 + 1, 0}, 2, mostLog},
	} {
		if got := c.p.next(c.steps); got != c.fall {
			t.Errorf("%+v after %d steps: %d, not %d", c.p, c.steps, got, c.fall)
		}
	}
	if logOf(8) != 3*bit || logOf(1) != 0 {
		t.Errorf("log₂ 8 is %d/2^16, and log₂ 1 is %d", logOf(8), logOf(1))
	}
}
