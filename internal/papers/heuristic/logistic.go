package heuristic

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// Logistic returns an oracle for the scorecards of c, which takes three steps:
//
//  1. Fit a logistic regression with a coefficient for each category. It ignores terms and penalties.
//  2. Scale the regression by several factors, and round each result to a scorecard.
//  3. Improve the best of these scorecards by local search. If none of them is in the class, start from
//     the class's incumbent instead.
//
// The oracle ignores the budget.
func Logistic(c *scorecard.Class) oracle.Minimizer[[]uint16, scorecard.Card] { return logistic{c} }

type logistic struct{ class *scorecard.Class }

func (l logistic) Class() class.Class[[]uint16, scorecard.Card] { return l.class }

func (l logistic) Kind() oracle.Kind { return oracle.Heuristic }

func (l logistic) Minimize(ctx context.Context, p class.Problem[[]uint16], _ oracle.Budget) (oracle.Solution[scorecard.Card], error) {
	var none oracle.Solution[scorecard.Card]
	if err := ctx.Err(); err != nil {
		return none, err
	}
	t, err := l.class.Tree(p)
	if err != nil {
		return none, err
	}
	r := fit(l.class.Attributes(), p.Points)
	var best oracle.Solution[scorecard.Card]
	for _, scale := range scales {
		h := l.round(r, scale)
		if !l.class.Contains(h) {
			continue
		}
		if cost := class.Cost(l.class, p, h); best.Hypothesis.Points == nil || cost < best.Cost {
			best = oracle.Solution[scorecard.Card]{Hypothesis: h, Cost: cost}
		}
	}
	if best.Hypothesis.Points == nil {
		best.Hypothesis, best.Cost = t.Incumbent()
	}
	if err := l.improve(ctx, p, &best); err != nil {
		return none, err
	}
	return best, nil
}

// A regression is a logistic regression: it models the log-odds of label 1 as an intercept plus a coefficient for
// each category of each attribute.
type regression struct {
	intercept    float64
	coefficients [][]float64
}

const (
	sweeps = 20 // the number of passes over all attributes
	// ridge is the factor of the penalty on squared coefficients, in units of the average weight of
	// a point. The penalty keeps coefficients finite if the data is separable.
	ridge = 1
	// mostStep bounds the change of a coefficient in one Newton step.
	mostStep = 1
)

// fit fits a regression to the points by coordinate descent: for one attribute after the other, it takes a Newton step
// on the coefficients of the attribute. Each point is in one category of the attribute, so the Hessian of these
// coefficients is diagonal. The label of a point is its cheaper prediction, and its weight is the difference of its two
// costs.
func fit(attributes []scorecard.Attribute, points []class.Point[[]uint16]) regression {
	r := regression{coefficients: make([][]float64, len(attributes))}
	for j, a := range attributes {
		r.coefficients[j] = make([]float64, a.Categories())
	}
	var weight float64 // the total weight of all points
	gains := make([]float64, len(points))
	for i, pt := range points {
		gains[i] = float64(pt.Cost[0]) - float64(pt.Cost[1])
		weight += math.Abs(gains[i])
	}
	if weight == 0 {
		return r
	}
	for i := range gains {
		gains[i] *= float64(len(points)) / weight
	}
	logits := make([]float64, len(points))
	step := func(size int, code func(x []uint16) int, c []float64, ridge float64) {
		slope, curve := make([]float64, size), make([]float64, size)
		for i, pt := range points {
			at, w := code(pt.X), math.Abs(gains[i])
			q := 1 / (1 + math.Exp(-logits[i]))
			slope[at] += max(gains[i], 0) - w*q
			curve[at] += w * q * (1 - q)
		}
		for at := range slope {
			slope[at] = (slope[at] - ridge*c[at]) / (curve[at] + ridge + 1e-9)
			slope[at] = max(-mostStep, min(slope[at], mostStep))
			c[at] += slope[at]
		}
		for i, pt := range points {
			logits[i] += slope[code(pt.X)]
		}
	}
	intercept := make([]float64, 1)
	for range sweeps {
		step(1, func([]uint16) int { return 0 }, intercept, 0)
		for j, c := range r.coefficients {
			step(len(c), func(x []uint16) int { return int(x[j]) }, c, ridge)
		}
	}
	r.intercept = intercept[0]
	return r
}

// scales are the factors by which the regression is multiplied before rounding. They are relative to the scale at
// which the largest absolute coefficient becomes the largest possible absolute number of points.
var scales = []float64{0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 8, 15}

// round multiplies the regression r by scale and rounds it to a scorecard, attribute by attribute.
//
// A scorecard predicts 1 if the total of the points is at least its threshold, while the regression predicts 1 if the
// log-odds are positive. So before rounding, round adds scaled intercept + threshold - ½ to the scaled coefficients, in
// equal shares for all attributes. Then the total of a record exceeds the threshold minus ½ if and only if the log-odds
// of the record are positive.
func (l logistic) round(r regression, scale float64) scorecard.Card {
	attributes := l.class.Attributes()
	greatest, points := 0.0, 1.0
	for j, a := range attributes {
		for c, v := range r.coefficients[j] {
			greatest = max(greatest, math.Abs(v))
			levels := a.Levels(c)
			points = max(points, math.Abs(float64(levels[0])), math.Abs(float64(levels[len(levels)-1])))
		}
	}
	if greatest > 0 {
		scale *= points / greatest
	}
	share := (scale*r.intercept + float64(l.class.Options().Threshold) - 0.5) / float64(len(attributes))
	var h scorecard.Card
	for j, a := range attributes {
		wanted := make([]float64, a.Categories())
		for c, v := range r.coefficients[j] {
			wanted[c] = scale*v + share
		}
		h.Points = append(h.Points, nearest(a, wanted))
	}
	return h
}

// nearest returns the vector of possible points of the attribute a with the least Euclidean distance from the wanted
// points. If the attribute has independent points for each category (one-hot), nearest ignores the requirement of
// monotone points.
func nearest(a scorecard.Attribute, wanted []float64) []int {
	if list := a.List(); list != nil {
		best, least := 0, math.Inf(1)
		for i, v := range list {
			distance := 0.0
			for c, w := range wanted {
				distance += (w - float64(v[c])) * (w - float64(v[c]))
			}
			if distance < least {
				best, least = i, distance
			}
		}
		return list[best]
	}
	v := make([]int, len(wanted))
	for c, w := range wanted {
		levels := a.Levels(c)
		w = max(float64(levels[0]), min(w, float64(levels[len(levels)-1])))
		v[c] = int(math.Round(w))
	}
	return v
}
