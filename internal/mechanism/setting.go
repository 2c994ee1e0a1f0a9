package mechanism

import (
	"errors"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The variables bound ε. With a smaller ε, noise would hide all information. With a larger ε, the
// guarantee would be meaningless.
var (
	leastEpsilon = big.NewRat(1, 1_000_000)
	mostEpsilon  = big.NewRat(1_000_000, 1)
)

// CheckEpsilon returns an error if ε is out of range.
func CheckEpsilon(epsilon privacy.Decimal) error {
	if e := epsilon.Rat(); e.Cmp(leastEpsilon) < 0 || e.Cmp(mostEpsilon) > 0 {
		return parameter.Errorf("{epsilon} %s is outside 0.000001..1000000; usual values are 0.1 to 2", epsilon)
	}
	return nil
}

// A Setting holds the inputs of a mechanism. All of them are public.
type Setting struct {
	Schema         *table.Schema
	Form           model.Form
	Space          model.Space
	Costs          learn.Loss // the costs of misclassifications, for searched forms
	Epsilon, Delta privacy.Decimal
	Relation       privacy.Relation
	Rows           int64 // 0 if not stated
}

// ErrPure is the error of a mechanism that guarantees pure ε-DP, if the setting's δ is positive.
var ErrPure = errors.New("the guarantee of this mechanism does not use a delta, so delta must be 0; leave it out")

// Pure returns ErrPure if δ is positive, for mechanisms whose guarantee is pure ε-DP.
func (s *Setting) Pure() error {
	if s.Delta.IsZero() {
		return nil
	}
	return parameter.Errorf("{delta} %s: %w", s.Delta, ErrPure)
}

// Budget returns the budget of the setting: pure ε-DP if δ is 0, and otherwise the μ-GDP that implies (ε, δ)-DP.
func (s *Setting) Budget() (privacy.Guarantee, error) {
	if s.Delta.IsZero() {
		return privacy.NewPure(s.Relation, s.Epsilon)
	}
	mu, err := s.Mu()
	if err != nil {
		return nil, err
	}
	return privacy.NewGaussianBudget(s.Relation, privacy.Decimal{}, mu)
}

// Mu returns the greatest μ for which μ-GDP implies the setting's (ε, δ)-DP.
func (s *Setting) Mu() (privacy.Decimal, error) {
	mu, err := privacy.MuWithin(s.Epsilon, s.Delta)
	if err != nil {
		return mu, TooSmall(s.Epsilon, s.Delta)
	}
	return mu, nil
}

// A RhoOrMu states a budget in zCDP or GDP (privacy.GaussianBudget) in files. One of Rho and Mu is
// positive, and the other is 0.
type RhoOrMu struct {
	Rho privacy.Decimal `json:"rho,omitzero"`
	Mu  privacy.Decimal `json:"mu,omitzero"`
}

// WithLessNoise plans a release for two budgets that imply the setting's (ε, δ)-DP, a ρ and a μ,
// and returns the plan with less noise, with its budget. The function plan plans a release for one
// budget, and less reports whether the plan a has less noise than b. The ρ leads to less noise only
// if ε is so large that the noise is that of a few rows.
func WithLessNoise[T any](s *Setting, plan func(RhoOrMu) (T, error), less func(a, b T) bool) (best T, budget RhoOrMu, err error) {
	if budget.Mu, err = s.Mu(); err != nil {
		return best, budget, err
	}
	if best, err = plan(budget); err != nil {
		return best, budget, err
	}
	rho, err := privacy.RhoWithin(s.Epsilon, s.Delta)
	if err != nil {
		return best, budget, TooSmall(s.Epsilon, s.Delta)
	}
	if other, err := plan(RhoOrMu{Rho: rho}); err == nil && less(other, best) {
		return other, RhoOrMu{Rho: rho}, nil
	}
	return best, budget, nil
}

// TooSmall returns the error for a budget (ε, δ) that is too small for any release.
func TooSmall(epsilon, delta privacy.Decimal) error {
	return parameter.Errorf("{epsilon} %s and {delta} %s are too small for a release; use larger ones", epsilon, delta)
}

// Approximate returns an error if δ is 0, for a mechanism that requires δ > 0. The error contains
// the mechanism's name.
func (s *Setting) Approximate(mechanism parameter.Text) error {
	if !s.Delta.IsZero() {
		return nil
	}
	return parameter.Errorf("{mechanism} %s needs a {delta} above 0, such as 1e-6", mechanism)
}

// Stated returns an error if the setting has no number of rows. The error begins with the subject: the mechanism or
// parameter that needs this number.
func (s *Setting) Stated(subject parameter.Text) error {
	if s.Rows == 0 {
		return parameter.Errorf("%s needs {rows}, the number of %s of the data, including those with values outside the schema", subject, s.Schema.Unit(2))
	}
	return nil
}

// Divided returns an error if the rows cannot be partitioned, because their number is not stated or not public. The
// error begins with the subject: the mechanism or parameter that partitions the rows.
func (s *Setting) Divided(subject parameter.Text) error {
	if err := s.OfRows(subject); err != nil {
		return err
	}
	if !s.Relation.Replaces() {
		return parameter.Errorf("%s requires {relation} replace, because it divides the rows and their number must be public; use that relation", subject)
	}
	return s.Stated(subject)
}

// Promised checks ε, δ, the neighbour relation and the number of rows of the setting. If the schema
// has a Person, it also replaces the relation: neighbouring tables then differ in a person, not in
// a row.
func (s *Setting) Promised() (err error) {
	if s.Delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return parameter.Errorf("{delta} %s must be below 1; usual values are far below 1 divided by the number of rows", s.Delta)
	}
	if err := s.StatedRows(); err != nil {
		return err
	}
	if s.Relation == 0 {
		s.Relation = privacy.ReplaceOne
	}
	if s.Relation, err = s.Personal(s.Relation); err != nil {
		return err
	}
	return CheckEpsilon(s.Epsilon)
}

// NamesOf returns the names of all kinds of forms for which the function accept returns true.
func NamesOf(accept func(model.Kind) bool) []string {
	var names []string
	for _, k := range model.Kinds() {
		if accept(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// LayOut applies the setting's form, a class with parameters, to the schema, and stores the
// resulting set of hypotheses as the Space of the setting.
//
// If the form is a union and balanced is true, each member of the union gets a penalty that
// compensates for its size. A union whose members are selected in different ways (model.Combined)
// always gets these penalties, unless it already has some. Without penalties, a member with a prior
// would only have as much weight as a single hypothesis of another member.
func (s *Setting) LayOut(balanced bool, m Mechanism) error {
	var err error
	if u, ok := s.Form.(model.Union); ok && KindOfForm(u).Selection == model.Combined && !u.Charged() {
		balanced = true
	}
	if balanced {
		if s.Form, err = charges(m, s); err != nil {
			return err
		}
	}
	s.Space, err = model.Over(s.Form, s.Schema)
	return err
}

// A Separating mechanism uses a separator: a set of records on which any two hypotheses predict differently. The
// form may request a minimum Hamming distance, that is, a minimum number of these records on which any two
// hypotheses differ.
type Separating interface{ Separates() }

// Separated returns an error if the form requests a minimum distance of the separator (see
// Separating), but the mechanism m does not use separators. Only mechanisms that perturb costs use
// them.
func (s *Setting) Separated(m Mechanism) error {
	_, separates := m.(Separating)
	if at, ok := s.Space.(model.Separated); separates || !ok || at.Distance() == 0 {
		return nil
	}
	return parameter.Errorf("{distance} requires {mechanism} rspm, opdisc or prsma, because no other mechanism encodes hypotheses in bits; choose one of them, or leave {distance} out")
}
