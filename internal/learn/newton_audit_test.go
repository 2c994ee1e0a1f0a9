package learn

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A newtonRun records the noise of a release and the indices that noise.Gibbs returns.
type newtonRun struct {
	noise.Coins
	laws  []noise.Sampler
	noise []*big.Int
	picks []int
	last  int // the index that was proposed
}

func (c *newtonRun) Draw(law noise.Sampler) *big.Int {
	k := c.Coins.Draw(law)
	c.laws, c.noise = append(c.laws, law), append(c.noise, new(big.Int).Set(k))
	return k
}

func (c *newtonRun) Uint64n(n uint64) uint64 {
	u := c.Coins.Uint64n(n)
	c.last = int(u)
	return u
}

func (c *newtonRun) BernoulliExp(x *big.Rat) bool {
	accepted := c.Coins.BernoulliExp(x)
	if accepted {
		c.picks = append(c.picks, c.last)
	}
	return accepted
}

// release runs the learner and returns its noisy counts and sums, and its card. The exact counts and sums are
// computed independently of the release, from the results of the parts before them.
// ends are the families with the cards of the residuals, one for each round.
func (c *newtonRun) release(t testing.TB, m *Newton, d Listed[[]uint16]) (out audit.Release, of *encodedTable, start linear, ends []family, err error) {
	p, err := m.Release(context.Background(), tableOf(t, m.marginals.sizes, d), c)
	if err != nil {
		return out, nil, start, nil, err
	}
	exact := m.marginals.tally(d)
	cells := len(exact)
	answers := plusNoise(exact, c.noise[:cells])
	r := m.budget.Relation()
	of = m.round(m.marginals.encode(perPerson(answers, r), m.variancesOf(c.laws), m.ordered))
	start = of.starts().cards[c.picks[0]].linear
	s := rowSums(of, d, start)
	first := cells + len(s.gradient)
	second := first + len(s.hessian)
	gradient, hessian := plusNoise(s.gradient, c.noise[cells:first]), plusNoise(s.hessian, c.noise[first:second])
	out.Numbers = slices.Concat(answers, gradient, hessian)
	sums := newNoisySums(perPerson(gradient, r), m.variance(c.laws[cells]), perPerson(hessian, r), m.variance(c.laws[first]))
	families := of.along(start, of.step(start, sums))
	end := families[len(families)-1]
	corrector := of.corrector(start, sums, end, m.ordered)
	all, at := corrector.none(), second
	for range correctionRounds {
		families := of.corrected(end, all)
		ends = append(ends, families[len(families)-1])
		noisy, variances := make([][]float64, len(all)), make([]float64, len(all))
		residuals := plusNoise(rowResiduals(of.groups, ends[len(ends)-1], d), c.noise[at:])
		out.Numbers = append(out.Numbers, residuals...)
		for j, points := range end.points {
			n := len(points)
			noisy[j], residuals, variances[j] = perPerson(residuals[:n], r), residuals[n:], m.variance(c.laws[at])
			at += n
		}
		corrector.correct(all, noisy, variances)
	}
	out.Choices, out.Rest = 2, fmt.Sprint(p)
	return out, of, start, ends, nil
}

// variancesOf returns the variance of the noise of a count, by attribute. laws begins with those of all counts.
func (m *Newton) variancesOf(laws []noise.Sampler) (variances []float64) {
	for j := range m.marginals.sizes {
		variances = append(variances, m.variance(laws[m.marginals.cell(j, 0, false)]))
	}
	return variances
}

func plusNoise(exact []int64, noise []*big.Int) (noisy []*big.Int) {
	for i, n := range exact {
		noisy = append(noisy, new(big.Int).Add(big.NewInt(n), noise[i]))
	}
	return noisy
}

// rowsOf returns the rows of a shape, with every label above 1 changed to 1. Each row counts the given number of units.
func rowsOf(s audit.Shape, units int64) (d Listed[[]uint16]) {
	for _, of := range s.Rows {
		d = append(d, Example[[]uint16]{of.X, of.Label > 0, units * of.Count})
	}
	return d
}

// neighboursOf returns the rows of the neighbours of a shape under the relation r. Under a relation of added persons,
// one of the neighbours has a person with two different rows.
func neighboursOf(s audit.Shape, r privacy.Relation) (all []Listed[[]uint16]) {
	units := Units(r)
	for _, n := range s.Neighbours(r) {
		all = append(all, rowsOf(n, units))
	}
	if r.Persons() > 1 && !r.Replaces() && len(s.Rows) > 0 {
		first, last := s.Rows[0].X, s.Rows[len(s.Rows)-1].X
		all = append(all, append(rowsOf(s, units), Example[[]uint16]{first, true, units / 2}, Example[[]uint16]{last, false, units / 2}))
	}
	return all
}

// manyCategories returns a shape with more categories than groups, both of an ordered and of an unordered attribute.
func manyCategories() audit.Shape {
	s := audit.Shape{Name: "many categories", Sizes: []int{mostGroups + 6, 2, mostGroups + 3}, Labels: 2, Null: 1}
	for k := range uint16(100) {
		s.Add([]uint16{k % (mostGroups + 6), k / 3 % 2, k * k % (mostGroups + 3)}, int(k/9)%2, int64(1+k%4))
	}
	return s
}

// newtonLoss returns the maximum privacy loss of each part of a release, over a sweep of table shapes and their
// neighbours. The parts are counts, start, gradient, Hessian, last sample and residuals. The loss of a part is for equal
// results of the parts before it, and is in units of the part's share of the budget. For sums with Gaussian noise, it is
// ρ = Δ²/2σ², or μ²/2 for a budget of μ. Of the neighbours of each shape, it takes
// those that are step apart. neighbours is the relation of the sweep, and claimed is the relation of the learner.
func newtonLoss(t *testing.T, budget func(testing.TB, string, privacy.Relation) privacy.Guarantee, claimed, neighbours privacy.Relation, step int) (worst [6]float64) {
	shares := []string{"0.5", "0.25", "2", "1", "0.75", "1.5"}
	for i, s := range append(audit.Shapes(9), manyCategories()) {
		if s.Name == "large counts" {
			continue // rowSums takes a step for each row
		}
		m := newtonWithin(t, s.Sizes, budget(t, "1e9", claimed), 10, shares...)
		for j := range m.ordered {
			m.ordered[j] = (i+j)%2 == 0
		}
		m.shares.Proportional = concentrated(m.budget) && i%2 == 0
		d := rowsOf(s, Units(neighbours))
		all := neighboursOf(s, neighbours)
		for k := min(1, step-1); k < len(all); k += step {
			other := all[k]
			run := func(d Listed[[]uint16]) func(noise.Coins) (audit.Release, error) {
				return func(c noise.Coins) (audit.Release, error) {
					out, _, _, _, err := (&newtonRun{Coins: c}).release(t, m, d)
					return out, err
				}
			}
			c, err := audit.Couple(noise.Insecure(uint64(k)), run(d), run(other))
			if err != nil {
				t.Errorf("%v: %s, neighbour %d: %v", neighbours, s.Name, k, err)
				continue
			}
			add := func(part int, loss *big.Rat) {
				share, _ := new(big.Rat).Quo(loss, privacytest.Decimal(t, shares[part]).Rat()).Float64()
				worst[part] = max(worst[part], share)
			}
			add(1, c.Ranges[0])
			add(4, c.Ranges[1])
			own := &newtonRun{Coins: noise.Insecure(uint64(k))}
			_, of, start, ends, err := own.release(t, m, d)
			if err != nil {
				t.Fatal(err)
			}
			a, b, at := rowSums(of, d, start), rowSums(of, other, start), 0
			var residuals, others []int64
			for _, end := range ends {
				residuals, others = append(residuals, rowResiduals(of.groups, end, d)...), append(others, rowResiduals(of.groups, end, other)...)
			}
			for _, part := range []struct {
				share int
				a, b  []int64
			}{{0, m.marginals.tally(d), m.marginals.tally(other)}, {2, a.gradient, b.gradient}, {3, a.hessian, b.hessian}, {5, residuals, others}} {
				loss := new(big.Rat)
				for i := range part.a {
					by := big.NewRat(max(part.a[i]-part.b[i], part.b[i]-part.a[i]), 1)
					switch law := own.laws[at].(type) {
					case noise.Laplace:
						by.Quo(by, law.Scale)
					case noise.Gaussian:
						by.Mul(by, by)
						if _, ok := m.budget.(privacy.GDP); ok {
							by = privacy.NoiseSquare(by, law.Sigma2)
						} else {
							by.Quo(by, law.Sigma2)
						}
						by.Mul(by, big.NewRat(1, 2))
					}
					loss.Add(loss, by)
					at++
				}
				add(part.share, loss)
			}
		}
	}
	t.Logf("%v, claimed for %v: at most %.3f of the shares", neighbours, claimed, worst)
	return worst
}

// On tables of every shape, the card is a function of noisy counts, noisy sums and two samples. The privacy loss of
// each of these is at most its share, even if a person with several rows is added or replaced. With the scales and
// rates of add-remove, the losses of counts and samples exceed their shares under replace-one. With those for rows,
// they exceed their shares if persons are added.
func TestNewtonSweep(t *testing.T) {
	ofNormal := [6]float64{1, heavy.Pick(0.85, 0.9), 0.25, 0.7, 0.7, 0.25}
	for i, c := range []struct {
		budget func(testing.TB, string, privacy.Relation) privacy.Guarantee
		least  [6]float64
	}{{pureBudget, [6]float64{1, heavy.Pick(0.85, 0.9), 0.45, 0.45, 0.75, 0.7}}, {rhoBudget, ofNormal}, {muBudget, ofNormal}} {
		persons := privacy.AddRemove.OfPersons(2)
		relations := []privacy.Relation{persons, privacy.AddRemove, privacy.ReplaceOne, privacy.ReplaceOne.OfPersons(2)}
		once := i == 2 && !heavy.On() // noise for a μ differs little from that for a ρ
		if once {
			relations = relations[:1]
		}
		for _, r := range relations {
			step := 1
			if r.Replaces() { // it has twice as many neighbours
				step = heavy.Pick(2, 1)
			}
			for part, loss := range newtonLoss(t, c.budget, r, r, step) {
				if loss > 1+1e-12 || loss < c.least[part] {
					t.Errorf("%v: part %d loses at most %.4f of its share", r, part, loss)
				}
			}
		}
		if once {
			continue
		}
		wrong := newtonLoss(t, c.budget, privacy.AddRemove, privacy.ReplaceOne, heavy.Pick(4, 1))
		for _, part := range []int{0, 1, 4, 5} {
			if wrong[part] <= 1 {
				t.Errorf("the rate of add-remove: part %d loses only %.4f of its share under replace-one", part, wrong[part])
			}
		}
		for part, loss := range newtonLoss(t, c.budget, privacy.AddRemove, persons, 1) {
			if loss <= 1 && part != 2 { // the gradient of a row is rarely near its bound
				t.Errorf("the noise and rate for rows: part %d loses only %.4f of its share if persons are added", part, loss)
			}
		}
	}
}

// The maxima of TestNewtonMoves are exceeded if records are not shortened, and if off-diagonal entries are multiplied by
// 4 instead of 2.
func TestNewtonMovesRefutes(t *testing.T) {
	table := &encodedTable{encoding: &encoding{}, norm: 100, constant: 10, scale: 10}
	for range 4 {
		table.groups, table.units = append(table.groups, indices(2)), append(table.units, []int{-50, 50})
	}
	d := Listed[[]uint16]{{X: []uint16{1, 1, 1, 1}, Label: true, Count: 1}}
	at := common(4, 0, 0)
	if g, h := moves(t, table, d, at, privacy.AddRemove); g > 1 || h > 1 || h < .9 {
		t.Errorf("shortened: changes by %.4f and %.4f of the maxima", g, h)
	}
	_, h := moves(t, table, d, at, privacy.AddRemove)
	s := rowSums(table, d, at)
	cell, wrong := 0, int64(0)
	for j := range 5 {
		for k := range j + 1 {
			v := max(s.hessian[cell], -s.hessian[cell])
			if k < j {
				v *= 2
			}
			wrong += v
			cell++
		}
	}
	if most := float64(curveUnits * 110 * 110); float64(wrong)/most <= 1 {
		t.Errorf("entries that are doubled twice change by %.4f of the maximum, shipped ones by %.4f", float64(wrong)/most, h)
	}
	long := *table
	long.norm = 200
	g, _ := moves(t, &long, d, common(4, 0, -5), privacy.AddRemove)
	if share := g * 210 / 110; share <= 1 {
		t.Errorf("a record that is not shortened changes the gradient by %.4f of the maximum", share)
	}
	if _, h := moves(t, &long, d, at, privacy.AddRemove); h*210*210/110/110 <= 1 {
		t.Errorf("a record that is not shortened changes the Hessian by %.4f of the maximum", h*210*210/110/110)
	}
}
