package release

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
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
		return fmt.Errorf("--epsilon %s is outside 0.000001..1000000; usual values are 0.1 to 2", epsilon)
	}
	return nil
}

// A setting is what a mechanism is made for: all of it is public.
type setting struct {
	schema         *table.Schema
	form           model.Form
	space          model.Space
	costs          learn.Loss // of searched forms
	epsilon, delta privacy.Decimal
	relation       privacy.Relation
	rows           int64 // 0: not stated
}

// pure refuses a δ that the mechanism has no use for.
func (s *setting) pure() error {
	if s.delta.IsZero() {
		return nil
	}
	return fmt.Errorf("--delta %s: the guarantee is pure, its delta is 0; leave it out", s.delta)
}

// approximate refuses a δ of 0; the mechanism is named as users call it.
func (s *setting) approximate(mechanism string) error {
	if !s.delta.IsZero() {
		return nil
	}
	return fmt.Errorf("--mechanism %s needs a --delta above 0, such as 1e-6", mechanism)
}

// stated refuses a number of rows that is not stated; what names who needs it.
func (s *setting) stated(what string) error {
	if s.rows == 0 {
		return fmt.Errorf("%s needs --rows, the number of %s of the data, null ones included", what, s.schema.Unit(2))
	}
	return nil
}

// divided is stated for what divides a number of rows that is public.
func (s *setting) divided(what string) error {
	if err := s.ofRows(what); err != nil {
		return err
	}
	if !s.relation.Replaces() {
		return fmt.Errorf("%s goes with --relation replace only: it divides a number of rows that is public", what)
	}
	return s.stated(what)
}

// promised checks what is stated of the guarantee and of the number of rows, and settles the
// relation.
func (s *setting) promised() (err error) {
	if s.delta.Rat().Cmp(big.NewRat(1, 1)) >= 0 {
		return fmt.Errorf("--delta %s is not below 1; usual values are far below 1 over the number of rows", s.delta)
	}
	if err := s.statedRows(); err != nil {
		return err
	}
	if s.relation == 0 {
		s.relation = privacy.ReplaceOne
	}
	if s.relation, err = s.personal(s.relation); err != nil {
		return err
	}
	return CheckEpsilon(s.epsilon)
}

// namesOf are the names of the forms of some kinds.
func namesOf(some func(model.Kind) bool) []string {
	var names []string
	for _, k := range model.Kinds() {
		if some(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// layOut lays out the form, which a mechanism charges for where it is balanced. A mixed
// union always is, unless it has charges: without, a class with a prior would weigh no
// more than one hypothesis of another.
func (s *setting) layOut(balanced bool, m Mechanism) error {
	var err error
	if u, ok := s.form.(model.Union); ok && kindOf(u).Mixed && !u.Charged() {
		balanced = true
	}
	if balanced {
		if s.form, err = charges(m, s); err != nil {
			return err
		}
	}
	s.space, err = model.Over(s.form, s.schema)
	return err
}
