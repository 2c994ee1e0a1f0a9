package robust

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A PRSMAGoal states what a plan must achieve. Exactly one of LeastPower and MostCalls must be positive.
type PRSMAGoal struct {
	Rows           int64           // n, the number of rows of the table
	Epsilon, Delta privacy.Decimal // the guarantee under replace-one
	Refusal        float64         // β: the maximum probability of the output ⊥ if no run fails
	// If LeastPower is positive, the best plan has the fewest Calls among the plans whose Power is
	// at least LeastPower.
	LeastPower float64
	// If MostCalls is positive, the best plan has the greatest Power among the plans whose Calls are
	// at most MostCalls.
	MostCalls int64
}

// ErrNoPlan is returned if PlanPRSMA finds no plan for the goal. More rows, more calls, a lower power or a larger δ
// may help.
var ErrNoPlan = errors.New("robust: no plan of PRSMA satisfies the required ε, δ and probability of a result")

// PlanPRSMA searches for the best plan for the goal g. The search uses floating point and may miss the best plan, but
// the returned plan meets the goal by the exact formulas of Check. The result is deterministic. The search takes about
// a second at ε = 1. At ε = 0.1, where a plan has a thousand parts, it takes half a minute.
func PlanPRSMA(g PRSMAGoal) (PRSMAPlan, error) {
	if !(g.LeastPower > 0) == (g.MostCalls <= 0) {
		return PRSMAPlan{}, fmt.Errorf("%w: exactly one of LeastPower and MostCalls must be positive", ErrNoPlan)
	}
	if g.Rows < 1 || g.Rows > learn.MostRows {
		return PRSMAPlan{}, fmt.Errorf("%w: the number of rows is %d, but must be 1..%d", ErrNoPlan, g.Rows, int64(learn.MostRows))
	}
	if !(g.Refusal > 0 && g.Refusal < 1) {
		return PRSMAPlan{}, fmt.Errorf("%w: the probability of refusal is %v, but must be between 0 and 1", ErrNoPlan, g.Refusal)
	}
	if e, d := float(g.Epsilon), float(g.Delta); !(e > 0 && e <= 20 && d > 0 && d < 1) {
		return PRSMAPlan{}, fmt.Errorf("%w: ε = %v must be positive and at most 20, and δ = %v must be between 0 and 1", ErrNoPlan, g.Epsilon, g.Delta)
	}
	// The search uses an ε and a δ slightly below those of the goal, so that the plan meets the goal
	// after rounding up.
	s := planSearch{g, float(g.Epsilon) * (1 - 1e-8), float(g.Delta) * (1 - 1e-8)}
	least := 1 + 1/math.Expm1(s.epsilon) // u₀ must exceed this
	best := planDraft{score: math.Inf(1)}
	for times := 2.0; times < 64; times *= 1.3 {
		for _, r := range []float64{0.3, 0.8, 1.5, 2.5, 4} {
			start := planPoint{logFloor: math.Log(least * times), spare: 4, logRatio: math.Log(r), logFailing: math.Log(0.05), logSplit: math.Log(0.1)}
			if d := s.descend(start); d.score < best.score {
				best = d
			}
		}
	}
	if best.score >= infeasible {
		return PRSMAPlan{}, ErrNoPlan
	}
	plan, err := best.plan(g)
	if err != nil {
		return PRSMAPlan{}, err
	}
	bounds, err := plan.Check()
	if err != nil {
		return PRSMAPlan{}, fmt.Errorf("%w: %w", ErrNoPlan, err)
	}
	if bounds.Epsilon.Cmp(g.Epsilon) > 0 || bounds.Delta.Cmp(g.Delta) > 0 || bounds.Refusal > g.Refusal {
		return PRSMAPlan{}, fmt.Errorf("%w: the best plan exceeds the goal after rounding: it has ε = %v and δ = %v, and releases nothing with probability %v", ErrNoPlan, bounds.Epsilon, bounds.Delta, bounds.Refusal)
	}
	return plan, nil
}

// A planPoint is a point of the search space of PlanPRSMA. Its five numbers determine a plan, of which draft computes
// the best values of the other parameters.
type planPoint struct {
	logFloor   float64 // ln u₀
	spare      float64 // θ minus the least θ that δ allows
	logRatio   float64 // ln r
	logFailing float64 // ln ψ
	logSplit   float64 // ln(δ_Q/(δ - δ_Z))
}

// moved returns a point that differs from p in coordinate i, by the given number of initial steps of descend.
// Coordinates have the order of the fields.
func (p planPoint) moved(i int, steps float64) planPoint {
	switch i {
	case 0:
		p.logFloor += steps * 0.3
	case 1:
		p.spare += steps * 4
	case 2:
		p.logRatio += steps * 0.3
	case 3:
		p.logFailing += steps * 0.7
	case 4:
		p.logSplit += steps * 0.7
	}
	return p
}

// planCoordinates is the number of coordinates of a planPoint.
const planCoordinates = 5

// A planDraft is a plan in floating point, with the score that the search minimizes. Its fields correspond to those
// of a PRSMAPlan, in which r, psi, test and base are called LogRatio, Failing, TestEpsilon and BaseEpsilon.
type planDraft struct {
	floor, threshold, parts, runs float64
	r, psi, test, split, tilt     float64
	base, score                   float64
}

// A planSearch is a search for a plan. Its ε and δ are slightly less than those of the goal, so that the plan still
// meets the goal after rounding.
type planSearch struct {
	goal           PRSMAGoal
	epsilon, delta float64
}

// descend runs a pattern search from the given point, and returns the draft with the least score that it finds. A move
// changes one or two coordinates. If no move improves the score, descend halves the step sizes.
func (s planSearch) descend(at planPoint) planDraft {
	best := s.draft(at, math.Inf(1))
	for scale := 1.0; scale > 1e-3; {
		better := false
		for i := range planCoordinates {
			for j := range i + 1 {
				for _, sign := range [4][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
					to := at.moved(i, sign[0]*scale)
					if j < i {
						to = to.moved(j, sign[1]*scale)
					}
					if d := s.draft(to, best.score); d.score < best.score {
						at, best, better = to, d, true
					}
				}
			}
		}
		if !better {
			scale /= 2
		}
	}
	return best
}

// infeasible is the score of a draft that barely fails to meet the goal. Every draft that does not meet the goal has
// at least this score.
const infeasible = 1e30

// draft computes all parameters of the plan at a point of the search, and its score; a lower score is better. If the
// plan does not meet the goal, its score grows with its distance from the goal. If draft finds that the score will
// not be less than limit, it may stop early and return an incomplete draft with an infinite score.
func (s planSearch) draft(at planPoint, limit float64) planDraft {
	d := planDraft{
		floor: max(2, math.Round(math.Exp(at.logFloor))),
		r:     min(digits(math.Exp(at.logRatio)), 20),
		psi:   min(digits(math.Exp(at.logFailing)), 0.99),
		score: math.Inf(1),
	}
	rho := math.Exp(d.r) / (1 - d.psi)
	d.test = math.Floor((s.epsilon-math.Log1p((rho-1)/d.floor))*1e4) / 1e4
	if over := math.Log1p(rho/(d.floor-1)) / s.epsilon; over > 1 || d.test <= 0 {
		d.score = infeasible * 1e30 * (1 + over + rho/d.floor)
		return d
	}
	tail := func(k float64) float64 { return laplaceTail(d.test, int(k)) }
	// until returns the least positive k for which tail(k) is at most p.
	until := func(p float64) float64 {
		return max(1, math.Ceil(-math.Log(p*(1+math.Exp(-d.test)))/d.test))
	}
	d.threshold = d.floor - 1 + until(s.delta) + math.Round(max(at.spare, 0))
	d.parts = max(d.threshold-1+until(s.goal.Refusal*(1-1e-8)), 3)
	b := math.Floor(float64(s.goal.Rows) / d.parts)
	if !(d.parts <= MostParts && b >= 1) {
		d.score = infeasible * 1e60 * (1 + d.parts)
		return d
	}
	left := s.delta - tail(d.threshold-d.floor+1)
	d.split = digits(left * math.Exp(min(at.logSplit, -0.01)))
	left -= d.split
	if left <= 0 {
		return d
	}
	v := (1 + math.Pow(d.parts/(d.parts-1), 2)) / 2
	d.base = d.r / (1 + math.Sqrt(v*b*math.Log((d.parts-1)/d.split)))
	if whole := d.r / b; whole >= d.base {
		d.base, d.split = whole, 0
	}
	power := d.base * float64(s.goal.Rows) / d.parts
	switch {
	case s.goal.MostCalls > 0 && 1/power >= limit:
		return d
	case s.goal.MostCalls <= 0 && power < s.goal.LeastPower*(1+1e-8):
		d.score = infeasible * (1 + s.goal.LeastPower/power)
		return d
	}
	logs := make([]float64, 0, int(d.parts-d.floor)+1) // ln(g(T)/(T(T-1))) for T = K, K-1, …, u₀
	once := 0.0
	for t := d.parts; t >= d.floor; t-- {
		g := tail(d.threshold - t)
		once = max(once, g/t)
		logs = append(logs, math.Log(g/(t*(t-1))))
	}
	hidden := func(tilt float64) float64 {
		most := math.Inf(-1)
		for i, l := range logs {
			most = max(most, l+tilt*float64(i))
		}
		return most - math.Log(-math.Expm1(-tilt))
	}
	d.tilt = digits(leastAt(hidden, 1e-3, min(50, mostTilt/d.parts)))
	d.runs = math.Ceil(max(
		math.Log(once/left)/-math.Log1p(-d.psi),
		rho/(math.E*left)*math.Exp(hidden(d.tilt)),
		1) * (1 + 1e-9))
	calls := d.parts * d.runs
	switch {
	case s.goal.MostCalls > 0 && calls > float64(s.goal.MostCalls):
		d.score = infeasible * calls / float64(s.goal.MostCalls)
	case s.goal.MostCalls > 0:
		d.score = 1 / power
	default:
		d.score = calls
	}
	return d
}

// plan converts the draft to a plan with exact decimals.
func (d planDraft) plan(g PRSMAGoal) (p PRSMAPlan, err error) {
	p = PRSMAPlan{Rows: g.Rows, Parts: int(d.parts), Runs: int64(d.runs), Threshold: int(d.threshold), Floor: int(d.floor)}
	for _, f := range []struct {
		to   *privacy.Decimal
		from float64
	}{{&p.TestEpsilon, d.test}, {&p.LogRatio, d.r}, {&p.Failing, d.psi}, {&p.Split, d.split}, {&p.Tilt, d.tilt}} {
		if *f.to, err = privacy.ParseDecimal(strconv.FormatFloat(f.from, 'g', -1, 64)); err != nil {
			return p, err
		}
	}
	p.BaseEpsilon, err = BaseEpsilon(p.LogRatio, p.PartRows(), p.Parts, p.Split)
	return p, err
}

// leastAt returns an approximate minimizer of the convex function f on [low, high], by golden-section
// search.
func leastAt(f func(float64) float64, low, high float64) float64 {
	ratio := (math.Sqrt(5) - 1) / 2
	a, b := high-ratio*(high-low), low+ratio*(high-low)
	atA, atB := f(a), f(b)
	for range 26 { // the interval shrinks to 4e-6 of its original length
		if atA <= atB {
			high, b, atB = b, a, atA
			a = high - ratio*(high-low)
			atA = f(a)
		} else {
			low, a, atA = a, b, atB
			b = low + ratio*(high-low)
			atB = f(b)
		}
	}
	return (low + high) / 2
}

// digits rounds x > 0 to three significant decimal digits.
func digits(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return y
}
