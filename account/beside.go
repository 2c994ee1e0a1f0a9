package account

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/privacy"
)

// An Other is a second account for the same people, as the first one records it. All releases of both
// accounts together satisfy the sum of both budgets (docs/explanation/proofs/filter.md, section 5).
type Other struct {
	ID    string `json:"id"`
	Terms Terms  `json:"terms"`
}

// A Budget is an ε and a δ.
type Budget struct {
	Epsilon privacy.Decimal `json:"epsilon"`
	Delta   privacy.Decimal `json:"delta"`
}

// beside returns an error unless the other account may stand beside the one that o opens.
func (other Other) beside(o opening) error {
	if id, err := hex.DecodeString(other.ID); err != nil || len(id) != idSize || other.ID == o.ID {
		return errors.New("the second account must have an identity of its own")
	}
	if err := other.Terms.check(); err != nil {
		return fmt.Errorf("the second account: %w", err)
	}
	if other.Terms.Relation != o.Relation {
		return fmt.Errorf("two accounts for the same people must have the same relation, and these have %s and %s", o.Relation, other.Terms.Relation)
	}
	return nil
}

// together returns the sum of two budgets.
func (t Terms) together(other Terms) *Budget {
	sum := privacy.Amount{Loss: t.Epsilon, Failure: t.Delta}.Plus(privacy.Amount{Loss: other.Epsilon, Failure: other.Delta})
	return &Budget{sum.Loss, sum.Failure}
}

// CreateBesides creates an account for the people of another account, whose budget cannot be raised. Each of
// the two records the identity and the terms of the other, and their statements state the sum of both
// budgets. Both must have the same relation, and the other account must not have a second one yet.
//
// The other account must be writable. CreateBesides tries the write before it creates anything, and
// commits the new account after the other one. If the last commit fails, which only a failing
// disk or server can cause, the other account counts a second one that does not exist.
func CreateBesides(ctx context.Context, location string, terms Terms, other string) error {
	a, err := Open(ctx, other)
	if err != nil {
		return err
	}
	defer a.Close()
	id := newID()
	join := func(try bool) error { return a.join(ctx, Other{id, terms}, try) }
	if err := terms.check(); err != nil {
		return err
	}
	if err := join(true); err != nil {
		return err
	}
	return createWith(ctx, location, id, terms, &Other{a.ledger.ID, a.Terms()}, func() error { return join(false) })
}

// join records a second account. If try is set, it rolls the record back. It does nothing if
// this account is already recorded.
func (a *Account) join(ctx context.Context, o Other, try bool) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.ledger.beside != nil && *a.ledger.beside == o {
		return nil
	}
	return a.write(ctx, try, func(t session) (event, error) {
		after := *a.ledger
		if err := after.join(o); err != nil {
			return event{}, t.say("%w", err)
		}
		return event{Beside: &o}, nil
	})
}
