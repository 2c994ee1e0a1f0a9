package release

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A schema with profiles was completed from private data. The guarantee of a release with such a schema must be added
// to the guarantees of the profiles, so it must have their relation. If the release is charged to an account, the
// account must contain the profiles; otherwise the account's sum would leave them out.

// adds returns an error if a profile of the schema s (see table.Profile) has another neighbour relation than r,
// because its guarantee could not be added to that of a release under r.
func adds(s *table.Schema, r privacy.Relation) error {
	for _, p := range s.Profiles {
		if !p.NotPrivate && p.Relation != r.String() {
			return parameter.Errorf("{relation} %v differs from the relation of a [[profile]] of the schema, %s, so their guarantees cannot be added; use the relation of the profile", r, p.Relation)
		}
	}
	return nil
}

const (
	trials      = 7 // values of ε that prepareRest tries between the least and the greatest one
	shownDigits = 6 // the number of significant digits of these values
)

// leftOf returns the budget that remains for a release after the profiles of its schema, if the setting s holds the
// total ε and δ. The results are those of profiles.Left: the least and the greatest ε that may remain, and the
// remaining δ.
func leftOf(s *mechanism.Setting) (least, most, left privacy.Decimal, err error) {
	if err := adds(s.Schema, s.Relation); err != nil {
		return least, most, left, err
	}
	if least, most, left, err = profiles.Left(s.Epsilon, s.Delta, s.Relation, s.Schema); err != nil {
		err = parameter.Errorf("{total}: %w", err)
	}
	return least, most, left, err
}

// anyPrepared is the interface of all prepared releases.
type anyPrepared interface {
	statement() *privacy.Statement // nil if the release is not private
}

func (p *Prepared) statement() *privacy.Statement { return p.Guarantee }
func (g *gaussian) statement() *privacy.Statement { return g.Guarantee }

// prepareRest prepares a release with the part of a total budget that remains after the profiles of its schema. The
// setting s holds the total ε and δ. The function prepare prepares the release with a given ε and δ.
//
// If the guarantees follow from a ρ, the release gets more than the total ε minus the ε of the profiles, because the
// values of ρ add up, not those of ε.
func prepareRest[P anyPrepared](s mechanism.Setting, prepare func(epsilon, delta privacy.Decimal) (P, error)) (p P, err error) {
	if err := s.Promised(); err != nil {
		return p, err
	}
	least, most, left, err := leftOf(&s)
	if err != nil {
		return p, err
	}
	try := func(epsilon privacy.Decimal) (p P, fits bool, err error) {
		if p, err = prepare(epsilon, left); err != nil || p.statement() == nil {
			return p, true, err
		}
		together, _ := profiles.Total(p.statement(), s.Schema)
		return p, together == nil || together.Epsilon.Cmp(s.Epsilon) <= 0, nil
	}
	tried, fits, err := try(most)
	switch {
	case errors.Is(err, mechanism.ErrPure) && left != s.Delta:
		_, spent, _ := profiles.Spent(s.Schema)
		return p, parameter.Errorf("{total}: the [[profile]] entries of the schema leave δ = %s of {delta} %s unused, and this release consumes no δ; set {delta} to %s", left, s.Delta, spent)
	case err != nil && left.IsZero() && !s.Delta.IsZero():
		if _, with := prepare(most, s.Delta); with == nil || !errors.Is(with, mechanism.ErrPure) && with.Error() != err.Error() {
			err = parameter.Errorf("{total}: this release needs a δ, but the [[profile]] entries of the schema consumed all of {delta} %s; use a larger {delta}", s.Delta)
		}
		return p, err
	case err != nil || fits:
		return tried, err
	}
	found := false // whether p is the release with the greatest ε that fits
	for range trials {
		middle := new(big.Rat).Add(least.Rat(), most.Rat())
		epsilon, err := privacy.RoundDown(middle.Quo(middle, big.NewRat(2, 1)), shownDigits)
		if err != nil {
			return p, err
		}
		switch tried, fits, err := try(epsilon); {
		case err != nil:
			return p, err
		case fits:
			p, least, found = tried, epsilon, true
		default:
			most = epsilon
		}
	}
	if found {
		return p, nil
	}
	if least.IsZero() {
		return p, parameter.Errorf("{total}: the [[profile]] entries of the schema consumed all of {epsilon}, and nothing is left for this mechanism; use a larger {epsilon}")
	}
	p, _, err = try(least)
	return p, err
}

// A division divides the total budget of a plan between the profiles of the schema and a mechanism.
type division struct {
	request  Request
	least    privacy.Decimal // the difference of the total ε and the ε of the profiles, or 0
	relation privacy.Relation
}

// A share is the part of a total budget that a plan gives to a mechanism.
type share struct {
	epsilon, risks privacy.Decimal
	guarantee      *privacy.Statement
}

// newDivision returns the division of the total budget of the request. It sets ε and δ of the setting s to the parts
// of this budget that remain after the profiles.
func newDivision(r Request, s *mechanism.Setting) (*division, error) {
	least, most, delta, err := leftOf(s)
	if err != nil {
		return nil, err
	}
	s.Epsilon, s.Delta = least, delta
	if least.IsZero() {
		s.Epsilon = most
	}
	return &division{r, least, s.Relation}, nil
}

// share returns the part of the total budget that the mechanism m gets according to prepareRest, and sets the ε of
// the setting s to this part. The parameter selects states whether m selects from a class. If it does, or if m
// refuses the request, the part is the total ε minus the ε of the profiles.
func (d *division) share(m mechanism.Mechanism, selects bool, s *mechanism.Setting) (of share, err error) {
	r := d.request
	if !selects {
		r.Mechanism = m
		if p, err := r.Prepare(); err == nil && p.Guarantee != nil {
			of.epsilon, of.guarantee = p.request.Epsilon, p.Guarantee
		}
	}
	if of.guarantee == nil {
		if d.least.IsZero() {
			return of, parameter.Errorf("{total}: the [[profile]] entries of the schema consumed all of {epsilon}, and nothing is left for this class; use a larger {epsilon}")
		}
		of.epsilon, of.guarantee = d.least, &privacy.Statement{Epsilon: d.least, Relation: d.relation, Assumes: []privacy.Assumption{}}
	}
	s.Epsilon = of.epsilon
	of.risks, err = s.Risks(r.Risk)
	return of, err
}

// A Holder is an Account that can report which profiles it has been charged for.
type Holder interface {
	// Holds reports whether an entry is the release of the profile that table.Profile.Release identifies.
	Holds(ctx context.Context, release string) (bool, error)
}

// Profiled returns an error if the profiles of the schema s prevent a release with the guarantee g: if they have
// another neighbour relation, or if the account was not charged for them. Releases call it before they are charged.
func (t Terms) Profiled(ctx context.Context, s *table.Schema, g privacy.Guarantee) error {
	if s == nil || len(s.Profiles) == 0 {
		return nil
	}
	if err := adds(s, g.Relation()); err != nil {
		return err
	}
	if t.Account == nil || t.ProfiledElsewhere {
		return nil
	}
	for _, p := range s.Profiles {
		held := false
		if h, ok := t.Account.(Holder); ok && !p.NotPrivate {
			var err error
			if held, err = h.Holds(ctx, p.Release); err != nil {
				return err
			}
		}
		if !held {
			return parameter.Errorf("{account} was not charged for the [[profile]] of the schema for column %s; use the {account} that was charged, or give {profiled-elsewhere} and add the privacy loss of the [[profile]] yourself", quote.Word(p.Columns[0]))
		}
	}
	return nil
}

// Holds reports whether the ledger has an entry for the profile that the given text identifies (see Holder).
func (l ledger) Holds(ctx context.Context, release string) (bool, error) {
	s, err := l.account.Statement(ctx)
	if err != nil {
		return false, fmt.Errorf("the account cannot be read: %w", err)
	}
	for _, e := range s.Entries {
		var j struct {
			Format  string `json:"format"`
			Release string `json:"release"`
		}
		if json.Unmarshal(e.Description, &j) == nil && j.Format == profileFormat && j.Release == release {
			return true, nil
		}
	}
	return false, nil
}
