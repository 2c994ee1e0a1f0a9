package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// rowResiduals returns the sums of residuals over the rows one by one, from their definition, for each group of the
// attributes.
func rowResiduals(groups [][]int, of family, d Listed[[]uint16]) []int64 {
	var sums []int64
	var first []int
	for _, points := range of.points {
		first = append(first, len(sums))
		sums = append(sums, make([]int64, len(points))...)
	}
	constant := (of.cards[0].constant + of.cards[8].constant) / 2
	for _, e := range d {
		total := int64(0)
		for j, c := range e.X {
			total += of.points[j][groups[j][c]]
		}
		p := math.Round(1024 / (1 + math.Exp(-float64(total)/stepUnits-constant)))
		residual := int64(math.Round(-1024 * p / max(p, 1024-p)))
		if e.Label {
			residual = int64(math.Round(1024 * (1024 - p) / max(p, 1024-p)))
		}
		for j, c := range e.X {
			sums[first[j]+groups[j][c]] += e.Count * residual
		}
	}
	return sums
}

// randomEnd returns a family of cards at the end of a step.
func randomEnd(r *rand.Rand, sizes []int, constant float64) family {
	f := family{}
	for _, n := range sizes {
		points := make([]int64, n)
		for k := range points {
			points[k] = r.Int64N(2<<10+1) - 1<<10
		}
		f.points = append(f.points, points)
	}
	for _, c := range stepConstants {
		f.cards = append(f.cards, graded{linear{weights: make([]float64, len(sizes)), constant: constant + c}, 1. / stepUnits})
	}
	return f
}

// Sums of residuals equal those that are computed row by row. A row changes them by at most the maximum from which
// the scale of the noise follows, and by nearly as much in some tables.
func TestNewtonResiduals(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, relation := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		for _, euclidean := range []bool{false, true} {
			most := 0.0
			for range 60 {
				sizes := make([]int, 1+r.IntN(5))
				for j := range sizes {
					sizes[j] = 1 + r.IntN(4)
				}
				of := randomEncoded(r, sizes, 1)
				var parts []int
				for _, units := range of.units {
					parts = append(parts, len(units))
				}
				end, d := randomEnd(r, parts, 8*r.Float64()-4), randomRows(r, sizes, 20, 5)
				sums, err := of.residuals(context.Background(), tableOf(t, sizes, d), end)
				got := slices.Concat(sums...)
				if want := rowResiduals(of.groups, end, d); err != nil || !slices.Equal(got, want) {
					t.Fatalf("points %v: %v, not %v, %v", end.points, got, want, err)
				}
				bound := float64(riskUnits * len(sizes))
				if euclidean {
					bound = riskUnits * math.Sqrt(float64(len(sizes)))
				}
				none := make([]int64, len(got))
				if relation.Replaces() {
					bound *= 2
				}
				for i := range d {
					d[i].Count = 1
					one := rowResiduals(of.groups, end, d[i:i+1])
					most = max(most, change(one, none, euclidean)/bound)
					if relation.Replaces() {
						none = one
					}
				}
			}
			least := .99
			if euclidean && relation.Replaces() {
				least = .7 // the change is near the maximum only for records that differ in one of many attributes
			}
			if most > 1 || most < least {
				t.Errorf("%v: sums change by up to %.4f of the maximum", relation, most)
			}
		}
	}
}

// The sums over the greatest table fit into 64 bits.
func TestNewtonResidualsFit(t *testing.T) {
	end := randomEnd(rand.New(rand.NewPCG(1, 1)), []int{1}, 0)
	for _, points := range []int64{-1 << 10, 1 << 10} {
		end.points[0][0] = points
		d := Listed[[]uint16]{{X: []uint16{0}, Label: points < 0, Count: MostRows}}
		got, err := (&encodedTable{encoding: &encoding{groups: [][]int{indices(1)}}}).residuals(context.Background(), tableOf(t, []int{1}, d), end)
		if err != nil || got[0][0] != -points*MostRows {
			t.Errorf("points %d: %d, %v", points, got, err)
		}
	}
}

// The scale of the noise of an attribute's residuals follows from the number of parts of the round
// that the attribute has.
func TestNewtonResidualNoise(t *testing.T) {
	shares := []string{"1", "1", "1", "1", "1", "3"}
	for r, times := range map[privacy.Relation]int64{privacy.AddRemove: 1, privacy.ReplaceOne: 2} {
		pure := newtonOf(t, []int{2, 9}, r, 10, shares...).residualNoise(1, 5)
		if got, want := fmt.Sprint(pure), fmt.Sprint(noise.Laplace{Scale: big.NewRat(2*5*1024*times, 3)}); got != want {
			t.Errorf("%v: %s, not %s", r, got, want)
		}
		rho := newtonWithin(t, []int{2, 9}, rhoBudget(t, "99", r), 10, shares...).residualNoise(1, 5)
		if got, want := fmt.Sprint(rho), fmt.Sprint(noise.Gaussian{Sigma2: big.NewRat(2*5*1024*1024*times*times, 6)}); got != want {
			t.Errorf("%v: %s, not %s", r, got, want)
		}
	}
}

// A residual is at most one unit, attains it for one of the labels, and has the mean 0 at the risk p.
func TestNewtonResidual(t *testing.T) {
	for p := range int64(riskUnits + 1) {
		no, yes := residual(0, p), residual(1, p)
		if max(-no, yes) != riskUnits || no > 0 || yes < 0 {
			t.Errorf("risk %d: residuals %d and %d", p, no, yes)
		}
		if mean := p*yes + (riskUnits-p)*no; max(mean, -mean) > riskUnits/2 {
			t.Errorf("risk %d: residuals %d and %d have the mean %d/1024", p, no, yes, mean)
		}
	}
}

// The query of residuals has the residual of each label and total, for any constant.
func TestNewtonResidualSteps(t *testing.T) {
	for i := range 100 {
		constant := float64(i) / 100 / stepUnits
		for label, of := range residualsOf([][]int64{{-200, 200}}, constant) {
			for total := int64(-200); total <= 200; total++ {
				if got, want := of.At(total), residual(int64(label), risk(float64(total)/stepUnits+constant).mean); got != want {
					t.Fatalf("constant %g, label %d, total %d: %d, not %d", constant, label, total, got, want)
				}
			}
		}
	}
}

// correctorOf returns a corrector of two attributes with four categories of 1000 rows, whose encodings have the given
// correlation.
func correctorOf(correlation float64, ordered bool) *corrector {
	c := &corrector{
		encodedTable: &encodedTable{encoding: &encoding{odds: [][]float64{make([]float64, 4), make([]float64, 4)}}},
		ordered:      []bool{ordered, ordered}, relations: [][]float64{{1, correlation}, {correlation, 1}},
	}
	for range 2 {
		slopes := []float64{250, 250, 250, 250}
		c.rows = append(c.rows, []float64{1000, 1000, 1000, 1000})
		c.slopes, c.errors = append(c.slopes, slopes), append(c.errors, diagonal(4, 0))
		c.shapes = append(c.shapes, shape([]int{96, -32, -32, -32}, slopes))
	}
	return c
}

// residualsNear returns noisy sums of residuals that indicate corrections of .48 and -.16 for the attributes in which.
func residualsNear(which ...int) [][]float64 {
	noisy := make([][]float64, 2)
	for j := range noisy {
		for k := range 4 {
			sum := 0.0
			if slices.Contains(which, j) {
				sum = []float64{120, -40, -40, -40}[k] * riskUnits
			}
			noisy[j] = append(noisy[j], sum)
		}
	}
	return noisy
}

// Corrections follow clear residuals of one category, are 0 if residuals look like noise, and have bounds.
func TestNewtonCorrect(t *testing.T) {
	for _, ordered := range []bool{false, true} {
		c := correctorOf(0, ordered)
		correct := func(noisy [][]float64, variance float64) [][]float64 {
			all := c.none()
			c.correct(all, noisy, []float64{variance, variance})
			return all
		}
		got := correct(residualsNear(1), riskUnits*riskUnits)
		for k, l := range got[1] {
			want := correctionStep * []float64{.48, -.16, -.16, -.16}[k]
			if math.Abs(l-want) > .04 || got[0][k] != 0 {
				t.Errorf("category %d: corrections %v", k, got)
			}
		}
		for _, l := range correct(residualsNear(1), 1e6*riskUnits*riskUnits)[1] {
			if math.Abs(l) > .02 {
				t.Errorf("a correction by %g from noise", l)
			}
		}
		for _, variance := range []float64{1e-90, 1e200} {
			huge := residualsNear(0, 1)
			huge[0][0] = math.Ldexp(huge[0][0], 400)
			for _, l := range slices.Concat(correct(huge, variance)...) {
				if !(math.Abs(l) <= mostCorrection) {
					t.Errorf("a correction by %g", l)
				}
			}
		}
	}
}

// Of two attributes with the same residuals, each is corrected by about half as much if their encodings are strongly
// correlated.
func TestNewtonCorrectsJointly(t *testing.T) {
	of := func(correlation float64) float64 {
		all := correctorOf(correlation, false).none()
		correctorOf(correlation, false).correct(all, residualsNear(0, 1), []float64{1, 1})
		if math.Abs(all[0][0]-all[1][0]) > 1e-9 {
			t.Errorf("corrections %v of attributes with the same residuals", all)
		}
		return all[0][0]
	}
	if alone, joint := of(0), of(.98); joint < .45*alone || joint > .6*alone {
		t.Errorf("a correction of %g alone and of %g jointly", alone, joint)
	}
}

// correctedTable returns a table of attributes with 2 and 20 categories, the noisy sums at its first card, and the cards
// at the end of a Newton step.
func correctedTable() (*encodedTable, *noisySums, family) {
	of := &encodedTable{encoding: &encoding{total: 1000}, norm: 64, constant: 32, euclidean: true}
	for j, n := range []int{2, 20} {
		of.groups, of.odds, of.errors = append(of.groups, indices(n)), append(of.odds, make([]float64, n)), append(of.errors, diagonal(n, .5))
		of.units, of.rows = append(of.units, make([]int, n)), append(of.rows, make([]float64, n))
		for k := range n {
			of.rows[j][k] = 1000 / float64(n)
			of.units[j][k] = 64 * (k%2*2 - 1)
		}
	}
	sums := newNoisySums(make([]float64, 3), 1, make([]float64, 6), 1)
	sums.hessian[2][2] = .2 * 1000 // the intercept has one unit of log-odds
	return of, sums, of.along(linear{weights: []float64{.6, .6}}, linear{weights: []float64{.2, 0}})[2]
}

// residualCounts are counts whose sums of residuals are those of clear corrections at the first query, and 0 later. They
// keep the points of the queried cards.
type residualCounts struct {
	table.Counts
	points [][][]int64
}

func (c *residualCounts) Weighted(_ context.Context, _ []int, w table.Weights) ([][]int64, error) {
	c.points = append(c.points, w.Card.Points)
	sums := make([][]int64, len(w.Card.Points))
	for j, points := range w.Card.Points {
		sums[j] = make([]int64, len(points))
		if len(c.points) == 1 {
			sums[j][0], sums[j][1] = 40*riskUnits, -40*riskUnits
		}
	}
	return sums, nil
}

// Each round queries residuals at the card with all corrections of the rounds before it.
func TestNewtonCorrectionRounds(t *testing.T) {
	of, sums, end := correctedTable()
	m := newtonOf(t, []int{2, 20}, privacy.AddRemove, 10, "1", "1", "1", "1", "1", "1e9")
	d := &residualCounts{}
	corrections, err := m.corrections(context.Background(), d, of, linear{weights: []float64{.6, .6}}, sums, end, noise.Insecure(1))
	if err != nil || len(d.points) != correctionRounds {
		t.Fatalf("%d queries, %v", len(d.points), err)
	}
	most := 0.0
	for j, points := range d.points[1] {
		for k, got := range points {
			want := float64(end.points[j][k]) + stepUnits*corrections[j][k]
			if math.Abs(float64(got)-want) > 1 {
				t.Errorf("attribute %d, category %d: the second query has %d points, not %g", j, k, got, want)
			}
			most = max(most, math.Abs(stepUnits*corrections[j][k]))
		}
	}
	if most < 10 {
		t.Errorf("the corrections are at most %g points", most)
	}
}

// The corrector of a table has the slopes and the errors of the encoding at the weights of its card. It divides the
// share of a round among all attributes, and gives more to an attribute with more unknown log-odds.
func TestNewtonCorrector(t *testing.T) {
	table, sums, end := correctedTable()
	c := table.corrector(linear{weights: []float64{.6, .6}}, sums, end, make([]bool, 2))
	if got, want := c.slopes[0][1], residualSlope*.2*500; math.Abs(got-want) > 1e-9 {
		t.Errorf("slope %g, not %g", got, want)
	}
	if got := c.errors[0].At(0, 0); math.Abs(got-.8*.8*.5) > 1e-9 {
		t.Errorf("errors %g", got)
	}
	variance := func(parts int64) float64 { return 4e6 / float64(parts) }
	parts := c.divide(1, variance)
	if parts[0] < 1 || parts[1] <= parts[0] || parts[0]+parts[1] != c.parts() {
		t.Errorf("%d parts of %d", parts, c.parts())
	}
	if even := c.divide(partsPerAttribute, variance); !slices.Equal(even, []int64{partsPerAttribute, partsPerAttribute}) {
		t.Errorf("%d parts of %d for an even division", even, c.parts())
	}
}

// The last sample is from the end of the step with shares of the corrections, times factors. A card and its family
// state the same log-odds.
func TestNewtonCorrected(t *testing.T) {
	table := &encodedTable{encoding: &encoding{groups: [][]int{indices(2)}}, units: [][]int{{-32, 64}}, scale: 100}
	families := table.along(linear{weights: []float64{1}, constant: .5}, linear{weights: []float64{.2}, constant: .1})
	of := table.corrected(families[len(families)-1], [][]float64{{.3, -.1}})
	if len(of) != len(stepShares) {
		t.Fatalf("%d families", len(of))
	}
	for i, f := range of {
		if len(f.cards) != len(stepFactors)*len(stepConstants) {
			t.Fatalf("%d cards", len(f.cards))
		}
		for at, c := range f.cards {
			share, factor := stepShares[i], stepFactors[at/len(stepConstants)]
			card := table.card(c.linear)
			for k, want := range []float64{factor * (share*.3 - 1.2), factor * (2.4 - share*.1)} {
				if own := c.slope * float64(f.points[0][k]); math.Abs(own-want) > .02 || math.Abs(float64(card.Points[0][k])-100*want) > .51 {
					t.Errorf("share %g, factor %g: log-odds %g, points %v, not %g", share, factor, own, card.Points, want)
				}
			}
		}
	}
}
