package model

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// OfNaiveBayes describes the mechanism, whose budget is pure.
func OfNaiveBayes(m *learn.NaiveBayes) Mechanism {
	return Mechanism{Name: Statistical, Rate: m.Rate()}
}

// OfDPSGD describes the mechanism on those columns.
func OfDPSGD(m *convex.DPSGD, columns convex.Encoding) Mechanism {
	descent := m.Descent()
	return Mechanism{Name: DPSGD, Columns: &columns, Descent: &descent, Sigma2: m.Sigma2()}
}

// OfOPSamp describes the mechanism on those columns.
func OfOPSamp(m *convex.OPSamp, columns convex.Encoding) Mechanism {
	perturbation := m.Perturbation()
	return Mechanism{Name: OPSamp, Columns: &columns, Perturbation: &perturbation, Rate: m.Rate()}
}

// LossUnit returns how many steps of cost the exponential mechanism over a box
// takes for a loss of 1.
func LossUnit(f Additive) float64 {
	if f.Kind == SVM {
		return float64(f.Scale)
	}
	return lossUnit
}

const lossUnit = 1000 // of the logistic loss

// Space returns the weights that the box stands for, on those columns. Scores are
// in points; those of Logistic have a loss of lossUnit·ln(1 + e^{-score/Scale}), those of SVM one
// of max(0, Scale - score).
func (b Box) Space(f Additive, columns *convex.Features) (learn.BoxSpace, error) {
	s := learn.BoxSpace{Dim: columns.Columns(), Weight: b.Bound, Feature: 1, Norm: int64(columns.Most()), Ridge: b.Ridge}
	if b.Bound < 1 || b.Bound > learn.MostScore/s.Norm {
		return s, fmt.Errorf("a bound of %d with %d columns to a row is outside 1..%d", b.Bound, s.Norm, learn.MostScore/s.Norm)
	}
	most := int(b.Bound * s.Norm)
	if f.Kind == SVM {
		s.Loss = learn.Hinge(most, int64(f.Scale))
	} else {
		s.Loss = learn.Logistic(most, float64(f.Scale), lossUnit)
	}
	return s, nil
}

// OfBox describes the mechanism on those columns.
func OfBox(m *learn.Box, b Box, columns convex.Encoding) Mechanism {
	return Mechanism{Name: Exponential, Rate: m.Rate(), Box: &b, Columns: &columns}
}

// madeAdditive is made for the mechanisms of additive forms.
func (m Mechanism) madeAdditive(of Additive, s *table.Schema, g Guarantee) (Mechanism, privacy.Guarantee, error) {
	if m.Name == Statistical {
		return madeNaiveBayes(s, g)
	}
	f, err := convex.NewFeatures(*m.Columns, s.Sizes())
	if err != nil {
		return Mechanism{}, nil, err
	}
	if m.Name == Exponential {
		space, err := m.Box.Space(of, f)
		if err != nil {
			return Mechanism{}, nil, err
		}
		made, err := learn.NewBox(space, g.Epsilon, g.Relation)
		if err != nil {
			return Mechanism{}, nil, err
		}
		return OfBox(made, *m.Box, *m.Columns), made.Guarantee(), nil
	}
	if m.Name == OPSamp {
		made, err := convex.NewOPSamp(f, *m.Perturbation, g.Epsilon, g.Delta, g.Relation)
		if err != nil {
			return Mechanism{}, nil, err
		}
		return OfOPSamp(made, *m.Columns), made.Guarantee(), nil
	}
	made, err := convex.NewDPSGDWith(f, *m.Descent, m.Sigma2, g.Epsilon, g.Delta, g.Relation)
	if err != nil {
		return Mechanism{}, nil, err
	}
	return OfDPSGD(made, *m.Columns), made.Guarantee(), nil
}

func madeNaiveBayes(s *table.Schema, g Guarantee) (Mechanism, privacy.Guarantee, error) {
	budget, err := privacy.NewPure(g.Relation, g.Epsilon)
	if err != nil {
		return Mechanism{}, nil, err
	}
	made, err := learn.NewNaiveBayes(s.Sizes(), budget, 1)
	if err != nil {
		return Mechanism{}, nil, err
	}
	return OfNaiveBayes(made), budget, nil
}
