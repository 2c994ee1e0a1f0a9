package experiment

import (
	"context"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/coded"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// hypotheses is a class whose hypotheses have the type any. All methods use this type, so that oracles, mechanisms
// and the search are compiled only once instead of once for each type of hypothesis.
type hypotheses = class.Class[[]uint16, any]

// cardsOf returns the class of scorecards on the instance whose points are integers from least to most.
func cardsOf(in *Instance, least, most int) (hypotheses, error) {
	return cardsWith(in, least, most, scorecard.Options{Threshold: 1})
}

func cardsWith(in *Instance, least, most int, o scorecard.Options) (hypotheses, error) {
	c, err := scorecard.New(attributesOf(in, least, most), o)
	if err != nil {
		return nil, err
	}
	return class.Erase(c), nil
}

func attributesOf(in *Instance, least, most int) []scorecard.Attribute {
	if !in.Digits {
		return scorecard.Uniform(in.Sizes, least, most)
	}
	return slices.Repeat([]scorecard.Attribute{scorecard.Numeric([]int{0, 1}, least, most)}, len(in.Sizes))
}

// ExponentialMethod returns the method that releases a scorecard with integer points from least to most by the
// exponential mechanism.
func ExponentialMethod(name string, least, most int, r privacy.Relation) Method {
	return exponential(name, r, func(in *Instance, _ privacy.Decimal) (hypotheses, error) { return cardsOf(in, least, most) })
}

func exponential(name string, r privacy.Relation, of func(*Instance, privacy.Decimal) (hypotheses, error)) Method {
	return Method{Name: name, Promise: "pure", Learn: func(in *Instance, epsilon privacy.Decimal) (Trial, error) {
		c, err := of(in, epsilon)
		if err != nil {
			return nil, err
		}
		m, err := learn.NewExponential(c, epsilon, r, learn.ZeroOne)
		if err != nil {
			return nil, err
		}
		return releasing(in, c, m), nil
	}}
}

// RSPM returns the method perturb.RSPM, with exact search as its oracle, over scorecards with points -1..1. If h is
// 0, RSPM uses the separator of the class. Otherwise its separator is a code with the minimum distance h.
func RSPM(name string, kind perturb.Noise, h int) Method {
	return Method{Name: name, Promise: "pure", Learn: func(in *Instance, epsilon privacy.Decimal) (Trial, error) {
		c, err := cardsOf(in, -1, 1)
		if err == nil && h > 0 {
			c, err = coded.New(c, h)
		}
		if err != nil {
			return nil, err
		}
		m, err := perturb.NewRSPM(oracle.Search(c), kind, epsilon, privacy.ReplaceOne, learn.ZeroOne, 0)
		if err != nil {
			return nil, err
		}
		return releasing(in, c, m), nil
	}}
}

// ballOf returns the class that the paper uses for OPDisc: vectors of integer weights, one for each column. For d
// columns, each weight and the Euclidean norm of the vector are at most √d in absolute value.
func ballOf(in *Instance) (hypotheses, error) {
	d := 0
	for _, n := range in.Sizes {
		if in.Digits {
			n = 1
		}
		d += n
	}
	most := int(math.Sqrt(float64(d)))
	return cardsWith(in, -most, most, scorecard.Options{Threshold: 1, Norm: d})
}

// OPDisc returns the method perturb.OPDisc, with exact search as its oracle, over scorecards with points -1..1. If
// pure is true, its guarantee is pure; otherwise it uses Gaussian noise with δ = 1/n² for n rows.
func OPDisc(name string, pure bool) Method {
	return opdisc(name, pure, func(in *Instance) (hypotheses, error) { return cardsOf(in, -1, 1) })
}

// OPDiscInBall returns the method perturb.OPDisc over the class that the paper uses (ballOf).
func OPDiscInBall(name string, pure bool) Method { return opdisc(name, pure, ballOf) }

func opdisc(name string, pure bool, of func(*Instance) (hypotheses, error)) Method {
	promise := "δ = 1/n²"
	if pure {
		promise = "pure"
	}
	return Method{Name: name, Promise: promise, Learn: func(in *Instance, epsilon privacy.Decimal) (Trial, error) {
		c, err := of(in)
		if err != nil {
			return nil, err
		}
		var delta privacy.Decimal
		if !pure {
			if delta, err = in.delta(); err != nil {
				return nil, err
			}
		}
		m, err := perturb.NewOPDisc(oracle.Search(c), epsilon, delta, privacy.ReplaceOne, learn.ZeroOne, 0)
		if err != nil {
			return nil, err
		}
		return releasing(in, c, m), nil
	}}
}

// Balanced returns the method that applies the exponential mechanism to the union of two classes: the scorecards with
// points -1..1 and those with points -1..2. Penalties give both classes about the same prior weight, although their
// sizes differ.
func Balanced(name string) Method {
	const r = privacy.ReplaceOne
	return exponential(name, r, func(in *Instance, epsilon privacy.Decimal) (hypotheses, error) {
		narrow, err := cardsOf(in, -1, 1)
		if err != nil {
			return nil, err
		}
		wide, err := cardsOf(in, -1, 2)
		if err != nil {
			return nil, err
		}
		members, err := union.Balanced(learn.Rate(epsilon, r, learn.ZeroOne), narrow, wide)
		if err != nil {
			return nil, err
		}
		c, err := union.New(members...)
		if err != nil {
			return nil, err
		}
		return class.Erase(c), nil
	})
}

// releasing returns a trial that releases a hypothesis of the class c by the mechanism m. Its predictor predicts by
// this hypothesis.
func releasing(in *Instance, c hypotheses, m privacy.Mechanism[[]learn.Example[[]uint16], any]) Trial {
	return func(ctx context.Context) (Predictor, error) {
		h, err := m.Release(ctx, in.Examples, noise.Crypto())
		return func(r []uint16) bool { return c.Predict(h, r) }, err
	}
}

// Optimum returns the method that finds the best scorecard with integer points from least to most, without privacy.
func Optimum(name string, least, most int) Method {
	return Method{Name: name, Promise: "NOT PRIVATE", Constant: true, Learn: func(in *Instance, _ privacy.Decimal) (Trial, error) {
		c, err := cardsOf(in, least, most)
		if err != nil {
			return nil, err
		}
		p, err := learn.Problem(learn.ZeroOne, in.Examples, 1)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (Predictor, error) {
			t, err := c.Tree(p)
			if err != nil {
				return nil, err
			}
			s, err := search.Minimize(ctx, t, search.Options{})
			return func(r []uint16) bool { return c.Predict(s.Hypothesis, r) }, err
		}, nil
	}}
}
