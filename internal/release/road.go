package release

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Data is private data that has not been opened yet.
type Data interface {
	// Table reads all of it, collapsed to distinct records.
	Table(context.Context, *table.Schema) (*table.Table, error)
	// Records reads its rows one by one, in their order.
	Records(context.Context, *table.Schema, func(source.Row) error) error
	ready
}

// What is ready reports otherwise, before any of its rows is read, that it cannot be read, or
// cannot answer what will be asked. Then nothing is charged.
type ready interface {
	Ready(context.Context, *table.Schema, table.Asks) error
}

// A Refused error is the refusal of data, before any of it was read or because it is ill-formed.
type Refused struct{ error }

// Unwrap returns the error of the source.
func (r Refused) Unwrap() error { return r.error }

// refusal returns the refusal of data for an error of its source, unless the context ended.
func refusal(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrDefect) {
		return err
	}
	return Refused{err}
}

// Some data answers where it lies. Of other data the table answers.
type counted interface {
	// Counts opens the data, and done closes it.
	Counts(context.Context, *table.Schema) (c table.Counts, done func(), err error)
}

// From is the data at a location: a file, - for standard input, or a database's URL.
type From struct {
	Location string
	source.Options
}

// Table reads all of it.
func (f From) Table(ctx context.Context, s *table.Schema) (*table.Table, error) {
	return source.Read(ctx, f.Location, s, f.Options)
}

// Counts opens it where it lies.
func (f From) Counts(ctx context.Context, s *table.Schema) (table.Counts, func(), error) {
	return source.Counts(ctx, f.Location, s, f.Options)
}

// Ready refuses a location that cannot be read, or cannot answer what will be asked.
func (f From) Ready(ctx context.Context, s *table.Schema, asks table.Asks) error {
	return source.Ready(ctx, f.Location, s, asks, f.Options)
}

// Records reads its rows.
func (f From) Records(ctx context.Context, s *table.Schema, row func(source.Row) error) error {
	return source.Records(ctx, f.Location, s, f.Options, row)
}

// Terms are what every release has, whatever it releases.
type Terms struct {
	// Account is charged before the data is opened; nil: nobody keeps count.
	Account Account

	// Pad has the release come at a multiple of a duration after its beginning, so that
	// the time taken tells less; 0 for none.
	Pad time.Duration

	// Log is told what is private, and Watch a line at a time how far a release is; nil
	// for none.
	Log   *Log
	Watch func(line string)

	// Publish gives the world what was released, whole or not at all; nil where the caller
	// does so with the value.
	Publish func(ctx context.Context, artefacts [][]byte) error
}

// An Account says who may still spend, and what is left.
type Account interface {
	// Reserve charges for a release of that guarantee, or says in one sentence why it may
	// not be. When it returns without error the charge outlives a crash, and counts as
	// spent whatever becomes of the release. The description is all that is public of it,
	// from which Recompute computes the guarantee.
	Reserve(ctx context.Context, description json.RawMessage, g privacy.Guarantee) (Reservation, error)
}

// A Reservation is a charge whose release is not known to be published.
type Reservation interface {
	// Settle notes the digest of what was published.
	Settle(ctx context.Context, digest [sha256.Size]byte) error
}

// Withheld is an error that came up after private data was read. Its cause may depend on
// the data, so only a fixed sentence is told.
type Withheld struct{ sentence string }

func (w Withheld) Error() string { return w.sentence }

var (
	// ErrWithheld stands for every error that came up after private data was read.
	ErrWithheld = Withheld{"nothing was released: the release failed after the data was read, and why is private (--private-log keeps it)"}

	// ErrDefect stands for a panic.
	ErrDefect = Withheld{"nothing was released: the program came upon a defect of its own; please report the command"}

	// ErrNothing reports that the mechanism released no hypothesis, which is a value too.
	ErrNothing = Withheld{"the mechanism released no hypothesis; this too spent its ε and δ"}
)

// A road is one release from data D to a value T.
type road[D, T any] struct {
	promise  privacy.Guarantee
	describe func() (json.RawMessage, error)
	void     model.Void

	data   any           // not opened yet
	schema *table.Schema // of the data
	asks   table.Asks
	// open opens the data, and done closes it; nil where nothing is to be closed. Its errors
	// are refusals of ill-formed data, and so are those of admit.
	open  func(context.Context) (d D, done func(), err error)
	admit func(D) error
	// draw returns the value, and what is published of it. Its errors are told to the log
	// alone.
	draw func(context.Context, D) (value T, artefacts [][]byte, err error)
}

// take takes the road. It is the only way that private data becomes a value.
func take[D, T any](ctx context.Context, t Terms, r road[D, T]) (value T, err error) {
	var none T
	if r.data == nil {
		return none, Refused{errors.New("there is no data")}
	}
	if d, ok := r.data.(ready); ok {
		if err := d.Ready(ctx, r.schema, r.asks); err != nil {
			return none, refusal(ctx, err)
		}
	}
	reservation, err := t.reserve(ctx, r.describe, r.promise, r.void)
	if err != nil {
		return none, err
	}
	start := time.Now()
	t.Log.tell("reading")
	d, done, err := open(ctx, r)
	if err != nil {
		return none, refusal(ctx, err)
	}
	value, artefacts, err := draw(ctx, r, d, done)
	if err != nil {
		value = none
	}
	switch {
	case err == nil:
		t.Log.tell("drew a value")
	case errors.Is(err, mechanism.ErrNoHypothesis):
		t.Log.tell("drew none")
	default:
		t.Log.tell("failed: %v", err)
	}
	if ended := t.wait(ctx, start); ended != nil {
		return none, ended
	}
	nothing := errors.Is(err, mechanism.ErrNoHypothesis)
	switch {
	case errors.Is(err, ErrDefect):
		return none, ErrDefect
	case err != nil && !nothing:
		return none, ErrWithheld
	case err == nil && t.Publish != nil:
		if err := t.Publish(ctx, artefacts); err != nil {
			if errors.As(err, new(publish.Partly)) || ctx.Err() != nil {
				return none, err
			}
			return none, Withheld{fmt.Sprintf("nothing was released: %v", err)}
		}
	}
	if reservation != nil {
		// What is published is settled even if the context ends now.
		if err := reservation.Settle(context.WithoutCancel(ctx), digest(artefacts)); err != nil {
			return value, publish.Partly{Reason: fmt.Errorf("released, but the account could not be told, and still has it as reserved: %w", err)}
		}
	}
	if nothing {
		return none, ErrNothing
	}
	return value, nil
}

// open opens the data. What is refused is closed.
func open[D, T any](ctx context.Context, r road[D, T]) (d D, done func(), err error) {
	defer withhold(&err)
	if d, done, err = r.open(ctx); err != nil {
		return d, nil, err
	}
	if done == nil {
		done = func() {}
	}
	admitted := false
	defer func() {
		if !admitted {
			done()
		}
	}()
	err = r.admit(d)
	admitted = err == nil
	return d, done, err
}

// draw draws the value, and closes the data, which the world waits for no longer than for the
// value.
func draw[D, T any](ctx context.Context, r road[D, T], d D, done func()) (value T, artefacts [][]byte, err error) {
	defer withhold(&err)
	defer done()
	return r.draw(ctx, d)
}

// withhold, deferred, has ErrDefect stand for a panic.
func withhold(err *error) {
	if recover() != nil {
		*err = ErrDefect
	}
}

// reserve charges the account, nil where there is none.
func (t Terms) reserve(ctx context.Context, describe func() (json.RawMessage, error), g privacy.Guarantee, void model.Void) (Reservation, error) {
	switch {
	case t.Pad < 0:
		return nil, parameter.Errorf("{pad-to} %v is negative", t.Pad)
	case t.Account == nil:
		return nil, nil
	case void != "":
		return nil, parameter.Errorf("{account} does not go with {insecure-seed}: what promises nothing cannot be charged for")
	}
	description, err := describe()
	if err != nil {
		return nil, err
	}
	return t.Account.Reserve(ctx, description, g)
}

// wait lasts until a multiple of the padding since start, or until the context
// ends.
func (t Terms) wait(ctx context.Context, start time.Time) error {
	if t.Pad > 0 {
		rest := t.Pad - time.Since(start)%t.Pad
		t.Log.tell("padding %v", rest)
		select {
		case <-time.After(rest):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// opensTable opens the table of a schema.
func opensTable(d Data, s *table.Schema) func(context.Context) (*table.Table, func(), error) {
	return func(ctx context.Context) (*table.Table, func(), error) {
		t, err := d.Table(ctx, s)
		return t, nil, err
	}
}

// opensCounts opens data that is asked for counts.
func opensCounts(d Data, s *table.Schema) func(context.Context) (table.Counts, func(), error) {
	return func(ctx context.Context) (table.Counts, func(), error) {
		if of, ok := d.(counted); ok {
			return of.Counts(ctx, s)
		}
		t, err := d.Table(ctx, s)
		return t, nil, err
	}
}

// An Extent tells how large data is, as table.Counts tells it.
type Extent interface {
	Weight() int64
	Rows() int64
	Nulls() int64
}

// admit refuses data that is not what a schema and a relation say. Where the relation makes the
// number of rows public it must be what was stated, 0 for nothing: else the data is refused as an
// ill-formed file is.
func admit(d Extent, s *table.Schema, r privacy.Relation, stated int64, log *Log) error {
	if err := weighs(d, s); err != nil {
		return err
	}
	distinct := ""
	if t, ok := d.(*table.Table); ok {
		distinct = fmt.Sprintf(", as %d distinct records", t.Len())
	}
	log.tell("read %d %s, %.10g of them null%s", d.Rows(), s.Unit(d.Rows()), float64(d.Nulls())/float64(d.Weight()), distinct)
	if r.Replaces() {
		return checkRows(s, stated, d.Rows())
	}
	return nil
}

// checkRows refuses data that has not the number of rows or persons that was stated,
// which is public then; 0 is any.
func checkRows(s *table.Schema, stated, rows int64) error {
	if stated > 0 && rows != stated {
		return parameter.Errorf("{rows} %d: the data has %d %s, null ones included", stated, rows, s.Unit(rows))
	}
	return nil
}

// weighs refuses data whose rows do not weigh what those of the schema do, which releases
// under its relation rest on.
func weighs(d Extent, s *table.Schema) error {
	if d.Weight() != s.Weight() {
		return errors.New("the table does not bound what a person weighs, as the schema's [person] asks for")
	}
	return nil
}

func digest(artefacts [][]byte) (d [sha256.Size]byte) {
	h := sha256.New()
	for _, a := range artefacts {
		h.Write(a)
	}
	h.Sum(d[:0])
	return d
}
