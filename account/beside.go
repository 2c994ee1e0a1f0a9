package account

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/privacy"
)

// An Other is the record, within an account, of another account for the same people. The releases of both accounts
// together are private with the sum of the two budgets (docs/explanation/proofs/filter.md, section 5).
type Other struct {
	ID    string `json:"id"`
	Terms Terms  `json:"terms"`
}

// A Budget is a privacy budget: an ε and a δ.
type Budget struct {
	Epsilon privacy.Decimal `json:"epsilon"`
	Delta   privacy.Decimal `json:"delta"`
}

// beside returns an error unless the account whose first event is given can record the account other as one for the
// same people. The other account must have a valid identifier, valid terms, and the same neighbour relation.
func (other Other) beside(first opening) error {
	if id, err := hex.DecodeString(other.ID); err != nil || len(id) != idSize || other.ID == first.ID {
		return errors.New("the identifier of the second account must be 32 hexadecimal digits, and must differ from that of the first account")
	}
	if err := other.Terms.check(); err != nil {
		return fmt.Errorf("the second account: %w", err)
	}
	if other.Terms.Relation != first.Relation {
		return fmt.Errorf("two accounts for the same people must have the same neighbour relation, but these have %s and %s", first.Relation, other.Terms.Relation)
	}
	return nil
}

// together returns the total budget of two accounts for the same people, with the terms t and other: the sum of their
// ε and the sum of their δ.
func (t Terms) together(other Terms) *Budget {
	sum := privacy.Amount{Loss: t.Epsilon, Failure: t.Delta}.Plus(privacy.Amount{Loss: other.Epsilon, Failure: other.Delta})
	return &Budget{sum.Loss, sum.Failure}
}

// CreateSecond creates a second account at location, for the same people as an existing account. Use it when the
// budget of the existing account is too small, since a budget cannot be raised. The argument existing is the location
// of the existing account.
//
// The existing account must be writable, must not have a second account yet, and must have the same neighbour
// relation as the given terms. Each of the two accounts then records the identifier and the terms of the other one.
// The statement of each account contains the sum of the two budgets.
//
// CreateSecond first tries to write to the existing account; if this fails, it creates nothing. Then it commits the
// record of the second account in the existing account, and after that the second account itself. If a failure of a
// disk or server prevents the second commit, the existing account records a second account that does not exist.
func CreateSecond(ctx context.Context, location string, terms Terms, existing string) error {
	a, err := Open(ctx, existing)
	if err != nil {
		return err
	}
	defer a.Close()
	id := newID()
	join := func(dryRun bool) error { return a.join(ctx, Other{id, terms}, dryRun) }
	if err := terms.check(); err != nil {
		return err
	}
	if err := join(true); err != nil {
		return err
	}
	return createWith(ctx, location, id, terms, &Other{a.ledger.ID, a.Terms()}, func() error { return join(false) })
}

// join records the account other as the second account for the same people, unless it is already recorded. In a dry
// run it rolls the record back after writing it, and returns an error only if the record could not be written.
func (a *Account) join(ctx context.Context, other Other, dryRun bool) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.ledger.beside != nil && *a.ledger.beside == other {
		return nil
	}
	return a.write(ctx, dryRun, func(t session) (event, error) {
		after := *a.ledger
		if err := after.join(other); err != nil {
			return event{}, t.say("%w", err)
		}
		return event{Beside: &other}, nil
	})
}
