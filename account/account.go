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
	// ErrTampered is returned for an account whose events are not as they were written, or
	// not all there.
	ErrTampered = errors.New("the account was changed or cut by another hand, and nothing can be spent from it")

	// ErrFormat is returned for an account that another version wrote, with other rules.
	ErrFormat = errors.New("the account is of another format")

	// ErrLocked is returned where another program held the account for too long.
	ErrLocked = errors.New("the account is held by another program")
)

// Terms are what an account is opened with, for good.
type Terms struct {
	Epsilon  privacy.Decimal  `json:"epsilon"`
	Delta    privacy.Decimal  `json:"delta"` // 0: sums of ε; otherwise sums of ρ
	Relation privacy.Relation `json:"relation"`
	Of       string           `json:"of"` // the data, in words
}

// NewTerms returns the terms of an account of the data that some words describe, with exact
// decimals for ε and δ, such as "3" and "1e-6"; an empty δ is 0. The relation is ReplaceOne.
func NewTerms(epsilon, delta, of string) (t Terms, err error) {
	t.Relation, t.Of = privacy.ReplaceOne, of
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

// mostOf is how many characters the words of Terms may have.
const mostOf = 200

// An Account is open for spending. Its methods may be called at the same time; several
// processes may have the same account open.
type Account struct {
	store  *store
	mutex  sync.Mutex
	ledger *ledger
}

// Create makes a new account and closes it: a SQLite file, which must not be there or be
// empty, as a Create that was killed leaves it, or the tables in a PostgreSQL database, where
// none may be. An error leaves at most an empty file behind: another program may have
// taken it over, so it is not removed.
func Create(ctx context.Context, location string, terms Terms) error {
	if n := utf8.RuneCountInString(terms.Of); n == 0 || n > mostOf || !utf8.ValidString(terms.Of) {
		return fmt.Errorf("say in 1 to %d characters what the account is of", mostOf)
	}
	filter, err := privacy.NewFilter(terms.Relation, terms.Epsilon, terms.Delta)
	if err != nil {
		return err
	}
	u, err := locate(location)
	if err != nil {
		return err
	}
	id := make([]byte, 16)
	rand.Read(id)
	first, err := encode(event{Time: now(), Open: &opening{
		Format: format, ID: hex.EncodeToString(id),
		Epsilon: terms.Epsilon, Delta: terms.Delta, Relation: terms.Relation, Of: terms.Of,
		Limit: amountOf(terms.Delta, filter.Limit()),
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
			return fmt.Errorf("%s: the file exists already; name another one", u)
		case err != nil:
			return fmt.Errorf("%s: the file cannot be written: %w", u, reason(err))
		}
	}
	return create(ctx, u, first)
}

// isEmpty tells whether the path leads to an ordinary file with nothing in it.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}

func create(ctx context.Context, u *database.URL, first line) error {
	s, err := openStore(u)
	if err != nil {
		return err
	}
	defer s.close()
	return s.transact(ctx, true, func(ctx context.Context, t session) error {
		if found, err := t.holds(ctx); err != nil {
			return err
		} else if found {
			return t.say("there is an account in it already; name another database, or another schema by ?search_path=")
		}
		return t.create(ctx, first)
	})
}

// reason takes the path off an error of the system.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Files returns the paths of the files that an account at a location is in or makes, whether
// they are there or not, for who writes files beside it.
func Files(location string) []string {
	u, err := locate(location)
	if err != nil {
		return nil // which Open reports
	}
	return u.Files()
}

// Open opens the account at a location and checks all of it. Its time grows with the number
// of entries.
func Open(ctx context.Context, location string) (*Account, error) {
	u, err := locate(location)
	if err != nil {
		return nil, err
	}
	s, err := openStore(u)
	if err != nil {
		return nil, err
	}
	a := &Account{store: s, ledger: newLedger()}
	if err := a.reread(ctx); err != nil {
		s.close()
		return nil, err
	}
	return a, nil
}

// reread follows the events that other programs have written.
func (a *Account) reread(ctx context.Context) error {
	return a.store.transact(ctx, false, func(ctx context.Context, t session) error {
		return t.catchUp(ctx, a.ledger)
	})
}

// Close ends the use of the account.
func (a *Account) Close() error { return a.store.close() }

// Terms are those that the account was opened with.
func (a *Account) Terms() Terms {
	o := a.ledger.opening
	return Terms{o.Epsilon, o.Delta, o.Relation, o.Of}
}

// An Entry is a release to come.
type Entry struct {
	// Description is JSON from which the guarantee can be computed again: the mechanism
	// and all its parameters. It is public.
	Description json.RawMessage
	Guarantee   privacy.Guarantee
}

// mostDescription is the greatest length of a Description, in bytes.
const mostDescription = 64 << 20

// A Token is the number of an entry.
type Token int64

// Reserve enters a release, which counts as spent from then on. It must return before
// private data is opened; when it returns without an error, the entry is durable. A release
// that cannot be charged is privacy.ErrCharge, one that is more than what is left
// privacy.ErrSpent, and an account that is not as it was written ErrTampered: then nothing is
// entered. After an error of the database at the very end it may be entered nevertheless, as
// the sentence says.
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
	// What is charged is what a reader will find.
	written, err := g.decode()
	if err != nil {
		return 0, a.store.say("%w", err)
	}
	err = a.write(ctx, func(t session) (event, error) {
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

// Settle closes an entry with the SHA-256 digest of what was published. An entry that is not
// there, or settled already, is an error. Without Settle the entry stays reserved, which
// costs the same.
func (a *Account) Settle(ctx context.Context, t Token, digest [32]byte) error {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.write(ctx, func(s session) (event, error) {
		if err := a.ledger.unsettled(int64(t)); err != nil {
			return event{}, s.say("%w", err)
		}
		return event{Settle: &settle{int64(t), hex.EncodeToString(digest[:])}}, nil
	})
}

// write appends the event that next makes of the account as it is, all other programs
// waiting.
func (a *Account) write(ctx context.Context, next func(t session) (event, error)) error {
	var written line
	err := a.store.transact(ctx, true, func(ctx context.Context, t session) error {
		if err := t.lock(ctx); err != nil {
			return err
		}
		if err := t.catchUp(ctx, a.ledger); err != nil {
			return err
		}
		e, err := next(t)
		if err != nil {
			return err
		}
		e.Sequence, e.Time = a.ledger.head.sequence+1, now()
		if written, err = encode(e, a.ledger.head.hash); err != nil {
			return err
		}
		return t.append(ctx, written)
	})
	if err != nil {
		return err
	}
	return a.ledger.follow(written)
}

// String is the location, without a password.
func (a *Account) String() string { return quote.Name(a.store.url.String()) }
