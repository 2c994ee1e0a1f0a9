package robust

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A PRSMAPlan holds the public parameters of PRSMA. The fields of the first group define the mechanism. The fields of
// the second group are used only to prove the guarantee. From both groups, Check derives (ε, δ) by the formulas of
// docs/explanation/proofs/prsma.md, section 2.
type PRSMAPlan struct {
	Rows        int64           // n, the number of rows of the table, including null records
	Parts       int             // K, the number of parts, at least 3; each part has b = ⌊n/K⌋ rows
	Runs        int64           // R, the number of runs on each part
	Threshold   int             // θ: PRSMA releases a hypothesis if the noisy number of passed parts is at least θ
	TestEpsilon privacy.Decimal // ε_t of the noise on the number of passed parts
	BaseEpsilon privacy.Decimal // ε′ of one run

	Floor    int             // u₀, 2..θ: the probability of a release with fewer than u₀ passed parts counts towards δ
	LogRatio privacy.Decimal // r: the probabilities of an event of one run on two parts differ by a factor of at most e^r
	Failing  privacy.Decimal // ψ: a part on which a run fails with a probability above ψ passes with probability at most (1-ψ)^R
	Split    privacy.Decimal // δ_Q: the probability of a random partition for which the bound e^r does not hold
	Tilt     privacy.Decimal // s, a parameter of the bound on the effect of failing runs
}

// PRSMABounds holds the guarantee that follows from a plan, and the probability that the plan releases nothing. All
// numbers are rounded upward.
type PRSMABounds struct {
	Epsilon, Delta privacy.Decimal // the guarantee is (ε, δ)-differential privacy under replace-one
	Refusal        float64         // the probability of the output ⊥ if no run fails
}

// ErrPlan is returned for parameters of PRSMA that are out of range or prove no guarantee.
var ErrPlan = errors.New("robust: the plan of PRSMA is invalid")

// These constants are the maximum values of fields of a PRSMAPlan.
const (
	MostParts = 1 << 14
	MostRuns  = 1 << 40
)

// PartRows returns b, the number of rows in each part.
func (p PRSMAPlan) PartRows() int64 { return p.Rows / int64(p.Parts) }

// Calls returns the number of runs K·R if no run fails, with R runs on each of K parts.
func (p PRSMAPlan) Calls() int64 { return int64(p.Parts) * p.Runs }

// Power returns ε′·n/K, where ε′ is the ε of a run, n is the number of rows and K is the number of parts. It measures
// how little noise a run has: relative to the number of rows that it reads, a run on a part has as much noise as the
// base mechanism with ε = Power/n has on the whole table.
func (p PRSMAPlan) Power() float64 {
	return float(p.BaseEpsilon) * float64(p.Rows) / float64(p.Parts)
}

// Check returns the guarantee that follows from the plan. It returns ErrPlan if no guarantee follows.
func (p PRSMAPlan) Check() (PRSMABounds, error) {
	if err := p.validate(); err != nil {
		return PRSMABounds{}, err
	}
	base, err := BaseEpsilon(p.LogRatio, p.PartRows(), p.Parts, p.Split)
	if err != nil {
		return PRSMABounds{}, err
	}
	if p.BaseEpsilon.Cmp(base) > 0 {
		return PRSMABounds{}, fmt.Errorf("%w: the ε′ of the base mechanism is %v, but the plan's r and δ_Q allow at most %v", ErrPlan, p.BaseEpsilon, base)
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

// validate returns ErrPlan if a parameter is outside its valid range. The proof and the bound on rounding errors
// (planSlack) hold only within these ranges.
func (p PRSMAPlan) validate() error {
	invalid := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrPlan}, args...)...)
	}
	switch {
	case p.Parts < 3 || p.Parts > MostParts:
		return invalid("the number of parts is %d, but must be 3..%d", p.Parts, MostParts)
	case p.Rows < int64(p.Parts) || p.Rows > learn.MostRows:
		return invalid("the number of rows is %d, but must be %d (the number of parts) to %d", p.Rows, p.Parts, int64(learn.MostRows))
	case p.Runs < 1 || p.Runs > MostRuns:
		return invalid("the number of runs on a part is %d, but must be 1..%d", p.Runs, int64(MostRuns))
	case p.Floor < 2 || p.Floor > p.Threshold || p.Threshold > p.Parts:
		return invalid("2 ≤ u₀ ≤ θ ≤ K is required, but u₀ is %d, θ is %d and K is %d", p.Floor, p.Threshold, p.Parts)
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
			return invalid("%s is %v, but must be %g..%g", d.name, d.value, d.least, d.most)
		}
	}
	if tilt := float(p.Tilt) * float64(p.Parts); tilt > mostTilt {
		return invalid("s·K is %g, but must be at most %d", tilt, mostTilt)
	}
	return nil
}

// rho returns ρ = e^r/(1-ψ), where r is LogRatio and ψ is Failing.
func (p PRSMAPlan) rho() float64 { return math.Exp(float(p.LogRatio)) / (1 - float(p.Failing)) }

// epsilon returns the ε of the guarantee. In the notation of the proof, it is
//
//	max{ε_t + ln(1 + (ρ-1)/u₀), ln(1 + ρ/(u₀-1))}.
//
// Two neighbouring tables differ in a record of one part. The first term covers the case that this part passes for
// only one of the tables, and the second term covers the case that it passes for both.
func (p PRSMAPlan) epsilon() float64 {
	u := float64(p.Floor)
	return max(float(p.TestEpsilon)+math.Log1p((p.rho()-1)/u), math.Log1p(p.rho()/(u-1)))
}

// deltaOfThreshold returns δ_Z, an upper bound on the probability that PRSMA releases a hypothesis although fewer
// than u₀ (the field Floor) parts passed.
func (p PRSMAPlan) deltaOfThreshold() float64 {
	return laplaceTail(float(p.TestEpsilon), p.Threshold-p.Floor+1)
}

// deltaOfRuns returns δ_ψ. Two neighbouring tables differ in a record of one part. If each run on this part fails
// with a probability greater than ψ, δ_ψ bounds the probability that the part nevertheless passes and its result is
// released.
func (p PRSMAPlan) deltaOfRuns() float64 {
	most := 0.0
	for t := p.Floor; t <= p.Parts; t++ {
		most = max(most, p.releaseProbability(t)/float64(t))
	}
	return math.Exp(float64(p.Runs)*math.Log1p(-float(p.Failing))) * most
}

// deltaOfFailing returns δ_φ, an upper bound on the effect of failing runs on the other parts: those without the
// record in which two neighbouring tables differ.
func (p PRSMAPlan) deltaOfFailing() float64 {
	s, most := float(p.Tilt), 0.0
	for t := p.Floor; t <= p.Parts; t++ {
		most = max(most, p.releaseProbability(t)*math.Exp(s*float64(p.Parts-t))/(float64(t)*float64(t-1)))
	}
	return p.rho() / (math.E * float64(p.Runs) * -math.Expm1(-s)) * most
}

// releaseProbability returns the probability that PRSMA releases a hypothesis if the given number of parts have passed.
// The proof denotes it by g(T).
func (p PRSMAPlan) releaseProbability(passed int) float64 {
	return laplaceTail(float(p.TestEpsilon), p.Threshold-passed)
}

// laplaceTail returns Pr[z ≥ k] for a random integer z whose probability is proportional to e^{-ε|z|}.
func laplaceTail(epsilon float64, k int) float64 {
	if k <= 0 {
		return 1 - laplaceTail(epsilon, 1-k)
	}
	return math.Exp(-epsilon*float64(k)) / (1 + math.Exp(-epsilon))
}

// BaseEpsilon returns the largest ε′ of the base mechanism that the theorem allows, rounded down.
//
// The theorem requires the following of a run of a pure ε′-DP base mechanism. Two neighbouring tables differ in a
// record of one part. The probability of any event on this part must be at most e^r times its probability on every
// other part, except for partitions of total probability δ_Q.
//
// The parameters are rows = b, the number of rows of a part, parts = K and split = δ_Q. The result is
//
//   - r/(1 + √(v·b·ln((K-1)/δ_Q))) with v = (1 + (K/(K-1))²)/2, if δ_Q > 0
//   - r/b, for which the bound e^r holds for all partitions, if δ_Q = 0
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

// planDigits is the number of significant digits to which Check rounds its results.
const planDigits = 9

// planSlack is an upper bound on the relative rounding error of all formulas of this file. The error is below 2^-35:
//
//   - Decimals and the functions of package math have relative errors of a few units of 2^-53.
//   - An exponential multiplies the error by its exponent, which is at most 750 unless the result underflows.
//   - A number is subtracted from 1 only if it is at most 0.99, or if it is a tail of at most 1/2.
//   - ln(1+x) may have an error of 2^-50, but ε is at least ln(1 + 1/K).
//
// planTiny is an upper bound on the absolute error of results that underflow. They are below e^-745, and are multiplied
// by at most e^{sK} ≤ e^300 and ρ/(1-e^{-s}) < e^40.
//
// mostTilt is the maximum of s·K.
const (
	planSlack = 0x1p-32
	planTiny  = 0x1p-500
	mostTilt  = 300
)

// outward rounds the upper bound x upward, by more than its rounding error.
func outward(x float64) float64 { return x*(1+planSlack) + planTiny }

// float converts a decimal to the nearest float64.
func float(d privacy.Decimal) float64 {
	f, _ := d.Rat().Float64()
	return f
}
