package sibyl

import (
	"cmp"
	"errors"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The neighbour relations (which tables differ in the data of one person), for Settings.Relation.
const (
	// ReplaceOne relates two tables if replacing one row of the first gives the second. The number
	// of rows is public.
	ReplaceOne = privacy.ReplaceOne
	// AddRemove relates two tables if adding one row to one of them gives the other. It also protects the fact that a
	// row is present.
	AddRemove = privacy.AddRemove
)

// Settings are the public parameters of a release. Epsilon is required. The zero value of every
// other field is its default. No field may be derived from the private data.
type Settings struct {
	// Epsilon and Delta are the privacy budget, exact decimals such as "0.5" and "1e-9". An empty Delta is 0, which
	// makes the guarantee pure. Mechanisms with Gaussian noise need a positive Delta, and all others refuse one.
	Epsilon, Delta string

	// Total states that Epsilon and Delta are for the release together with the profiles of its schema
	// (ProfileSchema). The release then gets the budget that remains after the profiles. Learn, Synthesize and
	// PlanFor support it.
	Total bool

	// Relation is the neighbour relation. The zero value is ReplaceOne, or for Evaluate the
	// relation of the model. If the schema names the column that identifies the person, neighbours
	// differ in all rows of one person.
	Relation privacy.Relation

	// Rows is the number of rows of the data, null records included. If the schema names the column that identifies
	// the person, Rows is the number of persons. Under ReplaceOne, Rows is public, and data with a different number
	// of rows is refused. Under AddRemove, it is an estimate. 0 means unknown.
	Rows int64

	// Mechanism selects the hypothesis. Nil is the default mechanism of the class.
	Mechanism Mechanism

	// FalsePositive and FalseNegative are the costs of a false positive and of a false negative,
	// for classes that are searched or sampled. 0 stands for 1.
	FalsePositive, FalseNegative int64

	// Risk is the share of ε that is used to release risks: the fraction of positive rows at each total, leaf or
	// rule. It is an exact decimal below 1. "0" releases no risks. The default is 0.2 for Scorecard and Tree, 0.1 for
	// CardOrTree and RankedTree, and 0 for other classes.
	Risk string

	// Account is the privacy budget ledger, which is charged before the data is read. Nil charges
	// nothing.
	Account *account.Account

	// ProfiledElsewhere states that the releases that completed the schema (ProfileSchema) need not be in Account,
	// because whoever relies on the guarantee adds them up. If it is false, a release is refused if Account lacks
	// them.
	ProfiledElsewhere bool

	// PadTo delays the result until the time since the data was opened is a multiple of this duration, so that the
	// running time reveals less. 0 means no delay.
	PadTo time.Duration

	// InsecureSeed, if not nil, makes all randomness a function of this number, for tests. The
	// release then has no guarantee, and states that.
	InsecureSeed *uint64
}

// budget returns the ε and the δ of the settings. An empty Delta is 0.
func (set *Settings) budget() (epsilon, delta privacy.Decimal, err error) {
	if set.Epsilon == "" {
		return epsilon, delta, parameter.About("epsilon", errors.New(`the privacy loss is missing; state a decimal, such as "0.5"`))
	}
	if epsilon, err = privacy.ParseDecimal(set.Epsilon); err != nil {
		return epsilon, delta, parameter.About("epsilon", err)
	}
	if set.Delta != "" {
		if delta, err = privacy.ParseDecimal(set.Delta); err != nil {
			return epsilon, delta, parameter.About("delta", err)
		}
	}
	return epsilon, delta, nil
}

// request returns the internal request for a release of the class. If the class is Chosen, it also
// returns the candidates that were considered.
func (set *Settings) request(s *Schema, c Class) (r release.Request, candidates release.Choice, err error) {
	if s == nil || s.schema == nil {
		return r, nil, parameter.About("schema", errNoSchema)
	}
	r = release.Request{Schema: s.schema, Total: set.Total, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed}
	if r.Epsilon, r.Delta, err = set.budget(); err != nil {
		return r, nil, err
	}
	r.Costs = set.costs()
	if set.Risk != "" {
		share, err := privacy.ParseDecimal(set.Risk)
		if err != nil {
			return r, nil, parameter.About("risk", err)
		}
		r.Risk = &share
	}
	if isChosen(c) {
		if set.Mechanism != nil {
			return r, nil, parameter.Errorf("{mechanism}: the class Chosen also selects the mechanism; leave it out, or name a class")
		}
		candidates, err = r.Choose()
		return r, candidates, err
	}
	if c == nil {
		return r, nil, parameter.Errorf("{class}: the class is nil; use a class such as Scorecard{}, or Chosen{}")
	}
	if r.Form, err = c.form(s.schema); err != nil {
		return r, nil, err
	}
	if u, union := c.(Union); union {
		r.Balanced = u.Balanced
	}
	if set.Mechanism != nil {
		_, r.Mechanism, err = mechanism.Make(set.Mechanism.Choose(), mechanism.KindOfForm(r.Form))
	}
	return r, nil, err
}

// costs returns the costs of a false positive and of a false negative. A cost that is not set is 1.
func (set *Settings) costs() learn.Loss {
	return learn.Loss{FalsePositive: cmp.Or(set.FalsePositive, 1), FalseNegative: cmp.Or(set.FalseNegative, 1)}
}

func isChosen(c Class) bool {
	switch c.(type) {
	case Chosen, *Chosen:
		return true
	}
	return false
}

// refuseLearning returns an error if a setting is given that only Learn uses. The parameter what
// names the release in the error, such as "an evaluation".
func (set *Settings) refuseLearning(what string) error {
	for name, given := range map[string]bool{
		"mechanism": set.Mechanism != nil, "risk": set.Risk != "",
		"false-positive": set.FalsePositive != 0, "false-negative": set.FalseNegative != 0,
	} {
		if given {
			return parameter.Errorf("%s is not a parameter of %s; leave it out", parameter.Text("{"+name+"}"), what)
		}
	}
	return nil
}

// refuseTotal returns an error if Total is set. The parameter what names the release in the error.
func (set *Settings) refuseTotal(what string) error {
	if set.Total {
		return parameter.Errorf("{total} is not a parameter of %s; leave it out", what)
	}
	return nil
}

// terms returns the settings that concern the account and the delay of the result.
func (set *Settings) terms() release.Terms {
	t := release.Terms{Pad: set.PadTo, ProfiledElsewhere: set.ProfiledElsewhere}
	if set.Account != nil {
		t.Account = release.Ledger(set.Account)
	}
	return t
}
