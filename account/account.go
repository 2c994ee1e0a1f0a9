package account

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/privacy"
)

var (
	// ErrTampered is returned for an account whose events were modified, or are missing.
	ErrTampered = errors.New("the account was modified or truncated, so no release can be charged to it")

	// ErrFormat is returned for an account in the format of another version.
	ErrFormat = errors.New("the account has an unsupported format")

	// ErrLocked is returned if another program kept the account locked for too long.
	ErrLocked = errors.New("the account is locked by another program")
)

// Terms are the conditions of an account, which are fixed when it is created: the privacy budget, the neighbour
// relation, and a description of the data.
type Terms struct {
	Epsilon  privacy.Decimal  `json:"epsilon"`
	Delta    privacy.Decimal  `json:"delta"` // if 0, the account sums ε; otherwise it sums ρ and δ
	Relation privacy.Relation `json:"relation"`
	Of       string           `json:"of"` // a description of the data, 1 to 200 characters
}

// NewTerms returns the terms of an account with the neighbour relation ReplaceOne. The arguments epsilon and delta
// are the budget, as exact decimals such as "3" and "1e-6"; an empty delta means 0. The argument data is a
// description of the data.
func NewTerms(epsilon, delta, data string) (t Terms, err error) {
	t.Relation, t.Of = privacy.ReplaceOne, data
	if t.Epsilon, err = privacy.ParseDecimal(epsilon); err != nil {
		return t, fmt.Errorf("epsilon: %w", err)
	}
	if delta == "" {
		return t, nil
	}
	if t.Delta, err = privacy.ParseDecimal(delta); err != nil {
		return t, fmt.Errorf("delta: %w", err)
	}
	return t, nil
}

// mostOf is the maximum length of a description of the data, in characters.
const mostOf = 200

// check returns an error if the terms are invalid, such as an ε of 0 or an empty description.
func (t Terms) check() error {
	if n := utf8.RuneCountInString(t.Of); n == 0 || n > mostOf || !utf8.ValidString(t.Of) {
		return fmt.Errorf("the description of the data must have 1 to %d characters", mostOf)
	}
	_, err := privacy.NewFilter(t.Relation, t.Epsilon, t.Delta)
	return err
}

// idSize is the length of the random identifier of an account, in bytes.
const idSize = 16

// newID returns a random identifier, in hexadecimal.
func newID() string {
	id := make([]byte, idSize)
	rand.Read(id)
	return hex.EncodeToString(id)
}

// An Account is an open privacy budget ledger: it records releases and refuses those that would exceed its budget.
// Its methods may be called concurrently, and several processes may open the same account.
type Account struct {
	store  *store
	mutex  sync.Mutex
	ledger *ledger
}

// Create creates an account at a location, but does not open it.
//
// For SQLite, Create creates the file at the path. If the file already exists, it must be empty. For PostgreSQL,
// Create creates the tables of the account. They must not exist yet.
//
// If Create returns an error, an empty file may remain. Create does not remove this file, because another program may
// already use it. A later Create accepts it.
func Create(ctx context.Context, location string, terms Terms) error {
	if err := terms.check(); err != nil {
		return err
	}
	return createWith(ctx, location, newID(), terms, nil, func() error { return nil })
}

// createWith creates an account with the given identifier and terms, which must be valid. If other is not nil, the
// new account records it as the other account for the same people. createWith calls the function ready just before it
// commits the new tables. If ready returns an error, createWith rolls back and returns this error.
func createWith(ctx context.Context, location, id string, terms Terms, other *Other, ready func() error) error {
	filter, err := privacy.NewFilter(terms.Relation, terms.Epsilon, terms.Delta)
	if err != nil {
		return err
	}
	u, err := locate(location)
	if err != nil {
		return err
	}
	first, err := encode(event{Time: now(), Open: &opening{
		Format: format, ID: id,
		Epsilon: terms.Epsilon, Delta: terms.Delta, Relation: terms.Relation, Of: terms.Of,
		Limit: amountOf(terms.Delta, filter.Limit()), Beside: other,
	}}, "")
	if err != nil {
		return err
	}
	if err := u.Linked(); err != nil {
		return err
	}
	if u.Dialect() == database.SQLite {
		err := createFile(u.Files()[0])
		switch {
		case errors.Is(err, fs.ErrExist) && isEmpty(u.Files()[0]):
		case errors.Is(err, fs.ErrExist):
			return fmt.Errorf("%s: the file exists already; if it is an account, use it as it is, otherwise name another file", u)
		case err != nil:
			return fmt.Errorf("%s: the file cannot be written: %w", u, quote.Cause(err))
		}
	}
	return create(ctx, u, first, ready)
}

// isEmpty reports whether the path names a regular file of length 0.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// create creates the tables of an account and inserts its first event, in one transaction. It calls the function
// ready just before the commit. If ready returns an error, create rolls the transaction back.
func create(ctx context.Context, u *database.URL, first line, ready func() error) error {
	s, err := openStore(u)
	if err != nil {
		return err
	}
	defer s.close()
	return s.transact(ctx, true, func(ctx context.Context, t session) error {
		if found, err := t.holds(ctx); err != nil {
			return err
		} else if found {
			return t.say("the database already contains an account; name another database, or another schema by ?search_path=")
		}
		if err := t.create(ctx, first); err != nil {
			return err
		}
		if err := ready(); err != nil {
			return said{err}
		}
		return nil
	})
}

// Files returns the paths of all files that the account at the given location may use; some of them may not exist.
// Programs must not write other data to these files.
func Files(location string) []string {
	u, err := locate(location)
	if err != nil {
		return nil // Open reports the error
	}
	return u.Files()
}

// Open opens the account at a location. It verifies all hashes, charges and sums of the account, in a time that is
// linear in the number of events.
func Open(ctx context.Context, location string) (*Account, error) {
	u, err := locate(location)
	if err != nil {
		return nil, err
	}
	s, err := openStore(u)
	switch {
	case errors.Is(err, database.ErrNoFile):
		return nil, fmt.Errorf("%w, or create the account first", err)
	case err != nil:
		return nil, err
	}
	a := &Account{store: s, ledger: newLedger()}
	if err := a.reread(ctx); err != nil {
		s.close()
		return nil, err
	}
	return a, nil
}

// reread reads the events that other programs have appended since the last read, and applies them to the state
// a.ledger.
func (a *Account) reread(ctx context.Context) error {
	return a.store.transact(ctx, false, func(ctx context.Context, t session) error {
		return t.catchUp(ctx, a.ledger)
	})
}

// Close closes the account and its connection to the database.
func (a *Account) Close() error { return a.store.close() }

// Terms returns the terms of the account: the budget, the relation and the description with which it was created.
func (a *Account) Terms() Terms {
	o := a.ledger.opening
	return Terms{o.Epsilon, o.Delta, o.Relation, o.Of}
}

// An Entry is a planned release that Reserve records.
type Entry struct {
	// Description is a JSON text with the mechanism and all its parameters. The guarantee can be recomputed
	// from it. It is public, and has at most 64 MiB.
	Description json.RawMessage
	Guarantee   privacy.Guarantee
}

// mostDescription is the maximum length of a Description, in bytes.
const mostDescription = 64 << 20

// A Token identifies an entry: it is the entry's number, counted from 1.
type Token int64

// Reserve records a planned release and charges its guarantee to the budget. Call Reserve before you open private
// data. When Reserve returns no error, the entry is durable, and its charge is consumed.
//
// In these cases Reserve records nothing:
//
//   - The account does not support the guarantee. The error wraps privacy.ErrCharge.
//   - The charge exceeds the remaining budget. The error wraps privacy.ErrSpent.
//   - The account was modified. The error wraps ErrTampered.
//
// If the database fails during the commit, the entry may have been recorded; the error says so.
func (a *Account) Reserve(ctx context.Context, e Entry) (Token, error) {
	if len(e.Description) > mostDescription {
		return 0, fmt.Errorf("the description of a release is longer than %d bytes", mostDescription)
	}
	if err := strictjson.Check(e.Description); err != nil {
		return 0, fmt.Errorf("the description of a release is not JSON: %w", err)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if _, err := a.ledger.filter.Charge(e.Guarantee); err != nil {
		return 0, a.store.say("%w", err)
	}
	g, err := encodeGuarantee(e.Guarantee)
	if err != nil {
		return 0, a.store.say("%w", err)
	}
	// The charge is computed from the decoded guarantee, so a reader of the account computes the same charge.
	written, err := g.decode()
	if err != nil {
		return 0, a.store.say("%w", err)
	}
	err = a.write(ctx, false, func(t session) (event, error) {
		after := *a.ledger.filter
		charge, err := after.Spend(written)
		if err != nil {
			return event{}, t.say("%w", err)
		}
		return event{Reserve: &reserve{e.Description, g, amountOf(a.ledger.Delta, charge)}}, nil
	})
	if err != nil {
		return 0, err
	}
	return Token(len(a.ledger.entries)), nil
}

// Admits returns the error that Reserve would return now for a release with the guarantee g, or nil. It reserves
// nothing, so a later Reserve can still fail if another release consumes the budget in the meantime.
func (a *Account) Admits(ctx context.Context, g privacy.Guarantee) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if err := a.reread(ctx); err != nil {
		return err
	}
	after := *a.ledger.filter
	if _, err := after.Spend(g); err != nil {
		return a.store.say("%w", err)
	}
	return nil
}

// Settle marks the entry t as published, and records the SHA-256 digest of the published release. It returns an error
// if there is no such entry, or if the entry is already settled. Settling does not change the consumed budget: an entry
// consumes its charge whether it is settled or not.
func (a *Account) Settle(ctx context.Context, t Token, digest [32]byte) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.write(ctx, false, func(s session) (event, error) {
		if err := a.ledger.unsettled(int64(t)); err != nil {
			return event{}, s.say("%w", err)
		}
		return event{Settle: &settle{int64(t), hex.EncodeToString(digest[:])}}, nil
	})
}

// write locks the account, reads all new events, and appends the event that newEvent returns. It returns an error if
// the event could not be written. In a dry run it rolls the event back after writing it.
func (a *Account) write(ctx context.Context, dryRun bool, newEvent func(t session) (event, error)) error {
	var written line
	err := a.store.transact(ctx, true, func(ctx context.Context, t session) error {
		if err := t.lock(ctx); err != nil {
			return err
		}
		if err := t.catchUp(ctx, a.ledger); err != nil {
			return err
		}
		e, err := newEvent(t)
		if err != nil {
			return err
		}
		e.Sequence, e.Time = a.ledger.head.sequence+1, now()
		if written, err = encode(e, a.ledger.head.hash); err != nil {
			return err
		}
		if err := t.append(ctx, written); err != nil {
			return err
		}
		if dryRun {
			return said{errDryRun}
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.ledger.follow(written)
}

// errDryRun ends the transaction of a dry run inside write, which then returns no error.
var errDryRun = errors.New("dry run")

// String returns the location of the account, without the password of a URL.
func (a *Account) String() string { return quote.Name(a.store.url.String()) }
