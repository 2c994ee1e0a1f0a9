package account

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sibyl-dp/sibyl/privacy"
)

// format names the layout of tables and events.
const format = "sibyl-account/1"

// An event is one line of the account: exactly one of open, reserve and settle.
type event struct {
	Sequence int64    `json:"sequence"` // from 0, which opens the account
	Time     string   `json:"time"`     // as the clock had it
	Open     *opening `json:"open,omitempty"`
	Reserve  *reserve `json:"reserve,omitempty"`
	Settle   *settle  `json:"settle,omitempty"`
}

type opening struct {
	Format   string           `json:"format"`
	ID       string           `json:"id"` // random: no two accounts have the same hashes
	Epsilon  privacy.Decimal  `json:"epsilon"`
	Delta    privacy.Decimal  `json:"delta"`
	Relation privacy.Relation `json:"relation"`
	Of       string           `json:"of"`
	Limit    Amount           `json:"limit"`
}

type reserve struct {
	Description json.RawMessage `json:"description"`
	Guarantee   Guarantee       `json:"guarantee"`
	Charge      Amount          `json:"charge"`
}

type settle struct {
	Entry  int64  `json:"entry"`  // its number
	SHA256 string `json:"sha256"` // of what was published, in hexadecimal
}

// An Amount is what is spent, charged or left: ε, or ρ and the δ of approximate parts.
type Amount struct {
	Epsilon *privacy.Decimal `json:"epsilon,omitempty"`
	Rho     *privacy.Decimal `json:"rho,omitempty"`
	Delta   *privacy.Decimal `json:"delta,omitempty"`
}

func amountOf(delta privacy.Decimal, a privacy.Amount) Amount {
	if delta.IsZero() {
		return Amount{Epsilon: &a.Loss}
	}
	return Amount{Rho: &a.Loss, Delta: &a.Failure}
}

// filtered is the amount as a filter with that δ has it.
func (a Amount) filtered(delta privacy.Decimal) (privacy.Amount, error) {
	switch {
	case delta.IsZero() && a.Epsilon != nil && a.Rho == nil && a.Delta == nil:
		return privacy.Amount{Loss: *a.Epsilon}, nil
	case !delta.IsZero() && a.Epsilon == nil && a.Rho != nil && a.Delta != nil:
		return privacy.Amount{Loss: *a.Rho, Failure: *a.Delta}, nil
	}
	return privacy.Amount{}, errors.New("an amount is not of the account's kind")
}

// A line is an event as it is stored.
type line struct {
	sequence int64
	body     string // JSON
	hash     string // of the hash before it and the body, in hexadecimal
}

// chained is the hash of a body after another hash, which is empty before the first.
func chained(before, body string) string {
	sum := sha256.Sum256([]byte(before + "\n" + body))
	return hex.EncodeToString(sum[:])
}

// encode writes an event that follows the hash.
func encode(e event, before string) (line, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		return line{}, err
	}
	text := string(bytes.TrimSuffix(body.Bytes(), []byte("\n")))
	return line{e.Sequence, text, chained(before, text)}, nil
}

// decode reads an event. One that encode does not write in the same way is refused: so all
// readers take it for the same, at less cost than by package strictjson.
func decode(body string) (event, error) {
	var e event
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		return e, errors.New("it cannot be read")
	}
	if again, err := encode(e, ""); err != nil || again.body != body {
		return e, errors.New("it is not as the program writes it")
	}
	return e, nil
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }

// A ledger is what follows from the events of an account.
type ledger struct {
	opening
	filter  *privacy.Filter
	head    line // the last event; its sequence is -1 before the first
	entries []Recorded
	settled int
}

func newLedger() *ledger { return &ledger{head: line{sequence: -1}} }

// follow takes the next event up. Its error says what is wrong with the event, and leaves
// the ledger as it was.
func (l *ledger) follow(next line) error {
	if next.sequence != l.head.sequence+1 {
		return fmt.Errorf("event %d is missing", l.head.sequence+1)
	}
	if next.hash != chained(l.head.hash, next.body) {
		return fmt.Errorf("event %d does not have its hash", next.sequence)
	}
	e, err := decode(next.body)
	if err == nil && e.Sequence != next.sequence {
		err = errors.New("it has another number")
	}
	if err == nil {
		switch {
		case e.Open != nil && e.Reserve == nil && e.Settle == nil:
			err = l.open(*e.Open)
		case e.Reserve != nil && e.Open == nil && e.Settle == nil:
			err = l.reserve(e.Time, *e.Reserve)
		case e.Settle != nil && e.Open == nil && e.Reserve == nil:
			err = l.settle(e.Time, *e.Settle)
		default:
			err = errors.New("it is of no kind")
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
		return errors.New("it opens the account again")
	}
	if o.Format != format {
		return errors.New("it is of another format")
	}
	limit, err := o.Limit.filtered(o.Delta)
	if err != nil {
		return err
	}
	filter, err := privacy.NewFilterWithin(o.Relation, o.Epsilon, o.Delta, limit)
	if err != nil {
		return err
	}
	l.opening, l.filter = o, filter
	return nil
}

func (l *ledger) reserve(time string, r reserve) error {
	if l.filter == nil {
		return errors.New("the account is not opened")
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
		return errors.New("its charge is not that of its guarantee")
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
		return errors.New("it has no digest")
	}
	e := &l.entries[s.Entry-1]
	e.Settled, e.SHA256 = time, s.SHA256
	l.settled++
	return nil
}

// unsettled tells whether the entry of that number can be settled.
func (l *ledger) unsettled(number int64) error {
	switch {
	case number < 1 || number > int64(len(l.entries)):
		return fmt.Errorf("there is no entry %d", number)
	case l.entries[number-1].SHA256 != "":
		return fmt.Errorf("entry %d is settled already", number)
	}
	return nil
}
