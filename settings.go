package sibyl

import (
	"cmp"
	"time"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The relations, which Settings.Relation is one of.
const (
	// ReplaceOne relates tables that differ in one row, which is replaced. The number of rows is
	// public.
	ReplaceOne = privacy.ReplaceOne
	// AddRemove relates tables of which one has one row more, so that it also protects whether a
	// row is there at all.
	AddRemove = privacy.AddRemove
)

// Settings are the public terms of a release. Epsilon is required; the zero value of each other
// field is its default. None of them may follow from the private data.
type Settings struct {
	// Epsilon and Delta are the privacy budget, exact decimals such as "0.5" and "1e-9". An empty
	// Delta is 0: the guarantee is pure. Mechanisms with Gaussian noise need a Delta above 0, and
	// all others refuse one.
	Epsilon, Delta string

	// Relation is ReplaceOne unless it is given; of an evaluation, that of the model. Where the
	// schema says whose a row is, it relates tables that differ in a person.
	Relation privacy.Relation

	// Rows is the number of rows of the data, null ones included. Under ReplaceOne it is public,
	// and data with another number is refused; under AddRemove it is an estimate. 0 is unknown.
	Rows int64

	// Mechanism chooses the hypothesis; nil is the usual mechanism of the class.
	Mechanism Mechanism

	// FalsePositive and FalseNegative are what a wrong positive and a wrong negative prediction
	// cost, for classes that are searched or sampled; 0 is 1.
	FalsePositive, FalseNegative int64

	// Risk is the share of ε that is spent on risks, an exact decimal below 1: how many rows of
	// each total, leaf or rule are positive. "0" releases none. Empty is 0.2 for Scorecard and
	// Tree, 0.1 for CardOrTree, and 0 for other classes.
	Risk string

	// Account is charged before the data is read; nil keeps no account.
	Account *account.Account

	// PadTo delays the result to a multiple of a duration after the data is opened, so that
	// less follows from the time that a release takes. 0 does not delay it.
	PadTo time.Duration

	// InsecureSeed, if set, computes all randomness from a number, for tests. What is released
	// has no guarantee then, and says so.
	InsecureSeed *uint64
}

// budget returns ε and δ.
func (set *Settings) budget() (epsilon, delta privacy.Decimal, err error) {
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

// request returns the release of a class that is asked for, and what was weighed where the class
// is Chosen.
func (set *Settings) request(s *Schema, c Class) (r release.Request, weighed release.Choice, err error) {
	if s == nil || s.schema == nil {
		return r, nil, parameter.About("schema", errNoSchema)
	}
	r = release.Request{Schema: s.schema, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed}
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
			return r, nil, parameter.Errorf("{mechanism}: Chosen chooses the mechanism too; leave it out, or name a class")
		}
		weighed, err = r.Choose()
		return r, weighed, err
	}
	if c == nil {
		return r, nil, parameter.Errorf("{class}: there is no class; take one such as Scorecard{}, or Chosen{}")
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

// costs returns what wrong predictions cost.
func (set *Settings) costs() learn.Loss {
	return learn.Loss{FalsePositive: cmp.Or(set.FalsePositive, 1), FalseNegative: cmp.Or(set.FalseNegative, 1)}
}

// isChosen reports whether public facts choose the class.
func isChosen(c Class) bool {
	switch c.(type) {
	case Chosen, *Chosen:
		return true
	}
	return false
}

// alone refuses settings that only learning has a use for.
func (set *Settings) alone(what string) error {
	for name, given := range map[string]bool{
		"mechanism": set.Mechanism != nil, "risk": set.Risk != "",
		"false-positive": set.FalsePositive != 0, "false-negative": set.FalseNegative != 0,
	} {
		if given {
			return parameter.Errorf("%s has no use for %s; leave it out", what, parameter.Text("{"+name+"}"))
		}
	}
	return nil
}

// terms returns the terms of a release.
func (set *Settings) terms() release.Terms {
	t := release.Terms{Pad: set.PadTo}
	if set.Account != nil {
		t.Account = release.Charge(set.Account)
	}
	return t
}
