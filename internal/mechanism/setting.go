package mechanism

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An ε outside of this range is a mistake: below it nothing is learned, above
// it nothing is hidden.
var (
	leastEpsilon = big.NewRat(1, 1_000_000)
	mostEpsilon  = big.NewRat(1_000_000, 1)
)

// CheckEpsilon reports an ε that is a mistake.
func CheckEpsilon(epsilon privacy.Decimal) error {
	if e := epsilon.Rat(); e.Cmp(leastEpsilon) < 0 || e.Cmp(mostEpsilon) > 0 {
		return parameter.Errorf("{epsilon} %s is outside 0.000001..1000000; usual values are 0.1 to 2", epsilon)
	}
	return nil
}

// A Setting is what a mechanism is made for: all of it is public.
type Setting struct {
	Schema         *table.Schema
	Form           model.Form
	Space          model.Space
	Costs          learn.Loss // of searched forms
	Epsilon, Delta privacy.Decimal
	Relation       privacy.Relation
	Rows           int64 // 0: not stated
}

// Pure refuses a δ that the mechanism has no use for.
func (s *Setting) Pure() error {
	if s.Delta.IsZero() {
		return nil
	}
	return parameter.Errorf("{delta} %s: the guarantee is pure, its delta is 0; leave it out", s.Delta)
}

// Approximate refuses a δ of 0; the mechanism is named as users call it.
func (s *Setting) Approximate(mechanism parameter.Text) error {
	if !s.Delta.IsZero() {
		return nil
	}
	return parameter.Errorf("{mechanism} %s needs a {delta} above 0, such as 1e-6", mechanism)
}

// Stated refuses a number of rows that is not stated; what names who needs it.
func (s *Setting) Stated(what parameter.Text) error {
	if s.Rows == 0 {
		return parameter.Errorf("%s needs {rows}, the number of %s of the data, null ones included", what, s.Schema.Unit(2))
	}
	return nil
}

// Divided is stated for what divides a number of rows that is public.
func (s *Setting) Divided(what parameter.Text) error {
	if err := s.OfRows(what); err != nil {
		return err
	}
	if !s.Relation.Replaces() {
		return parameter.Errorf("%s goes with {relation} replace only: it divides a number of rows that is public", what)
	}
	return s.Stated(what)
}

// Promised checks what is stated of the guarantee and of the number of rows, and settles the
// relation.
func (s *Setting) Promised() (err error) {
	if s.Delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return parameter.Errorf("{delta} %s is not below 1; usual values are far below 1 over the number of rows", s.Delta)
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

// NamesOf are the names of the forms of some kinds.
func NamesOf(some func(model.Kind) bool) []string {
	var names []string
	for _, k := range model.Kinds() {
		if some(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// LayOut lays out the form, which a mechanism charges for where it is balanced. A mixed
// union always is, unless it has charges: without, a class with a prior would weigh no
// more than one hypothesis of another.
func (s *Setting) LayOut(balanced bool, m Mechanism) error {
	var err error
	if u, ok := s.Form.(model.Union); ok && KindOfForm(u).Mixed && !u.Charged() {
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

// A Separating mechanism has a use for a separator whose codes are at a distance.
type Separating interface{ Separates() }

// Separated refuses a form whose separator has a distance, of which only mechanisms that
// perturb costs have a use.
func (s *Setting) Separated(m Mechanism) error {
	_, separates := m.(Separating)
	if at, ok := s.Space.(model.Separated); separates || !ok || at.Distance() == 0 {
		return nil
	}
	return parameter.Errorf("{distance} goes with {mechanism} rspm, opdisc and prsma only: no other has a use for a separator")
}
