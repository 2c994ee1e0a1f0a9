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

// Data is private data from which a release is computed, before it is opened.
type Data interface {
	// Table reads all rows and groups equal rows into distinct records with counts.
	Table(context.Context, *table.Schema) (*table.Table, error)
	// Records reads the rows one by one, in their order.
	Records(context.Context, *table.Schema, func(source.Row) error) error
	ready
}

// ready is implemented by data that can report, before any row is read, that it cannot be read or cannot answer the
// queries of a release. A release that such an error stops is not charged.
type ready interface {
	Ready(context.Context, *table.Schema, table.Queries) error
}

// A Refused error states that the data was refused, because it is malformed or because a check failed before any of
// it was read.
type Refused struct{ error }

// Unwrap returns the error that states why the data was refused.
func (r Refused) Unwrap() error { return r.error }

// refusal returns err as a Refused error. It returns err unchanged if it is nil or ErrDefect, or if the context has
// ended.
func refusal(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil || errors.Is(err, ErrDefect) {
		return err
	}
	return Refused{err}
}

// counted is implemented by data that can answer queries where it is stored, such as a database. All other data is
// read into a table in memory that answers the queries.
type counted interface {
	// Counts opens the data for the queries of a release. The result done closes it.
	Counts(context.Context, *table.Schema, table.Queries) (c table.Counts, done func(), err error)
}

// texted is implemented by data that can count the occurrences of each text in a column.
type texted interface {
	// Texts reads all rows, and counts the texts of the listed attributes; see source.ReadTexts.
	Texts(ctx context.Context, s *table.Schema, attributes []int) (*source.Texts, error)
}

// From is data that is read from a location: a file, "-" for standard input, or the URL of a database.
type From struct {
	Location string
	source.Options
}

// Table reads all rows of the source as a table of the schema s.
func (f From) Table(ctx context.Context, s *table.Schema) (*table.Table, error) {
	t, err := source.Read(ctx, f.Location, s, f.Options)
	return t, refusal(ctx, err)
}

// Counts opens the source for the queries, and returns an object that answers them. A database answers them itself.
func (f From) Counts(ctx context.Context, s *table.Schema, queries table.Queries) (table.Counts, func(), error) {
	return source.Counts(ctx, f.Location, s, queries, f.Options)
}

// Texts reads all rows, and counts the occurrences of each text in the columns of the listed attributes.
func (f From) Texts(ctx context.Context, s *table.Schema, attributes []int) (*source.Texts, error) {
	return source.ReadTexts(ctx, f.Location, s, attributes, f.Options)
}

// Ready returns an error if the source cannot be read or cannot answer the queries.
func (f From) Ready(ctx context.Context, s *table.Schema, queries table.Queries) error {
	return source.Ready(ctx, f.Location, s, queries, f.Options)
}

// Check reads all rows and returns a report that counts the values outside the schema's domain.
func (f From) Check(ctx context.Context, s *table.Schema) (*source.Report, error) {
	r, err := source.Check(ctx, f.Location, s, f.Options)
	return r, refusal(ctx, err)
}

// Records reads the rows of the source in order, and calls the function row for each row.
func (f From) Records(ctx context.Context, s *table.Schema, row func(source.Row) error) error {
	var own error // the error that row returned
	err := source.Records(ctx, f.Location, s, f.Options, func(r source.Row) error {
		own = row(r)
		return own
	})
	if own != nil {
		return own
	}
	return refusal(ctx, err)
}

// Terms are the parameters that all kinds of releases have in common.
type Terms struct {
	// Account is charged before the data is opened. If it is nil, nothing is charged.
	Account Account

	// Pad delays the release until the time since its start is a multiple of this duration, so that the running time
	// reveals less. 0 adds no delay.
	Pad time.Duration

	// Log receives private diagnostics. Watch receives lines about the progress of the release. Both may be nil.
	Log   *Log
	Watch func(line string)

	// ProfiledElsewhere states that the profiles of the schema (table.Profile) need not be entries of the Account,
	// because the reader of the guarantee adds them.
	ProfiledElsewhere bool

	// Publish publishes all artefacts or none of them. If it is nil, the caller publishes them.
	Publish func(ctx context.Context, artefacts [][]byte) error
}

// An Account is a privacy budget that decides whether a release may consume a part of it.
type Account interface {
	// Reserve charges the account for a release with the guarantee g, or returns in one sentence the reason for
	// refusing the release. If it returns without an error, the charge survives a crash, and the budget counts as
	// consumed whatever happens to the release. The description is the public description of the release, from which
	// Recompute computes the guarantee.
	Reserve(ctx context.Context, description json.RawMessage, g privacy.Guarantee) (Reservation, error)
}

// A Reservation is the charge of a release that has not published its value yet.
type Reservation interface {
	// Settle records the digest of the published value.
	Settle(ctx context.Context, digest [sha256.Size]byte) error
}

// Withheld is an error that occurred after private data was read. Its cause may depend on the data, so its message is
// a fixed sentence.
type Withheld struct{ sentence string }

func (w Withheld) Error() string { return w.sentence }

var (
	// ErrWithheld replaces every error that occurred after private data was read.
	ErrWithheld = Withheld{"nothing was released: the release failed after the data was read, and the cause is not shown, because it may reveal private data (--private-log stores it)"}

	// ErrDefect replaces a panic that occurred during a release.
	ErrDefect = Withheld{"nothing was released: a defect of the program stopped the release; please report the command"}

	// ErrNothing is returned if the mechanism released no hypothesis, which is one of its private outputs.
	ErrNothing = Withheld{"the mechanism released no hypothesis, but the release consumed its ε and δ"}
)

// Kept is a note that is added to the error of a release that failed after it was charged.
const Kept = "the account keeps the charge of this release"

// kept adds the note Kept to the error of a release that was charged. It returns nil, and errors whose text implies
// the note, unchanged.
func kept(err error) error {
	if err == nil || errors.Is(err, ErrNothing) || errors.As(err, new(publish.Partly)) {
		return err
	}
	return fmt.Errorf("%w; %s", err, Kept)
}

// A pipeline holds the functions and parameters of one release, which computes a value of type T from data of type D.
type pipeline[D, T any] struct {
	promise  privacy.Guarantee
	describe func() (json.RawMessage, error)
	void     model.Void

	data    any           // the data, which is not open yet
	schema  *table.Schema // the schema of the data
	queries table.Queries
	// open opens the data; done closes it, and is nil if nothing needs to be closed. Errors of open and of admit are
	// refusals of malformed data.
	open  func(context.Context) (d D, done func(), err error)
	admit func(D) error
	// draw returns the value, and the artefacts to publish. Its errors are only written to the log.
	draw func(context.Context, D) (value T, artefacts [][]byte, err error)
}

// take executes the release r: it charges the account, opens the data, samples the value and publishes it. It is the
// only function that turns private data into a released value.
func take[D, T any](ctx context.Context, t Terms, r pipeline[D, T]) (value T, err error) {
	var none T
	if r.data == nil {
		return none, Refused{errors.New("the data is missing; pass rows, a file or a database")}
	}
	if err := t.Profiled(ctx, r.schema, r.promise); err != nil {
		return none, err
	}
	if d, ok := r.data.(ready); ok {
		if err := d.Ready(ctx, r.schema, r.queries); err != nil {
			return none, refusal(ctx, err)
		}
	}
	reservation, err := t.reserve(ctx, r.describe, r.promise, r.void)
	if err != nil {
		return none, err
	}
	if reservation != nil {
		publish.In(ctx).Charge()
		defer func() { err = kept(err) }()
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
		// The artefacts have been published, so the reservation is settled even if the context has ended.
		if err := reservation.Settle(context.WithoutCancel(ctx), digest(artefacts)); err != nil {
			return value, publish.Partly{Reason: fmt.Errorf("the result was released, but the account could not record this and still lists the release as reserved: %w", err)}
		}
	}
	if nothing {
		return none, ErrNothing
	}
	return value, nil
}

// open opens the data of the release r and checks it. If the data is refused, open closes it again.
func open[D, T any](ctx context.Context, r pipeline[D, T]) (d D, done func(), err error) {
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

// draw samples the value to release, and then closes the data by calling done. It returns only after the data is
// closed, so nothing is published while the data is open.
func draw[D, T any](ctx context.Context, r pipeline[D, T], d D, done func()) (value T, artefacts [][]byte, err error) {
	defer withhold(&err)
	defer done()
	return r.draw(ctx, d)
}

// withhold replaces a panic by the error ErrDefect, because the message of a panic could reveal private data. It must
// be deferred.
func withhold(err *error) {
	if recover() != nil {
		*err = ErrDefect
	}
}

// reserve charges the account for a release, and returns the reservation. Without an account it returns nil.
func (t Terms) reserve(ctx context.Context, describe func() (json.RawMessage, error), g privacy.Guarantee, void model.Void) (Reservation, error) {
	switch {
	case t.Pad < 0:
		return nil, parameter.Errorf("{pad-to} %v must not be negative; give a duration such as 10s, or 0 for no delay", t.Pad)
	case t.Account == nil:
		return nil, nil
	case void != "":
		return nil, parameter.Errorf("{account} and {insecure-seed} cannot be used together, because a release without a guarantee cannot be charged; leave one of them out")
	}
	description, err := describe()
	if err != nil {
		return nil, err
	}
	return t.Account.Reserve(ctx, description, g)
}

// wait waits until the time since start is a multiple of the duration Pad, or until the context ends.
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

// opensTable returns a function that reads the data as a table of the schema.
func opensTable(d Data, s *table.Schema) func(context.Context) (*table.Table, func(), error) {
	return func(ctx context.Context) (*table.Table, func(), error) {
		t, err := d.Table(ctx, s)
		return t, nil, err
	}
}

// opensCounts returns a function that opens the data for the queries of a release.
func opensCounts(d Data, s *table.Schema, queries table.Queries) func(context.Context) (table.Counts, func(), error) {
	return func(ctx context.Context) (table.Counts, func(), error) {
		if of, ok := d.(counted); ok {
			return of.Counts(ctx, s, queries)
		}
		t, err := d.Table(ctx, s)
		return t, nil, err
	}
}

// An Extent reports the size of private data, by the same methods as table.Counts.
type Extent interface {
	Weight() int64
	Rows() int64
	Nulls() int64
}

// admit returns an error if the data does not fit the schema or the neighbour relation. If the relation makes the
// number of rows public, this number must equal the stated one, unless stated is 0. Data with another number of rows
// is refused like a malformed file.
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
		return s.CheckRows(stated, d.Rows())
	}
	return nil
}

// weighs returns an error if the contribution of each person to the data is not bounded as the schema requires. It
// compares the weight of a person in the data with the weight in the schema, because the sensitivity of the release
// depends on this weight.
func weighs(d Extent, s *table.Schema) error {
	if d.Weight() != s.Weight() {
		return errors.New("the table must bound the contribution of each person, as the schema's [person] requires")
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
