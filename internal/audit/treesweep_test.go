package audit_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// descentCoins are coins for a sample that descends by Pick and is accepted by one toss. They
// choose the given options, accept, and record the logarithm of the probability.
type descentCoins struct {
	noise.Coins // nil: a sample uses no other randomness
	t           testing.TB

	options []int // given; choose adds further ones
	choose  func(sums []uint64) int
	widths  []int
	log     float64
	done    bool
}

func (c *descentCoins) Pick(sums []uint64) int {
	at := len(c.widths)
	if at == len(c.options) {
		if c.choose == nil {
			c.t.Fatal("more options are picked than on the neighbour")
		}
		c.options = append(c.options, c.choose(sums))
	}
	i := c.options[at]
	c.widths = append(c.widths, len(sums))
	weight := sums[i]
	if i > 0 {
		weight -= sums[i-1]
	}
	c.log += math.Log(float64(weight)) - math.Log(float64(sums[len(sums)-1]))
	return i
}

func (c *descentCoins) BernoulliScaledExp(p, x *big.Rat) bool {
	if c.done {
		c.t.Fatal("a draw that was accepted is drawn again")
	}
	factor, _ := p.Float64()
	rate, _ := x.Float64()
	c.log += math.Log(factor) - rate
	c.done = true
	return true
}

// The log-ratio of the probabilities of a tree on two neighbours differs by at most ε between any two
// trees. This holds on tables of every shape, for rows and for persons, with two or more labels and
// with any loss. Some pair of trees attains ε.
func TestTreeSweep(t *testing.T) {
	rng, epsilon, lossy := rand.New(rand.NewPCG(6, 20)), privacytest.Decimal(t, "1.5"), learn.Loss{FalsePositive: 2, FalseNegative: 5}
	for i, r := range audittest.Relations {
		worst, pairs := 0.0, 0
		for j, s := range audit.Shapes(6) {
			if !heavy.On() && (i+j)%3 > 0 { // each under one or two relations
				continue
			}
			var attributes []dectree.Attribute
			for a, n := range s.Sizes {
				attributes = append(attributes, dectree.Attribute{Categories: n, Ordered: n * (a % 2)})
			}
			trees := treesOf(t, attributes, 1+(i/2+j)%2, s.Labels)
			many, err := learn.NewGibbs(trees, epsilon, r, learn.ByError(s.Labels))
			if err != nil {
				t.Fatal(err)
			}
			mechanisms := []privacy.Mechanism[learn.Records[[]uint16], *dectree.Tree]{many}
			if s.Labels == 2 {
				kinds, err := learn.NewGibbs(trees, epsilon, r, lossy.CostMatrix(2))
				if err != nil {
					t.Fatal(err)
				}
				levels, err := trees.WithOutcomes(learn.GradedLevels)
				if err != nil {
					t.Fatal(err)
				}
				graded, err := learn.NewGibbs(levels, epsilon, r, learn.Graded())
				if err != nil {
					t.Fatal(err)
				}
				mechanisms = append(mechanisms, kinds, graded)
			}
			for _, m := range mechanisms {
				losses := ranges(t, s, r, heavy.Pick(4, 30), rng, func(of *table.Table, c *descentCoins) (any, error) {
					return m.Release(context.Background(), of, c)
				})
				pairs += len(losses)
				for _, loss := range losses {
					if worst = max(worst, loss/1.5); loss > 1.5+1e-9 {
						t.Errorf("%v: %s: a loss of %.6f times the ε that is promised", r, s.Name, loss/1.5)
					}
				}
			}
		}
		t.Logf("%v: at most %.4f of ε over %d pairs", r, worst, pairs)
		if worst < 0.99 {
			t.Errorf("%v: at most %.4f of ε is lost", r, worst)
		}
	}
}

// ranges samples hypotheses from the table of a shape, and computes the probabilities of the same
// choices on the neighbouring tables. For each neighbour, it returns the range of the log-ratios of
// the two probabilities of a hypothesis. The logarithms omit a term that all hypotheses of a table
// share: the number of restarts of a sample.
func ranges(t *testing.T, s audit.Shape, r privacy.Relation, draws int, rng *rand.Rand, release func(*table.Table, *descentCoins) (any, error)) []float64 {
	t.Helper()
	draw := func(of *table.Table, c *descentCoins) (string, float64) {
		h, err := release(of, c)
		if err != nil || !c.done {
			t.Fatalf("%v: %s: %v, %t", r, s.Name, err, c.done)
		}
		return fmt.Sprint(h), c.log
	}
	own := audittest.TableOf(t, s, r)
	var others []*table.Table
	for _, other := range s.Neighbours(r) {
		others = append(others, audittest.TableOf(t, other, r))
	}
	least, most := make([]float64, len(others)), make([]float64, len(others))
	for n := range draws {
		first := &descentCoins{t: t, choose: func(sums []uint64) int {
			if n%2 == 1 { // also hypotheses of few misclassifications
				return weighted(sums, rng)
			}
			return rng.IntN(len(sums))
		}}
		drawn, log := draw(own, first)
		for k, other := range others {
			next := &descentCoins{t: t, options: first.options}
			same, otherLog := draw(other, next)
			if same != drawn || fmt.Sprint(next.widths) != fmt.Sprint(first.widths) {
				t.Errorf("%v: %s: %s and %s are drawn by the same options, of %v and %v", r, s.Name, drawn, same, first.widths, next.widths)
			}
			if d := log - otherLog; n == 0 {
				least[k], most[k] = d, d
			} else {
				least[k], most[k] = min(least[k], d), max(most[k], d)
			}
		}
	}
	for k := range most {
		most[k] -= least[k]
	}
	return most
}

// A sample from the union of cards and trees, where the cards follow from given noisy counts, has a
// privacy loss of at most the ε that the counts leave. This holds on tables of every shape, and on some
// table the loss is nearly this ε.
func TestEitherSweep(t *testing.T) {
	rng, epsilon, counts, left := rand.New(rand.NewPCG(8, 20)), privacytest.Decimal(t, "2"), privacytest.Decimal(t, "0.5"), 1.5
	for _, r := range audittest.Relations[:2] { // it does not support persons
		worst := 0.0
		for j, s := range audittest.TwoLabels(audit.Shapes(8)) {
			var attributes []dectree.Attribute
			for _, n := range s.Sizes {
				attributes = append(attributes, dectree.Attribute{Categories: n})
			}
			cards, err := learn.NewWeightedNaiveBayes(s.Sizes, orders(s.Sizes), epsilon, counts, r, 6, heavy.Pick(9, 81))
			if err != nil {
				t.Fatal(err)
			}
			m, err := learn.NewEither(cards, treesOf(t, attributes, 1+j%2, 2))
			if err != nil {
				t.Fatal(err)
			}
			answers := audittest.CountsOf(audittest.TableOf(t, s, r))
			for i := range answers {
				answers[i] += rng.Int64N(21) - 10
			}
			for _, loss := range ranges(t, s, r, heavy.Pick(8, 30), rng, func(of *table.Table, c *descentCoins) (any, error) {
				c.Coins = &audit.Answered{Answers: answers, Counts: audittest.CountsOf(of)}
				return m.Release(context.Background(), of, c)
			}) {
				if worst = max(worst, loss/left); loss > left+1e-9 {
					t.Errorf("%v: %s: a loss of %.6f times the ε that is left", r, s.Name, loss/left)
				}
			}
		}
		t.Logf("%v: at most %.4f of what is left of ε", r, worst)
		if worst < 0.95 {
			t.Errorf("%v: at most %.4f of what is left of ε is lost", r, worst)
		}
	}
}

// weighted samples an option in proportion to its weight.
func weighted(sums []uint64, r *rand.Rand) int {
	at := r.Uint64N(sums[len(sums)-1])
	for i, sum := range sums {
		if at < sum {
			return i
		}
	}
	panic("audit: sums do not rise")
}
