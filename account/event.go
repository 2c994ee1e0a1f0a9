package account

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/privacy"
)

// format is the name and version of the format in which the database stores an account.
const format = "sibyl-account/1"

// An event is one change of the account. Exactly one of Open, Reserve, Settle and Beside is not nil.
type event struct {
	Sequence int64    `json:"sequence"` // the number of the event; event 0 creates the account
	Time     string   `json:"time"`     // by the program's clock, as in RFC 3339
	Open     *opening `json:"open,omitempty"`
	Reserve  *reserve `json:"reserve,omitempty"`
	Settle   *settle  `json:"settle,omitempty"`
	Beside   *Other   `json:"beside,omitempty"` // a second account for the same people, opened later
}

type opening struct {
	Format   string           `json:"format"`
	ID       string           `json:"id"` // random, so that no two accounts have the same hashes
	Epsilon  privacy.Decimal  `json:"epsilon"`
	Delta    privacy.Decimal  `json:"delta"`
	Relation privacy.Relation `json:"relation"`
	Of       string           `json:"of"`
	Limit    Amount           `json:"limit"`
	Beside   *Other           `json:"beside,omitempty"` // an earlier account for the same people
}

type reserve struct {
	Description json.RawMessage `json:"description"`
	Guarantee   Guarantee       `json:"guarantee"`
	Charge      Amount          `json:"charge"`
}

type settle struct {
	Entry  int64  `json:"entry"`  // the number of the entry
	SHA256 string `json:"sha256"` // the digest of the published release, in hexadecimal
}

// An Amount is an amount of privacy budget, in the units in which the account sums charges. If the account's δ is 0,
// only Epsilon is set. Otherwise Rho and Delta are set: Rho is a ρ of zero-concentrated differential privacy, and
// Delta is the sum of the δ of guarantees of type privacy.Approximate.
type Amount struct {
	Epsilon *privacy.Decimal `json:"epsilon,omitempty"`
	Rho     *privacy.Decimal `json:"rho,omitempty"`
	Delta   *privacy.Decimal `json:"delta,omitempty"`
}

// amountOf converts an amount of the privacy filter to an Amount, for an account whose terms have the given δ.
func amountOf(delta privacy.Decimal, a privacy.Amount) Amount {
	if delta.IsZero() {
		return Amount{Epsilon: &a.Loss}
	}
	return Amount{Rho: &a.Loss, Delta: &a.Failure}
}

// filtered converts an Amount to an amount of the privacy filter, for an account whose terms have the given δ. It is
// the inverse of amountOf. It returns an error if the wrong fields of the Amount are set for this δ.
func (a Amount) filtered(delta privacy.Decimal) (privacy.Amount, error) {
	switch {
	case delta.IsZero() && a.Epsilon != nil && a.Rho == nil && a.Delta == nil:
		return privacy.Amount{Loss: *a.Epsilon}, nil
	case !delta.IsZero() && a.Epsilon == nil && a.Rho != nil && a.Delta != nil:
		return privacy.Amount{Loss: *a.Rho, Failure: *a.Delta}, nil
	}
	return privacy.Amount{}, errors.New("an amount of the entry has the wrong keys: in an account with δ = 0 it must have the key \"epsilon\", and in any other account the keys \"rho\" and \"delta\"")
}

// A line is an event of the account as a row of the database.
type line struct {
	sequence int64
	body     string // the event as JSON
	hash     string // SHA-256 of the previous hash and the body, in hexadecimal
}

// chained returns the hash of an event, given its JSON text. The hash also depends on the parameter previous, the
// hash of the previous event ("" for the first event), so a change of one event changes all later hashes.
func chained(previous, body string) string {
	sum := sha256.Sum256([]byte(previous + "\n" + body))
	return hex.EncodeToString(sum[:])
}

// encode returns the row that the database stores for the event e, given the hash of the previous event.
func encode(e event, previous string) (line, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return line{}, err
	}
	text := string(bytes.TrimSuffix(body.Bytes(), []byte("\n")))
	return line{e.Sequence, text, chained(previous, text)}, nil
}

// decode parses the JSON text of an event. It refuses a text that encode would write differently, because other JSON
// readers might understand such a text differently.
func decode(body string) (event, error) {
	var e event
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return e, errors.New("the JSON of the event is invalid")
	}
	if again, err := encode(e, ""); err != nil || again.body != body {
		return e, errors.New("the JSON of the event is valid, but is not written exactly as this program writes it")
	}
	return e, nil
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// A ledger is the state of an account after its first events: its budget, its releases and its charges.
type ledger struct {
	opening
	filter  *privacy.Filter // nil before the first event
	head    line            // the last event; its sequence is -1 before the first
	entries []Recorded
	settled int // the number of settled entries
	beside  *Other
}

func newLedger() *ledger { return &ledger{head: line{sequence: -1}} }

// follow verifies the next event of the account and applies it to the ledger. If it returns an error, the ledger is
// unchanged.
func (l *ledger) follow(next line) error {
	if next.sequence != l.head.sequence+1 {
		return fmt.Errorf("event %d is missing", l.head.sequence+1)
	}
	if next.hash != chained(l.head.hash, next.body) {
		return fmt.Errorf("the stored hash of event %d does not match its content and the previous hash", next.sequence)
	}
	e, err := decode(next.body)
	if err == nil && e.Sequence != next.sequence {
		err = fmt.Errorf("its JSON has the number %d instead", e.Sequence)
	}
	if err == nil {
		switch {
		case e.Open != nil && e.Reserve == nil && e.Settle == nil && e.Beside == nil:
			err = l.open(*e.Open)
		case e.Reserve != nil && e.Open == nil && e.Settle == nil && e.Beside == nil:
			err = l.reserve(e.Time, *e.Reserve)
		case e.Settle != nil && e.Open == nil && e.Reserve == nil && e.Beside == nil:
			err = l.settle(e.Time, *e.Settle)
		case e.Beside != nil && e.Open == nil && e.Reserve == nil && e.Settle == nil:
			err = l.join(*e.Beside)
		default:
			err = errors.New("the event must have exactly one of the keys \"open\", \"reserve\", \"settle\" and \"beside\"")
		}
	}
	if err != nil {
		return fmt.Errorf("event %d: %w", next.sequence, err)
	}
	l.head = next
	return nil
}

func (l *ledger) open(o opening) error {
	if l.filter != nil {
		return errors.New("the event creates an account, but an earlier event already did")
	}
	if o.Format != format {
		return fmt.Errorf("the format must be %s", format)
	}
	limit, err := o.Limit.filtered(o.Delta)
	if err != nil {
		return err
	}
	filter, err := privacy.NewFilterWithin(o.Relation, o.Epsilon, o.Delta, limit)
	if err != nil {
		return err
	}
	if o.Beside != nil {
		if err := o.Beside.beside(o); err != nil {
			return err
		}
	}
	l.opening, l.filter, l.beside = o, filter, o.Beside
	return nil
}

// join sets l.beside to o, a second account for the same people. It returns an error if the ledger already has a
// second account.
func (l *ledger) join(o Other) error {
	if l.filter == nil {
		return errors.New("the first event must create the account")
	}
	if l.beside != nil {
		return fmt.Errorf("the account already has a second account for the same people (%s); a third one is not supported", quote.Word(l.beside.Terms.Of))
	}
	if err := o.beside(l.opening); err != nil {
		return err
	}
	l.beside = &o
	return nil
}

func (l *ledger) reserve(time string, r reserve) error {
	if l.filter == nil {
		return errors.New("the first event must create the account")
	}
	g, err := r.Guarantee.decode()
	if err != nil {
		return err
	}
	stated, err := r.Charge.filtered(l.Delta)
	if err != nil {
		return err
	}
	after := *l.filter
	charge, err := after.Spend(g)
	if err != nil {
		return err
	}
	if charge != stated {
		return errors.New("the charge stored in the entry differs from the charge that its guarantee requires")
	}
	l.filter = &after
	l.entries = append(l.entries, Recorded{
		Number: int64(len(l.entries)) + 1, Reserved: time,
		Description: r.Description, Guarantee: r.Guarantee, Charge: r.Charge,
	})
	return nil
}

func (l *ledger) settle(time string, s settle) error {
	if err := l.unsettled(s.Entry); err != nil {
		return err
	}
	if digest, err := hex.DecodeString(s.SHA256); err != nil || len(digest) != sha256.Size {
		return errors.New("the digest of the file must be a SHA-256 digest in hexadecimal")
	}
	e := &l.entries[s.Entry-1]
	e.Settled, e.SHA256 = time, s.SHA256
	l.settled++
	return nil
}

// unsettled returns an error unless an entry with the given number exists and is not marked as published yet.
func (l *ledger) unsettled(number int64) error {
	switch {
	case number < 1 || number > int64(len(l.entries)):
		return fmt.Errorf("entry %d does not exist", number)
	case l.entries[number-1].SHA256 != "":
		return fmt.Errorf("entry %d is already settled", number)
	}
	return nil
}
