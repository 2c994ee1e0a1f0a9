package account

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/privacy"
)

// An Other is what an account records about a second account for the same people. The releases of both accounts
// together are private with the sum of both budgets (docs/explanation/proofs/filter.md, section 5).
type Other struct {
	ID    string `json:"id"`
	Terms Terms  `json:"terms"`
}

// A Budget is a privacy budget: an ε and a δ.
type Budget struct {
	Epsilon privacy.Decimal `json:"epsilon"`
	Delta   privacy.Decimal `json:"delta"`
}

// beside checks that other can be recorded as the second account of the account that the event o creates. It requires a
// valid identifier, valid terms, and the same neighbour relation.
func (other Other) beside(o opening) error {
	if id, err := hex.DecodeString(other.ID); err != nil || len(id) != idSize || other.ID == o.ID {
		return errors.New("the second account must have an identifier of 32 hexadecimal digits that differs from that of the first")
	}
	if err := other.Terms.check(); err != nil {
		return fmt.Errorf("the second account: %w", err)
	}
	if other.Terms.Relation != o.Relation {
		return fmt.Errorf("two accounts for the same people must have the same neighbour relation, but these have %s and %s", o.Relation, other.Terms.Relation)
	}
	return nil
}

// together returns the total budget of two accounts, with the terms t and other. It is the sum of their ε and the sum
// of their δ.
func (t Terms) together(other Terms) *Budget {
	sum := privacy.Amount{Loss: t.Epsilon, Failure: t.Delta}.Plus(privacy.Amount{Loss: other.Epsilon, Failure: other.Delta})
	return &Budget{sum.Loss, sum.Failure}
}

// CreateSecond creates an account with the given terms at location, for the same people as the existing account at
// other. Use it when the budget of the existing account is too small, since a budget cannot be raised. Each account
// records the identifier and the terms of the other one, and the statements of both give the sum of both budgets. Both
// accounts must have the same relation. The existing account must not have a second account yet.
//
// The existing account must be writable: CreateSecond tries to write to it before it creates anything. It commits the
// record in the existing account first, and then the new account. If the second commit fails, because a disk or server
// fails, the existing account records a second account that does not exist.
func CreateSecond(ctx context.Context, location string, terms Terms, other string) error {
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

// join records o as the second account for the same people. It does nothing if o is already recorded. If try is set,
// join rolls the record back, and only reports whether it could be written.
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
