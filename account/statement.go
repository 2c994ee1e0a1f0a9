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

// A Recorded is an entry of the account, a planned release that Reserve recorded. Settled and SHA256 are set if
// Settle has marked it as published.
type Recorded struct {
	Number      int64           `json:"number"`            // the number of the entry, from 1, in the order of reservation
	Reserved    string          `json:"reserved"`          // the time of Reserve
	Settled     string          `json:"settled,omitempty"` // the time of Settle, or ""
	SHA256      string          `json:"sha256,omitempty"`  // the digest of the published release, or ""
	Charge      Amount          `json:"charge"`
	Guarantee   Guarantee       `json:"guarantee"`
	Description json.RawMessage `json:"description"`
}

// A Statement is the state of an account at one time. All amounts are exact, except the two in Affords, which are
// rounded.
type Statement struct {
	Format   string     `json:"format"`
	ID       string     `json:"id"` // random, so that no two accounts have the same
	Terms    Terms      `json:"terms"`
	Limit    Amount     `json:"limit"`    // the maximum sum of all charges
	Spent    Amount     `json:"spent"`    // the charges of settled entries
	Reserved Amount     `json:"reserved"` // the charges of the other entries, which are consumed too
	Left     Amount     `json:"left"`     // the limit minus all charges
	Affords  Affordable `json:"affords"`
	// Beside is the other account for the same people, and Together is the sum of both budgets. Both are nil
	// if there is no other account (see CreateSecond).
	Beside   *Other  `json:"beside,omitempty"`
	Together *Budget `json:"together,omitempty"`
	// Assumes lists the assumptions of all entries' guarantees, sorted.
	Assumes []privacy.Assumption `json:"assumes"`
	// Head is the number and the hash of the last event. If you store it outside the account, Extends can
	// verify later that no event up to this one was modified.
	Head    string     `json:"head"`
	Entries []Recorded `json:"entries"`
}

// An Affordable holds the largest ε that the remaining budget allows for one more release, for two kinds of
// guarantees. Each ε is rounded down to 4 significant digits.
type Affordable struct {
	Pure  privacy.Decimal `json:"pure"`          // for a pure guarantee
	Range privacy.Decimal `json:"bounded_range"` // for a bounded-range guarantee, such as that of the exponential mechanism
}

// Statement returns the current state of the account, including the events that other programs have appended.
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
	terms := Terms{l.Epsilon, l.Delta, l.Relation, l.Of}
	var together *Budget
	if l.beside != nil {
		together = terms.together(l.beside.Terms)
	}
	return &Statement{
		Format:   format,
		ID:       l.ID,
		Terms:    terms,
		Beside:   l.beside,
		Together: together,
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

// Planned returns the composition of the guarantees of all entries, or nil if there are no entries. This composition
// is valid only if the guarantees of all entries were fixed before the first release. The account does not record
// whether they were.
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

// sums returns the sum of the charges of published (settled) entries, and the sum of the charges of all other
// entries.
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

// name returns the number and the hash of an event, with a colon between them.
func (l line) name() string { return strconv.FormatInt(l.sequence, 10) + ":" + l.hash }

// Verify reads all events and recomputes all hashes, charges and sums. If recompute is not nil, Verify also checks
// the guarantee of every entry: recompute must return the same guarantee from the description of the entry.
//
// The error names the first invalid event or entry. It wraps ErrTampered if the account was modified.
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
			return a.store.say("%w: the guarantee of entry %d does not follow from its description", ErrTampered, e.Number)
		}
	}
	return nil
}

// Extends checks that the account is a continuation of an earlier state. The argument is the Head of a statement from
// that time: the number and the hash of an event. Extends returns nil if the account contains this event, and
// ErrTampered if it does not. It does not verify the other events; Open and Verify do.
func (a *Account) Extends(ctx context.Context, head string) error {
	number, hash, _ := strings.Cut(head, ":")
	sequence, err := strconv.ParseInt(number, 10, 64)
	if err != nil || len(hash) != len(chained("", "")) {
		return errors.New("the head must have the form NUMBER:HASH that a statement prints, such as 3:9f86…")
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
		return t.say("%w: event %d does not have the hash of the given head", ErrTampered, sequence)
	})
}

// String returns the exact amount with all digits, such as "ε = 0.5" or "ρ = 0.125, δ = 0.000000001".
func (a Amount) String() string {
	if a.Epsilon != nil {
		return fmt.Sprintf("ε = %v", a.Epsilon)
	}
	if a.Delta.IsZero() {
		return fmt.Sprintf("ρ = %v", a.Rho)
	}
	return fmt.Sprintf("ρ = %v, δ = %v", a.Rho, a.Delta)
}

// Share returns the amount as a fraction of the limit, rounded. In an account with ρ and δ, it returns the greater of
// the two fractions.
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

// WriteCSV writes the entries as CSV: a header and a line for each entry.
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
