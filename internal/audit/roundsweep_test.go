package audit_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/audittest"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A firstRound is a source of coins for samples of package search that are accepted in their first
// round. Such a round chooses by Pick and Below, may sample a slack for the cost, called room, and
// ends with the toss that accepts. Exactly one list of choices leads to a hypothesis, which is
// accepted for every room from some number on. So the probability of accepting it in the first round
// is a product: of the probabilities of the choices, of e^{-λ·least room}, and of the probability of
// the last toss. A sample contains each hypothesis with a probability in proportion to this product.
type firstRound struct {
	noise.Coins // nil: a sample uses no other randomness
	choose      func(sums []uint64) int
	random      *rand.Rand

	given [][]*big.Int   // choices, by sample; further ones are generated
	rooms map[int]uint64 // by sample; the maximum for others
	draws []*round
}

type round struct {
	choices    []*big.Int
	log        float64 // of the probability of choices, and of the last toss
	rate       float64 // of the slack of costs
	most       uint64
	open, room bool // a slack is sampled, and the last toss is not used
}

// errRejected is the panic value of the coins if the first round is rejected.
var errRejected = errors.New("audit: the first round is rejected")

// begin begins a sample.
func (c *firstRound) begin() { c.draws = append(c.draws, &round{}) }

func (c *firstRound) choice(make func() *big.Int) (*round, *big.Int) {
	at := len(c.draws) - 1
	d := c.draws[at]
	var v *big.Int
	switch n := len(d.choices); {
	case at < len(c.given) && n == len(c.given[at]):
		panic(errRejected)
	case at < len(c.given):
		v = c.given[at][n]
	default:
		v = make()
	}
	d.choices = append(d.choices, v)
	return d, v
}

func (c *firstRound) Pick(sums []uint64) int {
	d, v := c.choice(func() *big.Int { return big.NewInt(int64(c.choose(sums))) })
	i := int(v.Int64())
	if i >= len(sums) { // the remaining choices of the first round
		panic(errRejected)
	}
	weight := sums[i]
	if i > 0 {
		weight -= sums[i-1]
	}
	d.log += math.Log(float64(weight)) - math.Log(float64(sums[len(sums)-1]))
	return i
}

func (c *firstRound) Below(n *big.Int) *big.Int {
	d, v := c.choice(func() *big.Int { return noise.Insecure(c.random.Uint64()).Below(n) })
	of, _ := new(big.Float).SetInt(n).Float64()
	d.log -= math.Log(of)
	return v
}

func (c *firstRound) Draw(s noise.Sampler) *big.Int {
	law, at := s.(noise.TruncatedGeometric), len(c.draws)-1
	d := c.draws[at]
	if d.open {
		panic(errRejected)
	}
	d.open, d.room, d.most = true, true, law.Cap
	d.rate, _ = law.X.Float64()
	if room, ok := c.rooms[at]; ok {
		return new(big.Int).SetUint64(room)
	}
	return new(big.Int).SetUint64(law.Cap)
}

func (c *firstRound) BernoulliScaledExp(p, x *big.Rat) bool {
	d := c.draws[len(c.draws)-1]
	d.open = false
	factor, _ := p.Float64()
	rate, _ := x.Float64()
	d.log += math.Log(factor) - rate
	return true
}

// attempt runs a mechanism with the coins, and reports whether each first round was accepted.
func (c *firstRound) attempt(run func(*firstRound) any) (released any, ok bool) {
	defer func() {
		if r := recover(); r != nil && r != errRejected {
			panic(r)
		}
	}()
	return run(c), true
}

// measured runs a mechanism with given choices for the first samples. It returns the released value,
// the choices of the next sample, and the logarithm of the probability of these choices. It finds the
// least room faster if this room is the expected one.
func measured(t *testing.T, given [][]*big.Int, choose func([]uint64) int, random *rand.Rand, run func(*firstRound) any, expected func(released any) float64) (released any, choices []*big.Int, log float64) {
	t.Helper()
	first := &firstRound{choose: choose, random: random, given: given}
	released, ok := first.attempt(run)
	if !ok || len(given) >= len(first.draws) {
		t.Fatalf("a round with the most room is rejected, or %d draws are made", len(first.draws))
	}
	var all [][]*big.Int
	for _, d := range first.draws {
		all = append(all, d.choices)
	}
	at := len(given)
	d := first.draws[at]
	log = d.log
	if d.room {
		enough := func(room int) bool {
			again := &firstRound{given: all, rooms: map[int]uint64{at: uint64(room)}}
			same, ok := again.attempt(run)
			return ok && fmt.Sprint(same) == fmt.Sprint(released)
		}
		least := int(math.Round((log - expected(released)) / d.rate))
		if least < 0 || least > int(d.most) || !enough(least) || least > 0 && enough(least-1) {
			least = sort.Search(int(d.most), enough)
		}
		log -= d.rate * float64(least)
	}
	return released, d.choices, log
}

// A drawing is a mechanism that samples once, after given choices, with the distribution that it
// should have.
type drawing struct {
	run  func(of *table.Table) func(*firstRound) any
	cost func(of *table.Table, released any) float64 // λ times the cost, by definition
}

// lawful checks the samples from a table, after the samples with given choices: their probabilities
// are e^{-cost} times a common factor. It returns the released values, and the choices of the last
// sample.
func (m drawing) lawful(t *testing.T, name string, of *table.Table, given [][]*big.Int, draws int, random *rand.Rand) (all []any, choices []*big.Int) {
	t.Helper()
	base := 0.0
	for n := range draws {
		released, own, log := measured(t, given, func(sums []uint64) int {
			if n%2 == 1 { // of few errors too
				return weighted(sums, random)
			}
			return random.IntN(len(sums))
		}, random, m.run(of), func(released any) float64 { return base - m.cost(of, released) })
		factor := log + m.cost(of, released)
		if n == 0 {
			base = factor
		} else if math.Abs(factor-base) > 1e-6*(1+math.Abs(base)) {
			t.Errorf("%s: %v is e^%.6f times as likely as it should be, by what was drawn first", name, released, factor-base)
		}
		all, choices = append(all, released), own
	}
	return all, choices
}

// lossOf returns the loss of predictions on a table of rows or persons, by definition.
func lossOf(d *table.Table, l learn.Loss, weight int64, predict func([]uint16) bool) float64 {
	sum := int64(0)
	for i := range d.Len() {
		switch predicted := predict(d.Record(i, nil)); {
		case predicted && !d.Label(i):
			sum += l.FalsePositive * d.Count(i)
		case !predicted && d.Label(i):
			sum += l.FalseNegative * d.Count(i)
		}
	}
	return float64(sum) / float64(weight)
}

// checkDrawing checks the law of a drawing on a shape and on its neighbours. It fails if the costs of the
// released hypotheses change between two tables by more than promised. given holds, for each shape, the
// choices of earlier draws; checkDrawing appends those of one draw.
func checkDrawing(t *testing.T, w *audittest.Sweep, r privacy.Relation, shapes []audit.Shape, given [][][]*big.Int, draws int, promised float64, m drawing) {
	t.Helper()
	var all []any
	var tables []*table.Table
	for i, s := range shapes {
		d := audittest.TableOf(t, s, r)
		released, choices := m.lawful(t, fmt.Sprintf("%v: %s", r, s.Name), d, given[i], draws, w.Random)
		tables, all, given[i] = append(tables, d), append(all, released...), append(given[i], choices)
	}
	for i, other := range tables[1:] {
		var changes []float64
		for _, released := range all {
			changes = append(changes, m.cost(other, released)-m.cost(tables[0], released))
		}
		w.Add(t, fmt.Sprintf("%v: %s", r, shapes[1+i].Name), (slices.Max(changes)-slices.Min(changes))/promised)
	}
}

// pairsOfShapes visits shapes of two labels with some of their neighbours, under every relation; in
// the short form each under one.
func pairsOfShapes(seed uint64, relations []privacy.Relation, visit func(r privacy.Relation, shapes []audit.Shape)) {
	for i, r := range relations {
		for j, s := range audittest.TwoLabels(audit.Shapes(seed)) {
			if !heavy.On() && j%len(relations) != i {
				continue
			}
			others := s.Neighbours(r)
			if most := heavy.Pick(2, len(others)); len(others) > most {
				others = []audit.Shape{others[0], others[1+j%(len(others)-1)]}
			}
			visit(r, append([]audit.Shape{s}, others...))
		}
	}
}

// countingStages mark for the coins where a sample begins.
type countingStages struct {
	sparseStages
	coins *firstRound
}

func (s *countingStages) Stage(lambda *big.Rat, drawn []sparse.Card) (class.Class[[]uint16, sparse.Card], error) {
	if s.coins != nil {
		s.coins.begin()
	}
	return s.sparseStages.Stage(lambda, drawn)
}

// Each staged sample follows the exponential mechanism, at the rate that its share of ε allows, over
// the cards that extend the card sampled before. This holds on tables of every shape, for rows and for
// persons, with any loss. On some table the privacy loss is all of ε.
func TestStagedSweep(t *testing.T) {
	w := audittest.NewSweep(11)
	pairsOfShapes(11, audittest.Relations, func(r privacy.Relation, shapes []audit.Shape) {
		sizes, draws := shapes[0].Sizes, 2+len(shapes[0].Rows)%2
		l := learn.Loss{FalsePositive: 1 + int64(len(sizes)%2), FalseNegative: 1 + int64(len(sizes)%3)}
		stages := &countingStages{sparseStages: keeping(sparseStages{o: sparse.Options{
			Sizes: sizes, Most: heavy.Pick(1, min(len(sizes), 2)), Points: 1, Threshold: 1, Draws: draws,
		}})}
		m, err := learn.NewStaged[[]uint16, sparse.Card](stages, privacytest.Decimal(t, fmt.Sprint(1.5*float64(draws))), r, l)
		if err != nil {
			t.Fatal(err)
		}
		rate := audittest.Rate(1.5, r, l.Range())
		given := make([][][]*big.Int, len(shapes))
		for i := range draws {
			checkDrawing(t, w, r, shapes, given, heavy.Pick(3, 5), 1.5, drawing{
				func(of *table.Table) func(*firstRound) any {
					return func(c *firstRound) any {
						stages.coins = c
						defer func() { stages.coins = nil }()
						drawn, err := m.Release(context.Background(), learn.Examples(of), c)
						if err != nil {
							t.Fatal(err)
						}
						return drawn
					}
				},
				func(of *table.Table, released any) float64 {
					drawn := released.([]sparse.Card)
					stage, err := stages.class(learn.Rate(privacytest.Decimal(t, "1.5"), r, l), drawn[:i])
					if err != nil {
						t.Fatal(err)
					}
					charge := class.Cost(stage, class.Problem[[]uint16]{}, drawn[i])
					return rate * (lossOf(of, l, learn.Units(r), func(x []uint16) bool { return stage.Predict(drawn[i], x) }) + float64(charge))
				},
			})
		}
	})
	w.Report(t, 0.99)
}

// drawnOnce returns a drawing of one sample.
func drawnOnce(t *testing.T, release func(of *table.Table, c noise.Coins) (any, error), cost func(of *table.Table, released any) float64) drawing {
	return drawing{func(of *table.Table) func(*firstRound) any {
		return func(c *firstRound) any {
			c.begin()
			released, err := release(of, c)
			if err != nil {
				t.Fatal(err)
			}
			return released
		}
	}, cost}
}

// A sample from a union of trees and cards follows the exponential mechanism, with the prior of trees
// and the penalties of both. This holds on tables of every shape, for rows and for persons, with any
// loss.
func TestMixtureSweep(t *testing.T) {
	w := audittest.NewSweep(12)
	pairsOfShapes(12, audittest.Relations, func(r privacy.Relation, shapes []audit.Shape) {
		sizes := shapes[0].Sizes
		var attributes []dectree.Attribute
		for a, n := range sizes {
			attributes = append(attributes, dectree.Attribute{Categories: n, Ordered: n * (a % 2)})
		}
		l := learn.Loss{FalsePositive: 1 + int64(len(sizes)%3), FalseNegative: 1 + int64(len(sizes)%2)}
		trees := treesOf(t, attributes, 1+len(sizes)%2, 2)
		cards, err := scorecard.New(scorecard.Uniform(sizes, 0, 1), scorecard.Options{Threshold: 2, Penalty: 1})
		if err != nil {
			t.Fatal(err)
		}
		charges := [2]int64{1, 3}
		u, err := union.NewMixed(mixedMember{Tractable: class.EraseTractable[[]uint16](trees), Penalty: charges[0]}, mixedMember{Searched: class.Erase(searchtest.CacheTrees[scorecard.Card](cards)), Penalty: charges[1]})
		if err != nil {
			t.Fatal(err)
		}
		m, err := learn.NewMixture[[]uint16, union.Choice[any]](u, privacytest.Decimal(t, "1.5"), r, l)
		if err != nil {
			t.Fatal(err)
		}
		rate := audittest.Rate(1.5, r, l.Range())
		checkDrawing(t, w, r, shapes, make([][][]*big.Int, len(shapes)), heavy.Pick(3, 20), 1.5, drawnOnce(t, func(of *table.Table, c noise.Coins) (any, error) {
			return m.Release(context.Background(), learn.Examples(of), c)
		}, func(of *table.Table, released any) float64 {
			h := released.(union.Choice[any])
			charge, weight := charges[h.Member], 1.0
			if tree, ok := h.Hypothesis.(*dectree.Tree); ok {
				weight, _ = trees.Prior(tree).Float64()
			} else {
				card := h.Hypothesis.(scorecard.Card)
				for j := range card.Points {
					charge += int64(audittest.Bit(card.Used(j)))
				}
			}
			return rate*(lossOf(of, l, learn.Units(r), func(x []uint16) bool { return u.Predict(h, x) })+float64(charge)) - math.Log(weight)
		}))
	})
	w.Report(t, 0.99)
}

// On tables of every shape, a sample from a box of weights follows the exponential mechanism, with
// clipped features and sums of features, several losses and a ridge penalty.
func TestBoxSweep(t *testing.T) {
	w := audittest.NewSweep(13)
	pairsOfShapes(13, audittest.Relations[:2], func(r privacy.Relation, shapes []audit.Shape) {
		dim := min(len(shapes[0].Sizes), 4)
		s := learn.BoxSpace{Dim: dim, Weight: 1 + int64(dim%2), Feature: 2, Ridge: int64(len(shapes[0].Rows) % 3)}
		s.Loss = learn.Hinge(int(s.Weight)*dim*2, 3)
		if dim > 2 {
			s.Norm = 3
			s.Loss = learn.Logistic(int(s.Weight)*3, 2, 10)
		}
		features := func(x []uint16) (all []int64) {
			for _, v := range x {
				all = append(all, 3*int64(v)-4) // -4, -1, 2, 5 and more
			}
			return all
		}
		m, err := learn.NewBox(s, privacytest.Decimal(t, "1.5"), r)
		if err != nil {
			t.Fatal(err)
		}
		rate := audittest.Rate(1.5, r, slices.Max(s.Loss)-slices.Min(s.Loss))
		checkDrawing(t, w, r, shapes, make([][][]*big.Int, len(shapes)), heavy.Pick(3, 20), 1.5, drawnOnce(t, func(of *table.Table, c noise.Coins) (any, error) {
			var d vectors
			for _, e := range learn.Examples(of) {
				d = append(d, learn.Example[[]int64]{X: features(e.X), Label: e.Label, Count: e.Count})
			}
			return m.Release(context.Background(), d, c)
		}, func(of *table.Table, released any) float64 {
			cost := int64(0)
			for i := range of.Len() {
				score, left := int64(0), int64(math.MaxInt64)
				if s.Norm > 0 {
					left = s.Norm
				}
				for j, v := range features(of.Record(i, nil))[:dim] {
					v = max(-min(2, left), min(v, 2, left))
					left -= max(v, -v)
					score += v * released.([]int64)[j]
				}
				if !of.Label(i) {
					score = -score
				}
				cost += of.Count(i) * s.Loss[int64(len(s.Loss)/2)+score]
			}
			for _, v := range released.([]int64) {
				cost += s.Ridge * v * v
			}
			return rate * float64(cost)
		}))
	})
	w.Report(t, 0.9)
}

// Each hypothesis of a leader follows the exponential mechanism on the rows of the preceding
// rounds, for streams of every shape divided into rounds in any way.
func TestLeaderSweep(t *testing.T) {
	w := audittest.NewSweep(14)
	pairsOfShapes(14, audittest.Relations[:2], func(r privacy.Relation, shapes []audit.Shape) {
		sizes := shapes[0].Sizes
		cards, err := scorecard.New(scorecard.Uniform(sizes, 0, 1), scorecard.Options{Threshold: 2, Penalty: 1})
		if err != nil {
			t.Fatal(err)
		}
		base, err := learn.NewExponential(searchtest.CacheTrees[scorecard.Card](cards), privacytest.Decimal(t, "1.5"), r, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		rate := audittest.Rate(1.5, r, 1)
		const batch = 1 << 21
		// The mechanism sees the counts in two halves, the second with its records in another order.
		checkDrawing(t, w, r, shapes, make([][][]*big.Int, len(shapes)), heavy.Pick(3, 20), 1.5, drawnOnce(t, func(of *table.Table, c noise.Coins) (any, error) {
			l, err := learn.NewLeader[[]uint16, scorecard.Card](base, batch)
			if err != nil {
				return nil, err
			}
			var rounds [2]audittest.Examples
			for _, e := range learn.Examples(of) {
				all := e.Count
				for i, n := range []int64{all / 2, all - all/2} {
					if e.Count = n; n > 0 {
						rounds[i] = append(rounds[i], e)
					}
				}
			}
			slices.Reverse(rounds[1])
			for _, round := range rounds {
				if err := l.See(round); err != nil {
					return nil, err
				}
			}
			return l.Next(context.Background(), c)
		}, func(of *table.Table, released any) float64 {
			card := released.(scorecard.Card)
			charge := int64(0)
			for j := range card.Points {
				charge += int64(audittest.Bit(card.Used(j)))
			}
			return rate * (lossOf(of, learn.ZeroOne, 1, func(x []uint16) bool { return cards.Predict(card, x) }) + float64(charge))
		}))
	})
	w.Report(t, 0.99)
}
