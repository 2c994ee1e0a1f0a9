package model

import (
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

// madeAdditive is made for the mechanisms of additive forms.
func (m Mechanism) madeAdditive(s *table.Schema, g Guarantee) (Mechanism, privacy.Guarantee, error) {
	if m.Name == Statistical {
		return madeNaiveBayes(s, g)
	}
	f, err := convex.NewFeatures(*m.Columns, s.Sizes())
	if err != nil {
		return Mechanism{}, nil, err
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
