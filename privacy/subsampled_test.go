package privacy

import (
	"errors"
	"math"
	"math/big"
	"testing"
)

func subsampled(t testing.TB, r Relation, q, noise *big.Rat, steps int) SubsampledGaussian {
	t.Helper()
	s, err := NewSubsampledGaussian(r, q, noise, steps)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// gaussians returns the discrete Gaussian distributions with parameter sigma2 that are centred at
// the given integers, on the integers from -reach to reach.
func gaussians(sigma2 float64, reach int, centres ...int) [][]float64 {
	laws := make([][]float64, len(centres))
	for i, c := range centres {
		total := 0.0
		for k := -reach; k <= reach; k++ {
			w := math.Exp(-float64((k-c)*(k-c)) / (2 * sigma2))
			laws[i] = append(laws[i], w)
			total += w
		}
		for k := range laws[i] {
			laws[i][k] /= total
		}
	}
	return laws
}

func mix(q float64, out, in []float64) []float64 {
	law := make([]float64, len(out))
	for k := range law {
		law[k] = (1-q)*out[k] + q*in[k]
	}
	return law
}

// pairOf returns the output distributions of one step on two worst-case neighbours. Without the
// record in which they differ, the sums are 0.
func pairOf(r Relation, q, sigma2 float64, sensitivity int) (p, p2 []float64) {
	reach := int(12*math.Sqrt(sigma2)) + 2*sensitivity
	g := gaussians(sigma2, reach, 0, sensitivity, -sensitivity)
	if r == AddRemove {
		return mix(q, g[0], g[1]), g[0]
	}
	return mix(q, g[0], g[1]), mix(q, g[0], g[2])
}

// independent returns the joint distribution of two independent samples from p.
func independent(p []float64) []float64 {
	var law []float64
	for _, a := range p {
		for _, b := range p {
			law = append(law, a*b)
		}
	}
	return law
}

func hockeyStick(p, p2 []float64, eps float64) float64 {
	sum := 0.0
	for k := range p {
		sum += max(0, p[k]-math.Exp(eps)*p2[k])
	}
	return sum
}

// The bound is at least the exact privacy curve of one step and of two steps on the integers, in
// both orders.
func TestSubsampledGaussianCurve(t *testing.T) {
	for _, r := range []Relation{AddRemove, ReplaceOne} {
		for _, q := range []float64{0.01, 0.125, 0.5, 1} {
			for _, sigma2 := range []float64{4, 25} {
				p, p2 := pairOf(r, q, sigma2, 3)
				for steps := 1; steps <= 2; steps++ {
					if steps == 2 {
						p, p2 = independent(p), independent(p2)
					}
					s := subsampled(t, r, new(big.Rat).SetFloat64(q), new(big.Rat).SetFloat64(sigma2/9), steps)
					for _, eps := range []float64{0, 0.1, 0.5, 1, 2, 4} {
						exact := max(hockeyStick(p, p2, eps), hockeyStick(p2, p, eps))
						if bound := s.Delta(eps); bound < exact*(1-1e-9)-1e-14 {
							t.Errorf("%v, q = %v, σ² = %v, %d steps: δ(%v) = %g above the bound %g", r, q, sigma2, steps, eps, exact, bound)
						}
					}
				}
			}
		}
	}
}

// The guarantee under add-remove does not hold under replace.
func TestSubsampledGaussianReplaceIsMore(t *testing.T) {
	p, p2 := pairOf(ReplaceOne, 0.5, 25, 3)
	s := subsampled(t, AddRemove, big.NewRat(1, 2), big.NewRat(25, 9), 1)
	if exact, bound := hockeyStick(p, p2, 1), s.Delta(1); exact <= bound {
		t.Errorf("add-remove's %g covers replacement's %g", bound, exact)
	}
}

// The moments are compared with sums over the integers, in both orders of the neighbours. At
// integer orders the forward moment is exact, and the backward moment is less.
func TestSubsampledGaussianMoments(t *testing.T) {
	for _, q := range []float64{0.01, 0.3, 0.9} {
		for _, sigma2 := range []float64{9, 100} {
			g := gaussians(sigma2, int(60*math.Sqrt(sigma2)), 0, 2)
			p, p2 := mix(q, g[0], g[1]), g[0]
			l := newMoments(new(big.Rat).SetFloat64(q), new(big.Rat).SetFloat64(sigma2/4))
			for a := 1; a <= 12; a++ {
				forward, backward := 0.0, 0.0
				for k := range p {
					if p2[k] > 0 {
						forward += p2[k] * math.Pow(p[k]/p2[k], float64(a))
					}
					if p[k] > 0 {
						backward += p[k] * math.Pow(p2[k]/p[k], float64(a))
					}
				}
				got := l.log(a)
				if d := got - math.Log(forward); d < -1e-12 || d > 1e-9 {
					t.Errorf("q = %v, σ² = %v, order %d: %g, not %g", q, sigma2, a, got, math.Log(forward))
				}
				if math.Log(backward) > got+1e-12 {
					t.Errorf("q = %v, σ² = %v, order %d: backward %g above %g", q, sigma2, a, math.Log(backward), got)
				}
			}
		}
	}
}

// With q = 1, the moments are those of the Gaussian mechanism with sensitivity Δ under add-remove, or 2Δ under
// replace. The bound on δ is nearly the curve of continuous noise, and smaller than the bound from moments.
func TestSubsampledGaussianWhole(t *testing.T) {
	for r, factor := range map[Relation]int64{AddRemove: 1, ReplaceOne: 4} {
		s := subsampled(t, r, big.NewRat(1, 1), big.NewRat(5000, 1), 10)
		z, err := NewZCDP(r, big.NewRat(10*factor, 10000))
		if err != nil {
			t.Fatal(err)
		}
		mu := math.Sqrt(10 * float64(factor) / 5000)
		for _, eps := range []float64{0, 0.1, 0.3} {
			if a, b := s.renyiDelta(eps), z.Delta(eps); a < b*(1-1e-9) || a > 1.01*b {
				t.Errorf("%v: from moments δ(%v) = %g, by zCDP %g", r, eps, a, b)
			}
			if a, b := s.Delta(eps), gaussian(mu, eps); a < b || a > 1.02*b {
				t.Errorf("%v: δ(%v) = %g, with continuous noise %g", r, eps, a, b)
			}
		}
	}
}

// With q = 1, the bound is nearly the exact privacy curve of one step and of two steps on the integers. The bound of
// add-remove does not cover a replacement.
func TestSubsampledGaussianWholeCurve(t *testing.T) {
	for _, r := range []Relation{AddRemove, ReplaceOne} {
		p, p2 := pairOf(r, 1, 400, 1)
		for steps := 1; steps <= 2; steps++ {
			if steps == 2 {
				p, p2 = independent(p), independent(p2)
			}
			s := subsampled(t, r, big.NewRat(1, 1), big.NewRat(400, 1), steps)
			for _, eps := range []float64{0, 0.05, 0.1, 0.2} {
				exact, bound := hockeyStick(p, p2, eps), s.Delta(eps)
				if bound < exact || bound > 1.1*exact {
					t.Errorf("%v, %d steps: δ(%v) = %g, but the bound is %g", r, steps, eps, exact, bound)
				}
				if wrong := subsampled(t, AddRemove, s.share, s.noise, steps).Delta(eps); r == ReplaceOne && wrong >= exact {
					t.Errorf("%d steps: add-remove's %g covers replacement's δ(%v) = %g", steps, wrong, eps, exact)
				}
			}
		}
	}
}

// If the noise is small in comparison with Δ, its steps cannot be replaced by steps of continuous noise.
func TestSubsampledGaussianWholeNeedsNoise(t *testing.T) {
	for _, noise := range []int64{1, 2} {
		s := subsampled(t, AddRemove, big.NewRat(1, 1), big.NewRat(noise, 1), 1)
		if d := s.wholeDelta(1); (d == 1) != (noise == 1) {
			t.Errorf("σ²/Δ² = %d: δ(1) = %v", noise, d)
		}
	}
}

// The parameters are those usually quoted for private stochastic gradient descent: 60,000 records,
// batches of 256, 60 epochs, noise 1.1, δ = 1e-5. The older conversion, ln(1/δ)/(α-1), gives
// ε = 3.01. The conversion of Canonne, Kamath and Steinke gives less.
func TestSubsampledGaussianKnown(t *testing.T) {
	s := subsampled(t, AddRemove, big.NewRat(256, 60000), big.NewRat(121, 100), 60*60000/256)
	a, err := s.At(decimal(t, "1e-5"))
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := a.Epsilon().Rat().Float64(); e < 2.5 || e > 2.7 {
		t.Errorf("ε = %v", e)
	}
	older := math.Inf(1)
	l := newMoments(s.share, s.noise)
	for order := 2; order < 64; order++ {
		older = min(older, (float64(s.steps)*l.log(order)-math.Log(1e-5))/float64(order-1))
	}
	if math.Abs(older-3.01) > 0.01 {
		t.Errorf("by the older conversion ε = %v", older)
	}
}

// Within accepts the ε and δ of At, and refuses a slightly smaller ε or δ.
func TestSubsampledGaussianWithin(t *testing.T) {
	s := subsampled(t, AddRemove, big.NewRat(1, 100), big.NewRat(2, 1), 100)
	a, err := s.At(decimal(t, "1e-5"))
	if err != nil {
		t.Fatal(err)
	}
	less, err := RoundDown(new(big.Rat).Mul(a.Epsilon().Rat(), big.NewRat(999999, 1000000)), 9)
	if err != nil {
		t.Fatal(err)
	}
	if d := a.DeltaAtEpsilon(); !s.Within(a.Epsilon(), d) || s.Within(less, d) || s.Within(a.Epsilon(), decimal(t, "9.999e-6")) {
		t.Errorf("at ε = %v, δ = %v", a.Epsilon(), d)
	}
}

func TestSubsampledGaussianExtremes(t *testing.T) {
	for _, noise := range []*big.Rat{big.NewRat(1, math.MaxInt64), big.NewRat(math.MaxInt64, 1), new(big.Rat).SetFloat64(0x1p-600), new(big.Rat).SetFloat64(0x1p600)} {
		for _, q := range []*big.Rat{big.NewRat(1, math.MaxInt64), new(big.Rat).SetFloat64(0x1p-500), big.NewRat(math.MaxInt64-1, math.MaxInt64), big.NewRat(1, 1)} {
			for _, r := range []Relation{AddRemove, ReplaceOne} {
				s := subsampled(t, r, q, noise, 1000)
				last := 1.0
				for _, eps := range []float64{0, 1e-300, 1e-3, 1, 1e3, math.MaxFloat64, math.Inf(1)} {
					d := s.Delta(eps)
					if !(d >= 0 && d <= last*(1+1e-6)) {
						t.Errorf("%v, q = %v, noise %v: δ(%v) = %v after %v", r, q, noise, eps, d, last)
					}
					last = d
				}
			}
		}
	}
}

func TestSubsampledGaussianRefused(t *testing.T) {
	half, two := big.NewRat(1, 2), big.NewRat(2, 1)
	for _, c := range []struct {
		r        Relation
		q, noise *big.Rat
		steps    int
	}{{AddRemove, two, two, 1}, {AddRemove, new(big.Rat), two, 1}, {AddRemove, half, new(big.Rat), 1}, {AddRemove, half, two, 0}, {AddRemove, nil, two, 1}, {AddRemove.OfPersons(2), half, two, 1}} {
		if _, err := NewSubsampledGaussian(c.r, c.q, c.noise, c.steps); !errors.Is(err, ErrParameter) {
			t.Errorf("%v: %v", c, err)
		}
	}
	if _, err := NewSubsampledGaussian(0, half, two, 1); !errors.Is(err, ErrRelation) {
		t.Error(err)
	}
	if d := (SubsampledGaussian{}).Delta(1); d != 1 {
		t.Errorf("the zero value promises %v", d)
	}
	s := subsampled(t, AddRemove, half, two, 1)
	if _, err := Compose(s, s); !errors.Is(err, ErrCompose) {
		t.Error(err)
	}
}

// twoLosses returns the two distributions with two outputs whose privacy losses are loss and loss - width. They attain
// the moments of a bounded range.
func twoLosses(width, loss float64) (p, p2 []float64) {
	second := math.Expm1(loss-width) / (math.Exp(loss-width) - math.Exp(loss)) // the probability of the first output
	return []float64{math.Exp(loss) * second, math.Exp(loss-width) * (1 - second)}, []float64{second, 1 - second}
}

// The moment of a bounded range is the maximum over all losses of two outputs, and is rounded upward.
func TestLogRangeMoment(t *testing.T) {
	for _, width := range []float64{0.001, 0.1, 1, 10} {
		for _, alpha := range []float64{1.5, 2, 7, 100} {
			most := 0.0
			for i := range 10_001 {
				p, p2 := twoLosses(width, width*float64(i)/10_000)
				log := math.Inf(-1)
				for k := range p {
					if p[k] > 0 {
						// ln(e^x + e^y), without overflow
						x, y := log, alpha*math.Log(p[k])+(1-alpha)*math.Log(p2[k])
						log = max(x, y) + math.Log1p(math.Exp(-math.Abs(x-y)))
					}
				}
				most = max(most, log)
			}
			got := logRangeMoment(width, alpha)
			if got < most*(1-1e-9) || got > most*(1+1e-4)+1e-9 {
				t.Errorf("width %v, order %v: %v, not %v", width, alpha, got, most)
			}
			if zcdp := alpha * (alpha - 1) * width * width / 8; got > zcdp*(1+1e-9)+1e-9 {
				t.Errorf("width %v, order %v: %v exceeds the moment %v of zCDP", width, alpha, got, zcdp)
			}
		}
	}
	for _, width := range []float64{0x1p-600, 0x1p600, math.Inf(1)} {
		for _, alpha := range []float64{1.5, 4096} {
			if m := logRangeMoment(width, alpha); !(m >= 0) {
				t.Errorf("width %v, order %v: %v", width, alpha, m)
			}
		}
	}
}

// afterTwoLosses returns the greatest privacy curve at eps of two outputs, whose losses have the given width, followed by
// an output with the distribution p or p2. It tries the given number of equal steps of the greater loss.
func afterTwoLosses(width float64, steps int, p, p2 []float64, eps float64) (most float64) {
	for i := range steps + 1 {
		q, q2 := twoLosses(width, width*float64(i)/float64(steps))
		var law, law2 []float64
		for k := range q {
			for l := range p {
				law, law2 = append(law, q[k]*p[l]), append(law2, q2[k]*p2[l])
			}
		}
		most = max(most, hockeyStick(law, law2, eps), hockeyStick(law2, law, eps))
	}
	return most
}

// The bound is at least the exact privacy curve of two outputs followed by a step, and less than that of basic
// composition.
func TestSubsampledGaussianAfter(t *testing.T) {
	const width, sigma2 = 2.0, 400.0
	for _, r := range []Relation{AddRemove, ReplaceOne} {
		b, err := NewBoundedRange(r, decimal(t, "2"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := subsampled(t, r, big.NewRat(1, 2), big.NewRat(400, 9), 1).After(b)
		if err != nil {
			t.Fatal(err)
		}
		alone := subsampled(t, r, big.NewRat(1, 2), big.NewRat(400, 9), 1)
		p, p2 := pairOf(r, 0.5, sigma2, 3)
		for _, eps := range []float64{0, 0.5, 1, 2, 3} {
			exact, bound := afterTwoLosses(width, 20, p, p2, eps), s.Delta(eps)
			if bound < exact {
				t.Errorf("%v: δ(%v) = %g above the bound %g", r, eps, exact, bound)
			}
			if eps == 3 && bound > alone.Delta(eps-width) {
				t.Errorf("%v: the bound %g exceeds that of basic composition, %g", r, bound, alone.Delta(eps-width))
			}
			if eps == 1 && alone.Delta(eps) >= exact {
				t.Errorf("%v: the bound %g without the first part covers %g", r, alone.Delta(eps), exact)
			}
		}
		if _, err := s.After(b); !errors.Is(err, ErrCompose) {
			t.Errorf("a second mechanism before the steps: %v", err)
		}
		if _, err := alone.After(BoundedRange{}); !errors.Is(err, ErrCompose) {
			t.Errorf("a zero guarantee before the steps: %v", err)
		}
	}
	b, err := NewBoundedRange(ReplaceOne, decimal(t, "2"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := subsampled(t, AddRemove, big.NewRat(1, 2), big.NewRat(4, 1), 1).After(b); !errors.Is(err, ErrCompose) {
		t.Errorf("two relations: %v", err)
	}
}

// With q = 1, the bound is nearly the greatest privacy curve of two outputs followed by a step.
func TestSubsampledGaussianAfterWhole(t *testing.T) {
	for _, r := range []Relation{AddRemove, ReplaceOne} {
		for _, width := range []string{"0.02", "0.1", "1"} {
			b, err := NewBoundedRange(r, decimal(t, width))
			if err != nil {
				t.Fatal(err)
			}
			s, err := subsampled(t, r, big.NewRat(1, 1), big.NewRat(400, 1), 1).After(b)
			if err != nil {
				t.Fatal(err)
			}
			w := floatUp(s.width)
			p, p2 := pairOf(r, 1, 400, 1)
			for _, eps := range []float64{0, 0.05, 0.1, 0.2} {
				exact, bound := afterTwoLosses(w, 100, p, p2, eps), s.Delta(eps)
				if bound < exact || bound > 1.1*exact {
					t.Errorf("%v, ε₁ = %v: δ(%v) = %g, but the bound is %g", r, width, eps, exact, bound)
				}
			}
		}
	}
}
