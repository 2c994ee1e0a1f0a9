package robust

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A PRSMAPlan holds the public parameters of PRSMA. Those of the first group
// are the mechanism; those of the second are a witness of its guarantee, from
// which Check derives (ε, δ) by the formulas of docs/explanation/proofs/prsma.md.
type PRSMAPlan struct {
	Rows        int64           // n, all rows of the table, null records too
	Parts       int             // K, at least 3; each part has b = ⌊n/K⌋ rows
	Runs        int64           // R, in each part
	Threshold   int             // θ: go on if that many parts pass, noise included
	TestEpsilon privacy.Decimal // ε_t of the noise on the number of parts passed
	BaseEpsilon privacy.Decimal // ε′ of one run

	Floor    int             // u₀, 2..θ: fewer parts going on is a failure
	LogRatio privacy.Decimal // r: the laws of two parts are within e^r on an event
	Failing  privacy.Decimal // ψ: a part's failure probability above it is caught
	Split    privacy.Decimal // δ_Q: the partition fails to make parts alike
	Tilt     privacy.Decimal // s, of the bound on what failing runs hide
}

// PRSMABounds is what a plan's parameters prove. All numbers are rounded
// upward.
type PRSMABounds struct {
	Epsilon, Delta privacy.Decimal // of replace-one (ε, δ)-differential privacy
	Refusal        float64         // the probability of ⊥ when no run fails
}

// ErrPlan reports parameters of PRSMA that prove nothing.
var ErrPlan = errors.New("robust: not a plan of PRSMA")

// The greatest numbers of a plan.
const (
	MostParts = 1 << 14
	MostRuns  = 1 << 40
)

// PartRows returns b, the number of rows in each part.
func (p PRSMAPlan) PartRows() int64 { return p.Rows / int64(p.Parts) }

// Calls returns K·R, the number of runs if none fails.
func (p PRSMAPlan) Calls() int64 { return int64(p.Parts) * p.Runs }

// Power returns ε′·n/K: what a run has left of ε times its rows. The base's
// excess on the whole table's scale is about that of ε = Power/n.
func (p PRSMAPlan) Power() float64 {
	return float(p.BaseEpsilon) * float64(p.Rows) / float64(p.Parts)
}

// Check computes what the plan proves, or fails with ErrPlan.
func (p PRSMAPlan) Check() (PRSMABounds, error) {
	if err := p.validate(); err != nil {
		return PRSMABounds{}, err
	}
	base, err := BaseEpsilon(p.LogRatio, p.PartRows(), p.Parts, p.Split)
	if err != nil {
		return PRSMABounds{}, err
	}
	if p.BaseEpsilon.Cmp(base) > 0 {
		return PRSMABounds{}, fmt.Errorf("%w: ε′ is %v, more than the %v that r and δ_Q allow", ErrPlan, p.BaseEpsilon, base)
	}
	epsilon, err := privacy.RoundUpFloat(outward(p.epsilon()), planDigits)
	if err != nil {
		return PRSMABounds{}, fmt.Errorf("%w: ε: %w", ErrPlan, err)
	}
	sum := outward(p.deltaOfThreshold() + max(p.deltaOfFailing(), p.deltaOfRuns()))
	total := new(big.Rat).SetFloat64(sum)
	if total == nil {
		return PRSMABounds{}, fmt.Errorf("%w: δ is not finite", ErrPlan)
	}
	delta, err := privacy.RoundUp(total.Add(total, p.Split.Rat()), planDigits)
	if err != nil {
		return PRSMABounds{}, fmt.Errorf("%w: δ: %w", ErrPlan, err)
	}
	refusal := outward(laplaceTail(float(p.TestEpsilon), p.Parts-p.Threshold+1))
	return PRSMABounds{epsilon, delta, refusal}, nil
}

// validate reports parameters outside the ranges for which the proof, and the
// bound on rounding in outward, are made.
func (p PRSMAPlan) validate() error {
	refuse := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrPlan}, args...)...)
	}
	switch {
	case p.Parts < 3 || p.Parts > MostParts:
		return refuse("%d parts are outside 3..%d", p.Parts, MostParts)
	case p.Rows < int64(p.Parts) || p.Rows > learn.MostRows:
		return refuse("%d rows are fewer than the %d parts, or more than %d", p.Rows, p.Parts, int64(learn.MostRows))
	case p.Runs < 1 || p.Runs > MostRuns:
		return refuse("%d runs in a part are outside 1..%d", p.Runs, int64(MostRuns))
	case p.Floor < 2 || p.Floor > p.Threshold || p.Threshold > p.Parts:
		return refuse("it takes 2 ≤ u₀ ≤ θ ≤ K, and they are %d, %d and %d", p.Floor, p.Threshold, p.Parts)
	}
	for _, d := range []struct {
		name        string
		value       privacy.Decimal
		least, most float64
	}{
		{"ε_t", p.TestEpsilon, 1e-6, 50},
		{"ε′", p.BaseEpsilon, 1e-12, 50},
		{"r", p.LogRatio, 1e-6, 20},
		{"ψ", p.Failing, 1e-9, 0.99},
		{"δ_Q", p.Split, 0, 0.99},
		{"s", p.Tilt, 1e-6, 50},
	} {
		if v := float(d.value); !(v >= d.least && v <= d.most) {
			return refuse("%s is %v, outside %g..%g", d.name, d.value, d.least, d.most)
		}
	}
	if tilt := float(p.Tilt) * float64(p.Parts); tilt > mostTilt {
		return refuse("s·K is %g, more than %d", tilt, mostTilt)
	}
	return nil
}

// rho is ρ = e^r/(1-ψ).
func (p PRSMAPlan) rho() float64 { return math.Exp(float(p.LogRatio)) / (1 - float(p.Failing)) }

// epsilon is max{ε_t + ln(1 + (ρ-1)/u₀), ln(1 + ρ/(u₀-1))}: a part passes on
// one table and fails on the other, or passes on both.
func (p PRSMAPlan) epsilon() float64 {
	u := float64(p.Floor)
	return max(float(p.TestEpsilon)+math.Log1p((p.rho()-1)/u), math.Log1p(p.rho()/(u-1)))
}

// deltaOfThreshold is δ_Z, the probability of going on with fewer than u₀ parts.
func (p PRSMAPlan) deltaOfThreshold() float64 {
	return laplaceTail(float(p.TestEpsilon), p.Threshold-p.Floor+1)
}

// deltaOfRuns is δ_ψ: the part of the differing record fails with probability
// more than ψ in each run, and yet passes and is chosen.
func (p PRSMAPlan) deltaOfRuns() float64 {
	most := 0.0
	for t := p.Floor; t <= p.Parts; t++ {
		most = max(most, p.goOn(t)/float64(t))
	}
	return math.Exp(float64(p.Runs)*math.Log1p(-float(p.Failing))) * most
}

// deltaOfFailing is δ_φ: what the failing runs of the other parts hide.
func (p PRSMAPlan) deltaOfFailing() float64 {
	s, most := float(p.Tilt), 0.0
	for t := p.Floor; t <= p.Parts; t++ {
		most = max(most, p.goOn(t)*math.Exp(s*float64(p.Parts-t))/(float64(t)*float64(t-1)))
	}
	return p.rho() / (math.E * float64(p.Runs) * -math.Expm1(-s)) * most
}

// goOn is g(T), the probability of going on when T parts have passed.
func (p PRSMAPlan) goOn(passed int) float64 {
	return laplaceTail(float(p.TestEpsilon), p.Threshold-passed)
}

// laplaceTail is Pr[z ≥ k] for z of mass ∝ e^{-ε|z|}.
func laplaceTail(epsilon float64, k int) float64 {
	if k <= 0 {
		return 1 - laplaceTail(epsilon, 1-k)
	}
	return math.Exp(-epsilon*float64(k)) / (1 + math.Exp(-epsilon))
}

// BaseEpsilon returns ε′, rounded down, with which a pure ε′-DP base gives any
// event nearly the same probability, within a factor e^r, on the part of the
// differing record and on all others, except for a share split of the
// partitions: r/(1 + √(v·b·ln((K-1)/δ_Q))) with v = (1 + (K/(K-1))²)/2, or r/b,
// with which it is so for all partitions, where split is 0.
func BaseEpsilon(r privacy.Decimal, rows int64, parts int, split privacy.Decimal) (privacy.Decimal, error) {
	b, k := float64(rows), float64(parts)
	over := b
	if q := float(split); q > 0 {
		v := (1 + math.Pow(k/(k-1), 2)) / 2
		over = 1 + math.Sqrt(v*b*math.Log((k-1)/q))
	}
	inward := new(big.Rat).SetFloat64(float(r) / over * (1 - planSlack))
	if inward == nil {
		return privacy.Decimal{}, fmt.Errorf("%w: ε′ is not finite", ErrPlan)
	}
	return privacy.RoundDown(inward, planDigits)
}

// planDigits is the number of significant digits of what Check reports.
const planDigits = 9

// planSlack covers the rounding of all formulas here. Decimals and the
// functions of package math err by a few units of 2^-53; an exponential errs by
// that times its exponent, at most 750 where it does not vanish; a difference
// from 1 is taken of numbers up to 0.99, or of a tail up to 1/2; ln(1+x) may
// err by 2^-50, but ε is at least ln(1 + 1/K). Together this stays below 2^-35.
// What vanishes is below e^-745, by whatever else it is multiplied below
// planTiny: e^{sK} ≤ e^300, and ρ/(1-e^{-s}) < e^40.
const (
	planSlack = 0x1p-32
	planTiny  = 0x1p-500
	mostTilt  = 300
)

// outward rounds a bound upward by more than its rounding errors.
func outward(x float64) float64 { return x*(1+planSlack) + planTiny }

func float(d privacy.Decimal) float64 {
	f, _ := d.Rat().Float64()
	return f
}
