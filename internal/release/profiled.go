package release

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/parameter"
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
func (c charged) Holds(ctx context.Context, release string) (bool, error) {
	s, err := c.account.Statement(ctx)
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
