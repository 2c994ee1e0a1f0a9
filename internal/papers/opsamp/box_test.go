package opsamp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

func losses(t *testing.T, f func(t *testing.T, l phi)) {
	for l := logistic; l <= squared; l++ {
		t.Run(convex.Loss(l).String(), func(t *testing.T) { f(t, l) })
	}
}

// at returns φ(m), by the definition of the loss.
func (l phi) at(m float64) float64 {
	switch l {
	case hinge:
		return max(0, 1-m)
	case squared:
		return (1 - m) * (1 - m) / 2
	}
	return max(-m, 0) + math.Log1p(math.Exp(-math.Abs(m)))
}

// value returns the objective of the problem at weights w.
func (p perturbed) value(w []float64) float64 {
	sum := 0.0
	for _, q := range p.data {
		m := convex.Linear{Weights: w}.Score(q.Row)
		if !q.Label {
			m = -m
		}
		sum += float64(q.Count) * p.loss.at(m)
	}
	for j, t := range p.term {
		sum -= unfix(t, termBits) * w[j]
	}
	return sum
}

func floats(u []*big.Int) []float64 {
	w := make([]float64, len(u))
	for j := range u {
		w[j] = unfix(u[j], weightBits)
	}
	return w
}

// random returns a problem on three columns.
func random(r *rand.Rand, l phi) perturbed {
	p := perturbed{loss: l, bound: 1 + r.Int64N(4), slack: big.NewRat(1, 16)}
	for range r.IntN(8) {
		q := convex.Point{Row: []int{0}, Label: r.IntN(2) == 1, Count: 1 + r.Int64N(1<<r.IntN(30))}
		for j := 1; j < 3; j++ {
			if r.IntN(2) == 1 {
				q.Row = append(q.Row, j)
			}
		}
		p.data = append(p.data, q)
	}
	for range 3 {
		p.term = append(p.term, big.NewInt(r.Int64N(1<<r.IntN(40))-r.Int64N(1<<r.IntN(40))))
	}
	return p
}

// part returns those weights of u that belong to undecided columns. It returns nil if a weight of u in a decided
// column is not the decided weight.
func (f face) part(u []*big.Int) []*big.Int {
	var w []*big.Int
	for j, v := range f.decided {
		if v == 0 {
			w = append(w, u[j])
		} else if new(big.Int).Lsh(big.NewInt(v), weightBits).Cmp(u[j]) != 0 {
			return nil
		}
	}
	return w
}

// certifies reports whether the derivatives at w of the loss, smoothed with the μ of the given level, certify u.
func (f face) certifies(u, w []*big.Int, level int) bool {
	s := f.search(firstBits, true)
	s.level = level
	at := point{w: scale(w, weightBits, s.bits), gap: new(big.Int)}
	s.evaluateExact(&at)
	return s.certified(at, u, s.bits)
}

// The value at a certified point exceeds the value at every point of a grid of the box by at most the slack. A
// point whose value exceeds the minimum by more than the slack is not certified: neither by its own derivatives,
// nor by the derivatives at the minimum, nor with more smoothing.
func TestMinimizeCertifies(t *testing.T) {
	losses(t, func(t *testing.T, l phi) {
		r := rand.New(rand.NewPCG(1, 2))
		refused := 0
		for range heavy.Pick(20, 40) {
			p := random(r, l)
			u, err := p.minimize(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			found := p.value(floats(u))
			side := new(big.Int).Lsh(big.NewInt(p.bound), weightBits-2)
			for i := range int64(9 * 9 * 9) {
				v := make([]*big.Int, 3)
				for j, k := range []int64{i % 9, i / 9 % 9, i / 81} {
					v[j] = new(big.Int).Mul(side, big.NewInt(k-4))
				}
				value := p.value(floats(v))
				if tolerance := 1e-12 * (math.Abs(value) + 1); value < found-1.0/16-tolerance {
					t.Fatalf("%+v: minimize found the value %v at %v, but the value is %v at %v", p, found, u, value, v)
				} else if value > found+1.0/16+tolerance {
					f := p.face()
					level := f.lastLevel()
					v, u := f.part(v), f.part(u)
					if v == nil {
						continue
					}
					refused++
					if f.certifies(v, v, level) || f.certifies(v, v, level-10) || f.certifies(v, u, level) {
						t.Fatalf("%+v: %v with value %v was certified, but %v has the lower value %v", p, v, value, u, found)
					}
				}
			}
		}
		t.Logf("%d points refused", refused)
		if refused < 500 {
			t.Errorf("only %d points should have been refused; the test needs more", refused)
		}
	})
}

// A coefficient of the linear function decides its weight if it is at least the greatest derivative of the loss.
// A smaller coefficient does not.
func TestDecidedWeights(t *testing.T) {
	for term, want := range map[int64]int64{32: 2, -32: -2, 31: 0, -31: 0} {
		f := perturbed{
			loss: hinge, data: []convex.Point{{Row: []int{0}, Label: true, Count: 1}, {Row: []int{0, 2}, Label: false, Count: 1}}, bound: 2,
			term: []*big.Int{big.NewInt(term), big.NewInt(0), big.NewInt(3)},
		}.face()
		if f.decided[0] != want || f.decided[1] != 2 || f.decided[2] != 0 {
			t.Errorf("linear term %d: wrong decided weights %v", term, f.decided)
		}
		if f.offset[0] != want || f.offset[1] != want || len(f.data[1].Row) != len(f.term) && want != 0 {
			t.Errorf("linear term %d: wrong offsets %v or records %v", term, f.offset, f.data)
		}
	}
}

// A certificate that left out the gaps of the hinge loss would accept points that are not minimal, since with
// much smoothing the derivatives are balanced everywhere.
func TestGapsCount(t *testing.T) {
	p := perturbed{loss: hinge, data: []convex.Point{{Row: []int{0}, Label: true, Count: 1}}, bound: 1, slack: big.NewRat(1, 16), term: []*big.Int{big.NewInt(-8)}}
	s := p.face().search(firstBits, true)
	s.level = -40
	at := s.evaluate(s.centre())
	if s.certified(at, s.round(at.w, s.bits), s.bits) {
		t.Error("weight 0 with value 1 was certified, although weight 1 has value 1/2")
	}
	at.gap.SetInt64(0)
	if !s.certified(at, s.round(at.w, s.bits), s.bits) {
		t.Error("weight 0 was refused for a reason other than its gap")
	}
}

// The gap is the sum of all terms of the proof: the point is certified with a slack of this size, and not with a
// smaller slack.
func TestCertificateAddsUp(t *testing.T) {
	const bits = weightBits + 1 // w is in units of 2^-65
	one := new(big.Int).Lsh(big.NewInt(1), bits)
	for _, slope := range []int64{-5, 0, 5} {
		f := face{
			perturbed: perturbed{bound: 3, term: []*big.Int{big.NewInt(-9), big.NewInt(0)}},
			steep:     []*big.Int{big.NewInt(2), new(big.Int).Lsh(one, 1)}, // the second is so large that an error of one step in u matters
		}
		w := []*big.Int{new(big.Int).Rsh(one, 1), new(big.Int)}
		at := point{
			w:            w,
			lossGradient: []*big.Int{new(big.Int).Mul(one, big.NewInt(slope)), new(big.Int)},
			gap:          new(big.Int).Mul(one, one), // 1
		}
		u := []*big.Int{new(big.Int).Lsh(big.NewInt(1), weightBits-2), new(big.Int)} // 1/4, and w is 1/2
		g := float64(slope)
		// The errors of derivatives add 2·3·2 units for the first column and 2·3·2 units for the second.
		// The distance from w to u is 1/4, and is multiplied by 2 + 9/16.
		want := big.NewRat(1, 1)
		want.Add(want, new(big.Rat).SetFloat64(g/2+3*math.Abs(g)))
		want.Add(want, new(big.Rat).SetFrac(big.NewInt(12), one))
		want.Add(want, big.NewRat(12, 1))
		want.Add(want, big.NewRat(2*16+9, 4*16))
		if f.slack = want; !f.certified(at, u, bits) {
			t.Errorf("slope %d: the point was not certified with slack %v", slope, want)
		}
		less := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Mul(one, one))
		if f.slack = less.Sub(want, less); f.certified(at, u, bits) {
			t.Errorf("slope %d: the point was certified with less slack than %v", slope, want)
		}
	}
}

// The exact search ends even if it does not start from a result of the floating-point search. It also ends on
// problems that are too hard for its first precision.
func TestExactStepsAlone(t *testing.T) {
	losses(t, func(t *testing.T, l phi) {
		r := rand.New(rand.NewPCG(3, 4))
		for range 40 {
			p := random(r, l)
			p.slack = big.NewRat(1, 64)
			p.bound *= 256
			f := p.face()
			if len(f.term) == 0 {
				continue
			}
			_, _, u := f.search(2*firstBits, true).follow(context.Background(), f.centre(), f.firstLevel(), firstSteps)
			if u == nil {
				t.Errorf("%+v: the minimizer was not certified", p)
			}
		}
	})
}

// hard returns a problem of d columns whose curvatures differ by many orders of magnitude. The problem has large
// counts, dependent columns and large coefficients of the linear function.
func hard(r *rand.Rand, l phi, d int) perturbed {
	p := perturbed{loss: l, bound: 1 + r.Int64N(mostBox/int64(d)), slack: big.NewRat(1, 64)}
	for range r.IntN(100) {
		q := convex.Point{Row: []int{0}, Label: r.IntN(2) == 1, Count: 1 + r.Int64N(1<<r.IntN(25))}
		for j := 1; j+1 < d; j += 2 {
			q.Row = append(q.Row, j+r.IntN(2))
		}
		p.data = append(p.data, q)
	}
	for range d {
		t := big.NewInt(r.Int64N(1<<r.IntN(40)) - r.Int64N(1<<r.IntN(40)))
		if r.IntN(20) == 0 {
			t.Lsh(t, uint(r.IntN(1200)))
		}
		p.term = append(p.term, t)
	}
	return p
}

// limited is a context that is cancelled after a number of calls of Err. A search calls Err before each step, so
// this limits the number of steps instead of the time.
type limited struct {
	context.Context
	left int
}

func (c *limited) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestMinimizeEnds(t *testing.T) {
	losses(t, func(t *testing.T, l phi) {
		r := rand.New(rand.NewPCG(5, 6))
		for _, d := range []int{1, 2, 5, 11, 31} {
			for range 8 {
				p := hard(r, l, d)
				if _, err := p.minimize(&limited{context.Background(), 1_000}); err != nil {
					t.Errorf("%+v: %v", p, err)
				}
			}
		}
	})
}

func TestLogisticFixed(t *testing.T) {
	for _, z := range []float64{-4000, -100, -3.5, -0x1p-40, 0, 0x1p-40, 0.25, 7, 100, 4000} {
		const b = 44
		got := unfix(logisticFixed(fix([]float64{z}, b)[0], b), b)
		if want := -convex.Sigmoid(-z); math.Abs(got-want) > 0x1p-44+0x1p-50 {
			t.Errorf("-1/(1+e^%v) computed as %v; want %v", z, got, want)
		}
	}
}

// Derivatives in fixed point agree with those in floating point. The gap of the hinge loss agrees with the gap by
// its conjugate, and the derivative of the hinge loss with that of the smoothed loss. Curvatures agree with
// difference quotients.
func TestSlopes(t *testing.T) {
	losses(t, func(t *testing.T, l phi) {
		const b, count, level = 60, 3, 5
		sharpness := math.Ldexp(count, level-1)
		for _, m := range []float64{-40, -2, 0.5, 1 - 0x1p-10, 1, 1 + 0x1p-10, 1.5, 2, 40} {
			exact, gap := l.fixed(fix([]float64{m}, b)[0], b, count, level)
			slope := l.slope(m, sharpness)
			if got := unfix(exact, b); math.Abs(got-slope) > 1e-14 {
				t.Errorf("slope %v at margin %v in fixed point, but %v in floating point", got, m, slope)
			}
			want := 0.0
			if l == hinge { // φ*(s) = s on [-1, 0]
				want = l.at(m) + slope - slope*m
			}
			if got := unfix(gap, 2*b); math.Abs(got-want) > 1e-12 {
				t.Errorf("gap %v at margin %v; want %v", got, m, want)
			}
			const h = 0x1p-16
			rise := (l.slope(m+h, sharpness) - l.slope(m-h, sharpness)) / (2 * h)
			if got := l.curvature(slope, sharpness); math.Abs(got-rise) > 1e-5*(1+rise) {
				t.Errorf("curvature %v at margin %v; want %v", got, m, rise)
			}
		}
	})
}

// An oracle returns a weight in place of a certified minimizer of a problem.
type oracle func(p perturbed, certified float64) float64

func faithful(_ perturbed, certified float64) float64 { return certified }

// careless is a wrong oracle. It moves away from a minimizer as far as a slack of 64 permits. The parity of the
// number of rows with label 0 determines whether it moves upwards or downwards.
func careless(p perturbed, low float64) float64 {
	far := float64(p.bound)
	if p.data[0].Count%2 == 0 {
		far = -far
	}
	top := p.value([]float64{low}) + 64
	if p.value([]float64{far}) <= top {
		return far
	}
	for range 40 {
		if half := (low + far) / 2; p.value([]float64{half}) <= top {
			low = half
		} else {
			far = half
		}
	}
	return low
}

// tables lists tables by their numbers of rows with label 0 and with label 1.
var tables = [][2]int64{{0, 0}, {1, 0}, {0, 1}, {0, 300}, {1, 299}, {1, 300}, {9, 9}, {10, 9}, {10, 8}}

// differences returns, for each oracle and relation, the maximum over neighbours of the expected distance between
// the oracle's answers under the same random term. The expectation is a sum over all terms up to a large one. The
// second result bounds the contribution of larger terms.
func differences(t *testing.T, m *Mechanism, oracles ...oracle) ([]map[privacy.Relation]float64, float64) {
	tables := tables
	if !heavy.On() { // the short form omits tables of intermediate size
		tables = tables[:6]
	}
	rate, _ := m.term.X.Float64()
	reach := int64(5 / rate)
	sums := make([][9][9]float64, len(oracles))
	for k := range reach {
		mass := math.Exp(-rate*float64(k)) * -math.Expm1(-rate)
		w := make([][9]float64, len(oracles))
		for i, counts := range tables {
			p := perturbed{
				loss:  phi(m.o.Loss),
				data:  []convex.Point{{Row: []int{0}, Label: false, Count: counts[0]}, {Row: []int{0}, Label: true, Count: counts[1]}},
				bound: m.o.Bound, slack: m.slack, term: []*big.Int{big.NewInt(k - m.centre)},
			}
			u, err := p.minimize(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for o, answer := range oracles {
				w[o][i] = answer(p, floats(u)[0])
			}
		}
		for o := range oracles {
			for i := range tables {
				for j := range tables {
					sums[o][i][j] += mass * math.Abs(w[o][i]-w[o][j])
				}
			}
		}
	}
	most := make([]map[privacy.Relation]float64, len(oracles))
	for o := range oracles {
		most[o] = map[privacy.Relation]float64{}
		for i, a := range tables {
			for j, b := range tables {
				more, fewer := max(a[0]-b[0], 0)+max(a[1]-b[1], 0), max(b[0]-a[0], 0)+max(b[1]-a[1], 0)
				switch {
				case more+fewer == 1:
					most[o][privacy.AddRemove] = max(most[o][privacy.AddRemove], sums[o][i][j])
				case more == 1 && fewer == 1:
					most[o][privacy.ReplaceOne] = max(most[o][privacy.ReplaceOne], sums[o][i][j])
				}
			}
		}
	}
	return most, math.Exp(-rate*float64(reach)) * 2 * float64(m.o.Bound)
}

// stable returns the mechanism for the tests of stability. Its number of calls is so large that the deviation of
// the mean is negligible. Its slack is small.
func stable(t *testing.T, l phi, r privacy.Relation) *Mechanism {
	f, err := convex.NewFeatures(convex.OneHot, nil)
	if err != nil {
		t.Fatal(err)
	}
	o := Perturbation{Loss: convex.Loss(l), Bound: 2, Calls: MostCalls, Rate: privacytest.Decimal(t, "0.0625"), Slack: privacytest.Decimal(t, "0.015625")}
	if l == squared { // its derivative is at most 2
		o.Bound, o.Rate = 1, privacytest.Decimal(t, "0.03125")
	}
	m, err := New(f, o, privacytest.Decimal(t, "1"), privacytest.Decimal(t, "0.999"), r)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// For neighbours, the expected distance between the minimizers under the same random term is at most Δ of
// docs/explanation/proofs/opsamp.md, which is λ without the term for the deviation of the mean. The test refutes an
// oracle that ignores the slack.
func TestOPSampStability(t *testing.T) {
	losses(t, func(t *testing.T, l phi) {
		if l == squared && !heavy.On() {
			t.Skip("takes twice as many terms as another loss")
		}
		t.Parallel()
		sums, rest := differences(t, stable(t, l, privacy.ReplaceOne), faithful, careless)
		found, wrong := sums[0], sums[1]
		for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
			m := stable(t, l, r)
			lambda, _ := m.Sensitivity().Float64()
			t.Logf("%v: %.4f of λ = %.4f, %.4f if careless", r, found[r], lambda, wrong[r])
			if found[r] == 0 || found[r]+rest > lambda {
				t.Errorf("%v: the mean distance of results on neighbours is up to %v, more than λ = %v", r, found[r]+rest, lambda)
			}
			if wrong[r] <= lambda {
				t.Errorf("%v: the test did not refute an oracle that ignores the slack", r)
			}
		}
	})
}
