package account

import (
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Recorded entry is one of the account.
type Recorded struct {
	Number      int64           `json:"number"` // from 1, in the order of reservation
	Reserved    string          `json:"reserved"`
	Settled     string          `json:"settled,omitempty"` // empty while it is reserved only
	SHA256      string          `json:"sha256,omitempty"`  // of what was published
	Charge      Amount          `json:"charge"`
	Guarantee   Guarantee       `json:"guarantee"`
	Description json.RawMessage `json:"description"`
}

// A Statement is an account at one moment. All numbers are exact.
type Statement struct {
	Format   string     `json:"format"`
	Terms    Terms      `json:"terms"`
	Limit    Amount     `json:"limit"`    // what the terms afford
	Spent    Amount     `json:"spent"`    // by entries that are settled
	Reserved Amount     `json:"reserved"` // by the others, which counts as spent
	Left     Amount     `json:"left"`
	Affords  Affordable `json:"affords"`
	// Assumes lists what the entries' guarantees rest on, sorted.
	Assumes []privacy.Assumption `json:"assumes"`
	// Head is the number and the hash of the last event. Whoever keeps it elsewhere can
	// tell later, by Extends, that nothing before it was changed.
	Head    string     `json:"head"`
	Entries []Recorded `json:"entries"`
}

// Affordable is the largest ε of one more release, rounded down to 4 digits.
type Affordable struct {
	Pure  privacy.Decimal `json:"pure"`          // of a pure guarantee
	Range privacy.Decimal `json:"bounded_range"` // of the exponential mechanism
}

// Statement returns the account as it is now.
func (a *Account) Statement(ctx context.Context) (*Statement, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if err := a.reread(ctx); err != nil {
		return nil, err
	}
	return a.ledger.statement()
}

func (l *ledger) statement() (*Statement, error) {
	settled, reserved, err := l.sums()
	if err != nil {
		return nil, err
	}
	assumes := []privacy.Assumption{}
	for _, e := range l.entries {
		for _, a := range e.Guarantee.Assumes {
			if !slices.Contains(assumes, a) {
				assumes = append(assumes, a)
			}
		}
	}
	slices.Sort(assumes)
	pure, ranged := l.filter.Affords()
	return &Statement{
		Format:   format,
		Terms:    Terms{l.Epsilon, l.Delta, l.Relation, l.Of},
		Limit:    amountOf(l.Delta, l.filter.Limit()),
		Spent:    amountOf(l.Delta, settled),
		Reserved: amountOf(l.Delta, reserved),
		Left:     amountOf(l.Delta, l.filter.Left()),
		Affords:  Affordable{pure, ranged},
		Assumes:  assumes,
		Head:     l.head.name(),
		Entries:  append([]Recorded{}, l.entries...),
	}, nil
}

// Planned returns the guarantee of all entries together if they had been fixed in advance,
// which the account does not know. It is nil where there are none.
func (s *Statement) Planned() (privacy.Guarantee, error) {
	if len(s.Entries) == 0 {
		return nil, nil
	}
	var all []privacy.Guarantee
	for _, e := range s.Entries {
		g, err := e.Guarantee.decode()
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return privacy.Compose(all...)
}

// sums adds up what settled entries and the others took.
func (l *ledger) sums() (settled, reserved privacy.Amount, err error) {
	for _, e := range l.entries {
		charge, err := e.Charge.filtered(l.Delta)
		if err != nil {
			return settled, reserved, err
		}
		if e.SHA256 == "" {
			reserved = reserved.Plus(charge)
		} else {
			settled = settled.Plus(charge)
		}
	}
	return settled, reserved, nil
}

// name is the number of an event and its hash.
func (l line) name() string { return strconv.FormatInt(l.sequence, 10) + ":" + l.hash }

// Verify reads the account anew and computes all hashes, charges and sums again, and the
// guarantee of every entry from its description by recompute, unless that is nil. Its error
// names the first entry that is wrong.
func (a *Account) Verify(ctx context.Context, recompute func(description json.RawMessage) (privacy.Guarantee, error)) error {
	l := newLedger()
	err := a.store.transact(ctx, false, func(ctx context.Context, t session) error { return t.catchUp(ctx, l) })
	if err != nil || recompute == nil {
		return err
	}
	for _, e := range l.entries {
		err := strictjson.Check(e.Description)
		var g privacy.Guarantee
		if err == nil {
			g, err = recompute(e.Description)
		}
		if err != nil {
			return a.store.say("the guarantee of entry %d cannot be computed from its description: %w", e.Number, err)
		}
		again, err := encodeGuarantee(g)
		if err != nil {
			return a.store.say("entry %d: %w", e.Number, err)
		}
		if !reflect.DeepEqual(again, e.Guarantee) {
			return a.store.say("%w: entry %d has not the guarantee of its description", ErrTampered, e.Number)
		}
	}
	return nil
}

// Extends tells whether the account has the head of an earlier statement among its events;
// if not, it is ErrTampered.
func (a *Account) Extends(ctx context.Context, head string) error {
	number, hash, _ := strings.Cut(head, ":")
	sequence, err := strconv.ParseInt(number, 10, 64)
	if err != nil || len(hash) != len(chained("", "")) {
		return errors.New("a head is the number and the hash of an event, as a statement has it")
	}
	return a.store.transact(ctx, false, func(ctx context.Context, t session) error {
		if err := t.asMade(ctx); err != nil {
			return err
		}
		there := ""
		err := t.conn.QueryRowContext(ctx, "SELECT hash FROM "+t.schema+".sibyl_account_event WHERE sequence = $1", sequence).Scan(&there)
		if there == hash || err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return t.say("%w: event %d is not the one that the head names", ErrTampered, sequence)
	})
}

// String writes the amount, exactly.
func (a Amount) String() string {
	if a.Epsilon != nil {
		return fmt.Sprintf("ε = %v", a.Epsilon)
	}
	if a.Delta.IsZero() {
		return fmt.Sprintf("ρ = %v", a.Rho)
	}
	return fmt.Sprintf("ρ = %v, δ = %v", a.Rho, a.Delta)
}

// Share is about which part of the limit the amount is, of its ε or ρ or, if that is more,
// of its δ.
func (a Amount) Share(limit Amount) float64 {
	of := func(part, whole *privacy.Decimal) float64 {
		if part == nil || whole == nil || whole.IsZero() {
			return 0
		}
		share, _ := new(big.Rat).Quo(part.Rat(), whole.Rat()).Float64()
		return share
	}
	return max(of(a.Epsilon, limit.Epsilon), of(a.Rho, limit.Rho), of(a.Delta, limit.Delta))
}

// WriteCSV writes the entries, a line each under one of names.
func (s *Statement) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{"entry", "reserved", "settled", "sha256", "epsilon", "rho", "delta", "relation", "guarantee", "description"})
	text := func(d *privacy.Decimal) string {
		if d == nil {
			return ""
		}
		return d.String()
	}
	for _, e := range s.Entries {
		g, err := json.Marshal(e.Guarantee)
		if err != nil {
			return err
		}
		c.Write([]string{
			strconv.FormatInt(e.Number, 10), e.Reserved, e.Settled, e.SHA256,
			text(e.Charge.Epsilon), text(e.Charge.Rho), text(e.Charge.Delta), e.Guarantee.Relation.String(),
			string(g), string(e.Description),
		})
	}
	c.Flush()
	return c.Error()
}
