package mechanism

import (
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Risks are released in addition to a hypothesis. After the hypothesis is sampled, its rows are counted by grade,
// with noise that consumes a share of ε (package risk, docs/explanation/proofs/risk.md).

// UsualRisk is the default share of ε for risks if the class contains only scorecards, sum scores and decision
// trees. UsualEitherRisk is the default for card-or-tree and ranked-tree. Both shares are based on the measurements
// in docs/measurements/risks.md.
const (
	UsualRisk       = "0.2"
	UsualEitherRisk = "0.1"
)

// usualRisk returns the default share of ε for releasing the risks of a hypothesis of the form f.
func usualRisk(f model.Form) string {
	switch of := f.(type) {
	case model.Scorecard, model.DecisionTree, model.SumScore:
		return UsualRisk
	case model.CardOrTree, model.RankedTree:
		return UsualEitherRisk
	case model.Union:
		if !slices.ContainsFunc(of.Members, func(m model.Member) bool { return usualRisk(m.Form) != UsualRisk }) {
			return UsualRisk
		}
	}
	return "0"
}

// Risks divides the setting's ε between the hypothesis and its risks. It returns the ε for the risks, and subtracts
// it from the setting's ε. The parameter share is the requested share of ε for the risks, or nil for the default.
// If the share is 0, no risks are released, and Risks returns 0.
func (s *Setting) Risks(share *privacy.Decimal) (epsilon privacy.Decimal, err error) {
	if share == nil {
		usual, err := privacy.ParseDecimal(usualRisk(s.Form))
		if err != nil {
			return epsilon, err
		}
		share = &usual
	}
	if share.IsZero() {
		return epsilon, nil
	}
	if share.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return epsilon, parameter.Errorf("{risk} %s must be a share of ε, at least 0 and below 1; 0 releases no risks", share)
	}
	if epsilon, err = privacy.RoundDown(new(big.Rat).Mul(s.Epsilon.Rat(), share.Rat()), shareDigits); err != nil {
		return epsilon, err
	}
	s.Epsilon, err = less(s.Epsilon, epsilon)
	return epsilon, err
}

// shareDigits is the number of decimal places to which a share of ε is rounded down.
const shareDigits = 9

// less returns the ε that remains of epsilon if another release consumes part. It returns an error
// if the difference is not an exact decimal.
func less(epsilon, part privacy.Decimal) (privacy.Decimal, error) {
	return exactly(new(big.Rat).Sub(epsilon.Rat(), part.Rat()), epsilon)
}

// exactly converts a fraction of epsilon to a decimal. It returns an error if this would require
// rounding.
func exactly(part *big.Rat, epsilon privacy.Decimal) (privacy.Decimal, error) {
	const most = 100 // digits of a decimal
	d, err := privacy.RoundDown(part, most)
	if err == nil && d.Rat().Cmp(part) != 0 {
		err = parameter.Errorf("{epsilon} %s cannot be divided exactly between the mechanism and the risks; use fewer digits", epsilon)
	}
	return d, err
}

// With returns the joint guarantee of a release with the guarantee g and of the noisy histogram
// from which its risks are computed. The parameter risks is the ε of the histogram, or 0 if there
// is none.
func With(g privacy.Guarantee, risks privacy.Decimal) (privacy.Guarantee, error) {
	if risks.IsZero() {
		return g, nil
	}
	histogram, err := privacy.NewPure(g.Relation(), risks)
	if err != nil {
		return nil, err
	}
	return privacy.Compose(g, histogram)
}
