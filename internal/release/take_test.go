package release

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A course states how each step of a release ends.
type course struct {
	ready, account, open, admit, draw, publish, settle ending
	cancelled                                          string // the step during which the context is cancelled, or ""
}

type ending string

const (
	missing  ending = "missing" // the release has no such step
	well     ending = "well"
	nothing  ending = "nothing" // the value is ⊥
	failing  ending = "failing"
	halfway  ending = "halfway"
	panicked ending = "panicked"
)

// The errors of failing steps. They are private unless they refuse the data.
var (
	errReady, errAccount, errOpen, errAdmit = errors.New("not ready"), errors.New("not granted"), errors.New("not opened"), errors.New("not admitted")
	errDraw, errPublish, errSettle          = errors.New("drawn from 17 records"), errors.New("disk full"), errors.New("account full")
)

// A traced release records its steps in order.
type traced struct {
	course course
	steps  []string
	cancel context.CancelFunc

	unfinished publish.Unfinished
}

// step records a step and returns its planned result.
func (w *traced) step(name string, ends ending, err error) error {
	w.steps = append(w.steps, name)
	if w.course.cancelled == name {
		w.cancel()
	}
	switch ends {
	case failing:
		return err
	case halfway:
		return publish.Partly{Reason: err}
	case nothing:
		return mechanism.ErrNoHypothesis
	case panicked:
		panic("record 17 is odd")
	}
	return nil
}

func (w *traced) Ready(context.Context, *table.Schema, table.Queries) error {
	return w.step("ready", w.course.ready, errReady)
}

func (w *traced) Reserve(context.Context, json.RawMessage, privacy.Guarantee) (Reservation, error) {
	return w, w.step("reserve", w.course.account, errAccount)
}

func (w *traced) Settle(ctx context.Context, digest [sha256.Size]byte) error {
	if digest != sha256.Sum256([]byte("ab")) && w.course.draw == well || ctx.Err() != nil {
		return errors.New("settled with another digest, or in a context that has ended")
	}
	return w.step("settle", w.course.settle, errSettle)
}

// released is the sampled value. It must not be returned with an error.
const released = 5

// run runs the release according to its course, and returns its result and the lines of the log.
func (w *traced) run(t *testing.T, log *Log, pad int64) (value int, err error) {
	ctx, cancel := context.WithCancel(publish.With(context.Background(), &w.unfinished))
	defer cancel()
	w.cancel = cancel
	r := pipeline[string, int]{
		describe: func() (json.RawMessage, error) { return nil, nil },
		open: func(context.Context) (string, func(), error) {
			err := w.step("open", w.course.open, errOpen)
			if w.course.open == nothing { // there is nothing to close
				return "data", nil, nil
			}
			return "data", func() { w.steps = append(w.steps, "done") }, err
		},
		admit: func(d string) error { return w.step("admit "+d, w.course.admit, errAdmit) },
		draw: func(_ context.Context, d string) (int, [][]byte, error) {
			err := w.step("draw "+d, w.course.draw, errDraw)
			return released, [][]byte{[]byte("a"), []byte("b")}, err
		},
	}
	r.data = "data that is opened without a check"
	if w.course.ready != missing {
		r.data = w
	}
	terms := Terms{Log: log, Pad: 0}
	if pad > 0 {
		terms.Pad = 1
	}
	if w.course.account != missing {
		terms.Account = w
	}
	if w.course.publish != missing {
		terms.Publish = func(_ context.Context, artefacts [][]byte) error {
			return w.step(fmt.Sprintf("publish %s", artefacts), w.course.publish, errPublish)
		}
	}
	return take(ctx, terms, r)
}

// due returns the expected result of a course: its steps, value, error and lines of the log.
func (c course) due() (steps []string, value int, log []string, err error) {
	step := func(name string) { steps = append(steps, name) }
	if c.ready != missing {
		if step("ready"); c.ready == failing {
			return steps, 0, nil, errReady
		}
	}
	if c.account != missing {
		if step("reserve"); c.account == failing {
			return steps, 0, nil, errAccount
		}
	}
	log = []string{"reading"}
	switch step("open"); c.open {
	case failing:
		return steps, 0, log, errOpen
	case panicked:
		return steps, 0, log, ErrDefect
	}
	closed := func() {
		if c.open == well {
			step("done")
		}
	}
	switch step("admit data"); c.admit {
	case failing:
		closed()
		return steps, 0, log, errAdmit
	case panicked:
		closed()
		return steps, 0, log, ErrDefect
	}
	step("draw data")
	closed()
	log = append(log, map[ending]string{well: "drew a value", nothing: "drew none", failing: "failed: " + errDraw.Error(), panicked: "failed: " + ErrDefect.Error()}[c.draw])
	switch {
	case c.cancelled == "draw data":
		return steps, 0, log, context.Canceled
	case c.draw == panicked:
		return steps, 0, log, ErrDefect
	case c.draw == failing:
		return steps, 0, log, ErrWithheld
	}
	if c.draw == well && c.publish != missing {
		switch step("publish [a b]"); {
		case c.publish == halfway:
			return steps, 0, log, publish.Partly{Reason: errPublish}
		case c.publish == failing && c.cancelled == "publish [a b]":
			return steps, 0, log, errPublish
		case c.publish == failing:
			return steps, 0, log, Withheld{"nothing was released: disk full"}
		}
	}
	if c.draw == well {
		value = released
	}
	if c.account != missing {
		if step("settle"); c.settle == failing {
			return steps, value, log, publish.Partly{Reason: errSettle}
		}
	}
	if c.draw == nothing {
		return steps, 0, log, ErrNothing
	}
	return steps, value, log, nil
}

// However the steps end, they occur in the required order, and opened data is closed exactly once. After a failure,
// nothing is published or settled. A value that was not published and the cause of a failure stay private, and the
// log records the result.
func TestEveryCourse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := OpenLog(path, new(publish.Claims))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	stamp := regexp.MustCompile(`(?m)^\S+ \+[0-9.]+s `)
	courses := 0
	for _, c := range allCourses() {
		courses++
		w := &traced{course: c}
		value, err := w.run(t, log, int64(courses%2))
		text, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err := log.file.Truncate(0); err != nil {
			t.Fatal(err)
		}
		steps, want, lines, fails := c.due()
		var told []string
		for _, line := range strings.Split(strings.TrimSpace(stamp.ReplaceAllString(string(text), "")), "\n") {
			if pads := strings.HasPrefix(line, "padding "); pads && courses%2 == 0 {
				t.Errorf("%+v: %s", c, line)
			} else if line != "" && !pads {
				told = append(told, line)
			}
		}
		if padded := strings.Contains(string(text), "padding "); padded != (courses%2 == 1 && len(lines) > 1) {
			t.Errorf("%+v: padded %v", c, padded)
		}
		if !slices.Equal(w.steps, steps) || value != want || !slices.Equal(told, lines) {
			t.Errorf("%+v: steps %q, not %q; value %d, not %d; log %q, not %q", c, w.steps, steps, value, want, told, lines)
		}
		if charged := c.account == well && slices.Contains(steps, "open"); w.unfinished.Charged() != charged {
			t.Errorf("%+v: the program knows of a charge: %v", c, !charged)
		}
		// A charged release that fails states that the ledger keeps the charge.
		if c.account == well && slices.Contains(steps, "open") && fails != nil && fails != error(ErrNothing) && !errors.As(fails, new(publish.Partly)) {
			if err == nil || err.Error() != errors.Unwrap(err).Error()+"; "+Kept {
				t.Fatalf("%+v: error %v", c, err)
			}
			err = errors.Unwrap(err)
		}
		same := err == fails || fails != nil && err == error(Refused{fails})
		notReady := c.ready == failing || c.account != failing && (c.open == failing || c.admit == failing)
		if slices.Contains(w.steps, c.cancelled) && (c.ready == failing || c.open == failing) { // the context was cancelled, whatever the data returned
			notReady = false
		}
		if notReady != errors.As(err, new(Refused)) {
			t.Errorf("%+v: %v is a refusal of the data: %v", c, err, !notReady)
		}
		if partly := new(publish.Partly); errors.As(fails, partly) {
			same = errors.As(err, partly) && errors.Is(err, partly.Reason)
			same = same && (errors.Is(err, errSettle) == errors.Is(fails, errSettle)) && errors.Is(err, errPublish) == errors.Is(fails, errPublish)
		}
		if !same {
			t.Errorf("%+v: error %v, not %v", c, err, fails)
		}
	}
	if courses < 500 {
		t.Errorf("only %d courses", courses)
	}
}

// allCourses lists all combinations of results of the seven steps.
func allCourses() (all []course) {
	for _, ready := range []ending{missing, well, failing} {
		for _, account := range []ending{missing, well, failing} {
			for _, open := range []ending{well, nothing, failing, panicked} {
				for _, admit := range []ending{well, failing, panicked} {
					if open == failing || open == panicked || ready == failing || account == failing {
						if admit == well {
							for _, cancelled := range []string{"", "ready", "open"} {
								all = append(all, course{ready: ready, account: account, open: open, admit: admit, cancelled: cancelled})
							}
						}
						continue
					}
					if admit != well {
						all = append(all, course{ready: ready, account: account, open: open, admit: admit})
						continue
					}
					for _, draw := range []ending{well, nothing, failing, panicked} {
						for _, publish := range []ending{missing, well, failing, halfway} {
							for _, settle := range []ending{well, failing} {
								for _, cancelled := range []string{"", "draw data", "publish [a b]"} {
									all = append(all, course{ready, account, open, admit, draw, publish, settle, cancelled})
								}
							}
						}
					}
				}
			}
		}
	}
	return all
}

// Invalid terms are refused before any step.
func TestRefusedBeforeAnything(t *testing.T) {
	w := &traced{course: course{account: well}}
	terms := Terms{Pad: -1, Account: w}
	r := pipeline[string, int]{data: "data that is opened without a check", void: "insecure-seed"}
	for pad, parameter := range map[time.Duration]string{-1: "pad-to", 0: "account"} {
		terms.Pad = pad
		if _, err := take(context.Background(), terms, r); err == nil || !strings.Contains(err.Error(), parameter) || len(w.steps) != 0 {
			t.Errorf("a padding of %d ns: %v, after %v", pad, err, w.steps)
		}
	}
	terms.Pad = 0
	if _, err := take(context.Background(), terms, pipeline[string, int]{}); !errors.As(err, new(Refused)) || len(w.steps) != 0 {
		t.Errorf("no data: %v, after %v", err, w.steps)
	}
}

// extentOf is data of a given size.
type extentOf struct{ weight, rows, nulls int64 }

func (s extentOf) Weight() int64 { return s.weight }
func (s extentOf) Rows() int64   { return s.rows }
func (s extentOf) Nulls() int64  { return s.nulls }

// Data is admitted if a row has the schema's weight and, under replace-one, if the number of rows
// is the stated one.
func TestAdmitted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log, err := OpenLog(path, new(publish.Claims))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	s := parseSchema(t)
	for _, c := range []struct {
		data   extentOf
		r      privacy.Relation
		stated int64
		taken  bool
	}{
		{extentOf{1, 7, 2}, privacy.ReplaceOne, 0, true}, {extentOf{1, 7, 2}, privacy.ReplaceOne, 7, true}, {extentOf{1, 7, 2}, privacy.ReplaceOne, 6, false},
		{extentOf{1, 7, 2}, privacy.ReplaceOne, 1, false}, {extentOf{1, 7, 2}, privacy.AddRemove, 6, true}, {extentOf{2, 7, 2}, privacy.AddRemove, 0, false},
		{extentOf{0, 7, 2}, privacy.ReplaceOne, 7, false}, {extentOf{1, 0, 0}, privacy.ReplaceOne, 1, false},
	} {
		if err := admit(c.data, s, c.r, c.stated, log); (err == nil) != c.taken {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := admit(extentOf{1, 1, 0}, s, privacy.ReplaceOne, 6, log); err == nil || err.Error() != "--rows is 6, but the data has 1 row, including those with values outside the schema; state that number" {
		t.Error(err)
	}
	d := table.NewBuilder(s.Sizes()).Table()
	if err := admit(d, s, privacy.AddRemove, 0, log); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "read 7 rows, 2 of them null\n") || !strings.Contains(string(text), "read 0 rows, 0 of them null, as 0 distinct records\n") {
		t.Errorf("the log has %q, %v", text, err)
	}
}

// answering is data that provides table.Counts.
type answering struct {
	*world
	counts table.Counts
}

func (a answering) Counts(context.Context, *table.Schema, table.Queries) (table.Counts, func(), error) {
	return a.counts, func() {}, nil
}

// A release queries the Counts of data that provides them, and otherwise reads the table.
func TestWhoIsAsked(t *testing.T) {
	s := parseSchema(t)
	own := table.NewBuilder(s.Sizes()).Table()
	counts, done, err := opensCounts(answering{nil, own}, s, table.Queries{})(context.Background())
	if err != nil || counts != table.Counts(own) || done == nil {
		t.Errorf("%v, %v", counts, err)
	}
	if counts, done, err = opensCounts(readable{own}, s, table.Queries{})(context.Background()); err != nil || counts != table.Counts(own) || done != nil {
		t.Errorf("%v, %v", counts, err)
	}
}

// readable is data that only provides a table.
type readable struct{ table *table.Table }

func (d readable) Table(context.Context, *table.Schema) (*table.Table, error) { return d.table, nil }

func (d readable) Records(context.Context, *table.Schema, func(source.Row) error) error { return nil }

func (d readable) Ready(context.Context, *table.Schema, table.Queries) error { return nil }
