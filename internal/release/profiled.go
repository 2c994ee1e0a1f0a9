package release

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A schema with profiles was completed from private data. The guarantee of a release with such a schema must be added
// to the guarantees of the profiles, so it must have their relation. If the release is charged to an account, the
// account must contain the profiles; otherwise the account's sum would leave them out.

// adds returns an error if the relation differs from that of a profile of the schema.
func adds(s *table.Schema, r privacy.Relation) error {
	for _, p := range s.Profiles {
		if !p.NotPrivate && p.Relation != r.String() {
			return parameter.Errorf("{relation} %v differs from %s, the relation of a [[profile]] of the schema, so that the guarantees cannot be added; use the relation of the profile", r, p.Relation)
		}
	}
	return nil
}

const (
	trials      = 7 // values of ε that prepareLeft tries between the least and the greatest one
	shownDigits = 6 // digits of these values
)

// prepareLeft prepares the release with what the profiles of its schema leave of ε and δ. A mechanism whose guarantee is in
// ρ gets more than the difference.
func (r Request) prepareLeft() (*Prepared, error) {
	if r.Schema == nil {
		return nil, errUnlabelled
	}
	total := r.Epsilon
	least, most, delta, err := profiles.Left(total, r.Delta, r.Relation, r.Schema)
	if err != nil {
		return nil, parameter.Errorf("{total}: %w", err)
	}
	r.Delta, r.Total = delta, false
	try := func(epsilon privacy.Decimal) (p *Prepared, fits bool, err error) {
		r.Epsilon = epsilon
		if p, err = r.Prepare(); err != nil || p.Guarantee == nil {
			return p, true, err
		}
		together, _ := profiles.Total(p.Guarantee, r.Schema)
		return p, together == nil || together.Epsilon.Cmp(total) <= 0, nil
	}
	p, fits, err := try(most)
	if err != nil || fits {
		return p, err
	}
	p = nil // the release with the greatest ε that fits
	for range trials {
		middle := new(big.Rat).Add(least.Rat(), most.Rat())
		epsilon, err := privacy.RoundDown(middle.Quo(middle, big.NewRat(2, 1)), shownDigits)
		if err != nil {
			return nil, err
		}
		switch tried, fits, err := try(epsilon); {
		case err != nil:
			return nil, err
		case fits:
			p, least = tried, epsilon
		default:
			most = epsilon
		}
	}
	if p != nil {
		return p, nil
	}
	if least.IsZero() {
		return nil, parameter.Errorf("{total}: the profiles of the schema leave no {epsilon} for this mechanism; state a larger one")
	}
	p, _, err = try(least)
	return p, err
}

// A Holder is an Account that reports which profiles it contains.
type Holder interface {
	// Holds reports whether an entry is the release of the profile that table.Profile.Release identifies.
	Holds(ctx context.Context, release string) (bool, error)
}

// profiled checks the profiles of the schema before a release is charged.
func (t Terms) profiled(ctx context.Context, s *table.Schema, g privacy.Guarantee) error {
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
			return parameter.Errorf("{account} does not contain the [[profile]] of the schema for column %s, so its sum would leave that release out; use the account that was charged for the profile, or give {profiled-elsewhere} to state that you add up both", quote.Word(p.Columns[0]))
		}
	}
	return nil
}

// Holds implements Holder.
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
