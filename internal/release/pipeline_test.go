package release

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A world is a test double for data, account and publisher. It records the order of their calls.
type world struct {
	t      *testing.T
	events []string

	rows   int // the number of rows of the data
	null   int // the index of the null row; 0 is the last
	slow   time.Duration
	data   error // returned when the data is opened
	panics bool  // the data panics while it is read
	absent error // returned if the data does not exist
	lost   error // the error of the source after the data was opened
	broken bool  // the source panics after the data was opened
	open   bool  // the data is a table.Counts that must be closed
	whole  bool  // this Counts is a table
	claim  error // the error of Reserve
	late   error // the error of Settle
	wrong  error // the error of publishing

	description json.RawMessage
	charged     privacy.Guarantee
	settled     [sha256.Size]byte
	published   [][]byte
}

// defect panics on a goroutine that the caller waits for.
func defect() {
	var g parallel.Group
	g.Go(func() { panic("secret") })
	g.Wait()
}

func (w *world) happens(what string) { w.events = append(w.events, what) }

// terms returns terms with the world as account and publisher.
func (w *world) terms() Terms {
	return Terms{Account: w, Publish: func(_ context.Context, artefacts [][]byte) error {
		w.happens("publish")
		w.published = artefacts
		return w.wrong
	}}
}

func (w *world) Reserve(_ context.Context, description json.RawMessage, g privacy.Guarantee) (Reservation, error) {
	w.happens("reserve")
	w.description, w.charged = slices.Clone(description), g
	return w, w.claim
}

func (w *world) Settle(ctx context.Context, digest [sha256.Size]byte) error {
	w.happens("settle")
	w.settled = digest
	return cmp.Or(w.late, ctx.Err())
}

func (w *world) Ready(context.Context, *table.Schema, table.Queries) error { return w.absent }

func (w *world) Records(_ context.Context, s *table.Schema, yield func(source.Row) error) error {
	w.happens("read")
	time.Sleep(w.slow)
	if w.panics {
		defect()
	}
	null := cmp.Or(w.null, w.rows-1)
	r := source.Row{Record: make(table.Record, len(s.Attributes)), Labelled: true}
	for i := range w.rows {
		r.Record[0], r.Outcome, r.Null = uint16(i%s.Attributes[0].Len()), (i+1)%3%s.Outcomes(), i == null
		r.Label = r.Outcome == 1
		if err := yield(r); err != nil {
			return err
		}
	}
	return w.data
}

func (w *world) Table(ctx context.Context, s *table.Schema) (*table.Table, error) {
	b := s.Builder()
	err := w.Records(ctx, s, func(r source.Row) error {
		if r.Null {
			return b.AddNull(1)
		}
		return b.AddOutcome(r.Record, r.Outcome, 1)
	})
	return b.Table(), err
}

// Counts returns the data as a table.Counts, which scans the records.
func (w *world) Counts(ctx context.Context, s *table.Schema, _ table.Queries) (table.Counts, func(), error) {
	t, err := w.Table(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if w.whole {
		return t, nil, nil
	}
	w.open = true
	return remote{tabletest.Scan{Table: t}, w}, func() { w.happens("close") }, nil
}

// A remote is a source whose connection may break.
type remote struct {
	tabletest.Scan
	*world
}

func (r remote) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	if r.broken {
		defect()
	}
	counts, err := r.Scan.Marginals(ctx, of)
	return counts, cmp.Or(r.lost, err)
}

func (r remote) Supports(ctx context.Context, axes []table.Axis, of [][]table.Term) ([]int64, error) {
	if r.broken {
		defect()
	}
	units, err := r.Scan.Supports(ctx, axes, of)
	return units, cmp.Or(r.lost, err)
}

func (r remote) Totals(ctx context.Context, c table.Card) (map[int64][]int64, error) {
	if r.broken {
		defect()
	}
	totals, err := r.Scan.Totals(ctx, c)
	return totals, cmp.Or(r.lost, err)
}

// happened compares the recorded calls and their order. A table.Counts must be closed before any
// other call.
func (w *world) happened(want ...string) {
	w.t.Helper()
	if at := slices.Index(want, "read"); at >= 0 && w.open {
		want = slices.Insert(want, at+1, "close")
	}
	if !slices.Equal(w.events, want) {
		w.t.Errorf("%v happened, want %v", w.events, want)
	}
}

// A told learner returns the given results.
type told struct {
	release func() (any, error)
	promise privacy.Guarantee
}

func (m told) Guarantee() privacy.Guarantee { return m.promise }

func (m told) Release(context.Context, []learn.Example[table.Record], noise.Coins) (any, error) {
	return m.release()
}

// A way is a kind of release, with the number of rows of its world.
type way struct {
	name string
	rows int
	make func(t *testing.T, seed *uint64) attempt
}

type attempt func(context.Context, *world, Terms) error

// gives runs a release and checks that it returns a value or an error but not both.
func gives[T any](t *testing.T, release func(context.Context, Data, Terms) (*T, error)) attempt {
	return func(ctx context.Context, w *world, terms Terms) error {
		value, err := release(ctx, w, terms)
		if (value == nil) == (err == nil) {
			t.Errorf("released %v, error %v", value, err)
		}
		return err
	}
}

// ways lists every kind of release.
func ways() []way {
	naiveBayes := Request{Form: model.Additive{Kind: model.NaiveBayes}}
	return []way{
		{"learn", 10, learns(Request{Form: plain})},
		{"learn with risks", 10, learnsRisks(Request{Form: plain})},
		{"learn a sparse card", 10, learns(Request{Form: model.Sparse{Attributes: 2, Draws: 1, Points: 1, Threshold: 1}})},
		{"learn from counts", 10, learns(naiveBayes)},
		{"learn from counts with risks", 10, learnsRisks(naiveBayes)},
		{"learn three outcomes", 10, func(t *testing.T, seed *uint64) attempt {
			return learns(Request{Schema: graded(t), Form: model.DecisionTree{Depth: 2}})(t, seed)
		}},
		{"series", 20, func(t *testing.T, seed *uint64) attempt {
			p, err := Stream{Request{Schema: parseSchema(t), Form: plain, Epsilon: decimal(t, "1"), Seed: seed}, 2, 10}.Prepare()
			if err != nil {
				t.Fatal(err)
			}
			return func(ctx context.Context, w *world, terms Terms) error {
				models, err := p.Release(ctx, w, terms)
				if err == nil && len(models) != 3 || err != nil && models != nil {
					t.Errorf("models %v, error %v", models, err)
				}
				return err
			}
		}},
		{"estimate", 10, estimates(learned)},
		{"estimate of three outcomes", 10, estimates(learnedOutcomes)},
		{"estimate of a tree", 10, estimates(func(t testing.TB) *model.Model {
			p := prepared(t, Request{Form: model.DecisionTree{Depth: 2}, Epsilon: decimal(t, "1")})
			return p.model(&dectree.Tree{Yes: &dectree.Tree{Outcome: 1}, No: &dectree.Tree{}})
		})},
		{"synthetic", 10, func(t *testing.T, seed *uint64) attempt {
			return gives(t, synthesisOf(t, Synthetic{Rows: 10, Seed: seed}).Release)
		}},
		{"pairs", 10, func(t *testing.T, seed *uint64) attempt {
			return gives(t, pairsOf(t, Pairs{Schema: parseSchema(t), Rows: 10, Seed: seed}).Release)
		}},
	}
}

// learns returns a way that releases a model with ε = 1 on ten rows.
func learns(r Request) func(t *testing.T, seed *uint64) attempt {
	return func(t *testing.T, seed *uint64) attempt {
		r.Epsilon, r.Rows, r.Seed = decimal(t, "1"), 10, seed
		return gives(t, prepared(t, r).Release)
	}
}

// learnsRisks returns a way that releases such a model with risks.
func learnsRisks(r Request) func(t *testing.T, seed *uint64) attempt {
	return func(t *testing.T, seed *uint64) attempt {
		half := decimal(t, "0.5")
		r.Epsilon, r.Risk, r.Rows, r.Seed = decimal(t, "1"), &half, 10, seed
		p := prepared(t, r)
		return gives(t, func(ctx context.Context, from Data, terms Terms) (*model.Model, error) {
			m, err := p.Release(ctx, from, terms)
			if m != nil && m.Risks == nil {
				t.Error("a model without risks")
			}
			return m, err
		})
	}
}

// estimates returns a way that evaluates such a model.
func estimates(of func(testing.TB) *model.Model) func(t *testing.T, seed *uint64) attempt {
	return func(t *testing.T, seed *uint64) attempt {
		p, err := Evaluation{Model: of(t), Epsilon: decimal(t, "1"), Rows: 10, Seed: seed}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		return gives(t, p.Release)
	}
}

// learned returns a model with a guarantee.
func learned(t testing.TB) *model.Model {
	t.Helper()
	p := prepared(t, Request{Form: plain, Epsilon: decimal(t, "1")})
	return p.model(some(p.setting.Space, p.setting.Schema))
}

// Every release reserves its budget before the data is opened, and settles it after publication.
func TestOrder(t *testing.T) {
	for _, r := range ways() {
		w := &world{t: t, rows: r.rows}
		if err := r.make(t, nil)(t.Context(), w, w.terms()); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		w.happened("reserve", "read", "publish", "settle")
		if want := sha256.Sum256(bytes.Join(w.published, nil)); w.settled != want || len(w.published) == 0 {
			t.Errorf("%s: settled with %x, want %x", r.name, w.settled, want)
		}
		g, err := Recompute(w.description)
		if err != nil {
			t.Fatalf("%s: %v\n%s", r.name, err, w.description)
		}
		if got, want := state(t, g), state(t, w.charged); got != want {
			t.Errorf("%s: charged %s, its description gives %s", r.name, want, got)
		}
		if bytes.Contains(w.description, []byte(`"hypothesis"`)) {
			t.Errorf("%s: what an account keeps has a hypothesis: %s", r.name, w.description)
		}
	}
}

// A release that needs marginals only queries table.Counts. This is closed once the value is
// sampled, and also after a refusal, a lost connection or a panic. The cause of a failure remains
// private.
func TestCounted(t *testing.T) {
	counted := []string{"learn from counts", "learn from counts with risks", "estimate", "estimate of a tree", "estimate of three outcomes", "learn a sparse card", "synthetic", "pairs"}
	for _, r := range ways() {
		w := &world{t: t, rows: r.rows}
		if err := r.make(t, nil)(t.Context(), w, w.terms()); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		w.happened("reserve", "read", "publish", "settle")
		if w.open != slices.Contains(counted, r.name) {
			t.Errorf("%s: answered where it lies: %v", r.name, w.open)
		}
		if !w.open {
			continue
		}
		for _, c := range []struct {
			world *world
			want  error
		}{
			{&world{t: t, rows: r.rows, lost: errors.New("the connection is lost")}, ErrWithheld},
			{&world{t: t, rows: r.rows, broken: true}, ErrDefect},
		} {
			if err := r.make(t, nil)(t.Context(), c.world, c.world.terms()); !keeps(err, c.want) {
				t.Errorf("%s: %v, want %v", r.name, err, c.want)
			}
			c.world.happened("reserve", "read")
		}
		w = &world{t: t, rows: r.rows + 1}
		if err := r.make(t, nil)(t.Context(), w, w.terms()); err == nil || errors.As(err, new(Withheld)) {
			t.Errorf("%s: %v", r.name, err)
		}
		w.happened("reserve", "read")
	}
}

// The released value is identical whichever implementation of table.Counts answers: a table or a
// scan of records.
func TestSameWhoeverAnswers(t *testing.T) {
	for _, r := range ways() {
		for seed := range uint64(3) {
			var of [2]*world
			for i := range of {
				of[i] = &world{t: t, rows: r.rows, whole: i == 0}
				terms := of[i].terms()
				terms.Account = nil
				if err := r.make(t, &seed)(t.Context(), of[i], terms); err != nil {
					t.Fatalf("%s: %v", r.name, err)
				}
			}
			if len(of[0].published) == 0 || !slices.EqualFunc(of[0].published, of[1].published, bytes.Equal) {
				t.Errorf("%s: %q is released, and of one record after the other %q", r.name, of[0].published, of[1].published)
			}
		}
	}
}

func state(t *testing.T, g privacy.Guarantee) string {
	t.Helper()
	switch g := g.(type) {
	case privacy.ZCDP:
		return fmt.Sprintf("ρ = %v, %v, %v", g.Rho(), g.Relation(), g.Assumes())
	case privacy.GDP:
		return fmt.Sprintf("μ² = %v, ρ = %v, %v, %v", g.Square(), g.Rho(), g.Relation(), g.Assumes())
	}
	s, err := privacy.State(g)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%T %s %s %v %v", g, s.Epsilon, s.Delta, s.Relation, s.Assumes)
}

// If the account refuses the charge, the data is not read.
func TestNotGranted(t *testing.T) {
	for _, r := range ways() {
		w := &world{t: t, rows: r.rows, claim: errors.New("no budget")}
		if err := r.make(t, nil)(t.Context(), w, w.terms()); !errors.Is(err, w.claim) {
			t.Errorf("%s: %v", r.name, err)
		}
		w.happened("reserve")
	}
}

// A release from a seed has no guarantee, so the account is not charged. Inconsistent terms are
// refused before the data is opened.
func TestRefusedTerms(t *testing.T) {
	seed := uint64(7)
	for _, r := range ways() {
		w := &world{t: t, rows: r.rows}
		if err := r.make(t, &seed)(t.Context(), w, w.terms()); err == nil || !strings.Contains(err.Error(), "--account and --insecure-seed cannot be used together") {
			t.Errorf("%s: %v", r.name, err)
		}
		if err := r.make(t, nil)(t.Context(), w, Terms{Account: w, Pad: -time.Second}); err == nil || !strings.Contains(err.Error(), "--pad-to") {
			t.Errorf("%s: %v", r.name, err)
		}
		w.happened()
	}
}

// Malformed data is refused while it is read: nothing is sampled or published, and the charge
// stays.
func TestIllFormed(t *testing.T) {
	for _, r := range ways() {
		w := &world{t: t, rows: r.rows, data: errors.New("line 3 is ill-formed")}
		if err := r.make(t, nil)(t.Context(), w, w.terms()); !errors.Is(err, w.data) {
			t.Errorf("%s: %v", r.name, err)
		}
		w.happened("reserve", "read")
	}
}

// Under replace-one, the number of rows, null rows included, must equal the stated one.
func TestRows(t *testing.T) {
	for _, r := range ways() {
		for _, by := range []int{-1, 1, 11} {
			w := &world{t: t, rows: r.rows + by}
			err := r.make(t, nil)(t.Context(), w, w.terms())
			if r.name == "series" && by == -1 { // its last batch may be smaller
				if err != nil {
					t.Error(err)
				}
				continue
			}
			if err == nil || !strings.Contains(err.Error(), "rows") || errors.As(err, new(Withheld)) {
				t.Errorf("%s: %d rows: %v", r.name, w.rows, err)
			}
			w.happened("reserve", "read")
		}
	}
	// A series of two batches of ten has more than ten.
	w := &world{t: t, rows: 10}
	series := ways()[slices.IndexFunc(ways(), func(r way) bool { return r.name == "series" })]
	if err := series.make(t, nil)(t.Context(), w, w.terms()); err == nil || !strings.Contains(err.Error(), "the data has 10 rows, but --rounds 2 with --batch 10 requires 11 to 20 rows") {
		t.Error(err)
	}
}

// Under add-remove the number of rows is private: any is accepted, and no message states it.
func TestRowsArePrivate(t *testing.T) {
	for _, rows := range []int{3, 10, 200} {
		w := &world{t: t, rows: rows}
		p := prepared(t, Request{Form: plain, Epsilon: decimal(t, "1"), Relation: privacy.AddRemove, Rows: 10})
		if _, err := p.Release(t.Context(), w, w.terms()); err != nil {
			t.Errorf("%d rows: %v", rows, err)
		}
		m := learned(t)
		m.Guarantee.Relation = privacy.AddRemove
		e, err := Evaluation{Model: m, Epsilon: decimal(t, "1"), Rows: 10}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		counts, err := e.Release(t.Context(), w, w.terms())
		if err != nil || counts.Rows != nil || bytes.Contains(w.published[0], []byte(fmt.Sprintf(`"Rows":%d`, rows))) {
			t.Errorf("%d rows: %v, %s", rows, err, w.published)
		}
	}
}

// A table with more rows than the class can be laid out for is refused.
func TestMostRowsOfData(t *testing.T) {
	for rows, fits := range map[int]bool{10: true, 11: false} {
		p := prepared(t, Request{Form: plain, Epsilon: decimal(t, "1")})
		p.most = 10
		w := &world{t: t, rows: rows}
		_, err := p.Release(t.Context(), w, w.terms())
		if (err == nil) != fits || !fits && !strings.Contains(err.Error(), "than the maximum of 10 for this class") {
			t.Errorf("%d rows: %v", rows, err)
		}
		if !fits {
			w.happened("reserve", "read")
		}
	}
}

// Every failure after the data was read returns the same text and is padded like a success. Only
// the log states the cause.
func TestWithheld(t *testing.T) {
	for _, c := range []struct {
		name    string
		release func() (any, error)
		want    error
		logged  string
		events  []string
	}{
		{"a failure", func() (any, error) { return nil, errors.New("secret") }, ErrWithheld, "failed: secret", []string{"reserve", "read"}},
		{"another", func() (any, error) { return nil, fmt.Errorf("the %w", oracle.ErrFail) }, ErrWithheld, "failed: the", []string{"reserve", "read"}},
		{"an ill-formed value", func() (any, error) { return 7, nil }, ErrWithheld, "failed: ", []string{"reserve", "read"}},
		{"a panic", func() (any, error) { panic("secret") }, ErrDefect, "failed: ", []string{"reserve", "read"}},
		{"nothing", func() (any, error) { return nil, mechanism.ErrNoHypothesis }, ErrNothing, "drew none", []string{"reserve", "read", "settle"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			synctest.Test(t, func(t *testing.T) {
				p := prepared(t, Request{Form: plain, Epsilon: decimal(t, "1")})
				p.made.Learner = told{func() (any, error) { time.Sleep(1300 * time.Millisecond); return c.release() }, p.made.Guarantee()}
				w := &world{t: t, rows: 10}
				terms := w.terms()
				terms.Pad = time.Second
				var err error
				if terms.Log, err = OpenLog(path, &publish.Claims{}); err != nil {
					t.Fatal(err)
				}
				defer terms.Log.Close()
				start := time.Now()
				m, err := p.Release(t.Context(), w, terms)
				nothing := c.want == error(ErrNothing)
				if m != nil || nothing && err != c.want || !nothing && !keeps(err, c.want) {
					t.Errorf("%v, %v", m, err)
				}
				if took := time.Since(start); took != 2*time.Second {
					t.Errorf("it took %v", took)
				}
				w.happened(c.events...)
				if w.settled != [sha256.Size]byte{} && w.settled != sha256.Sum256(nil) {
					t.Errorf("settled with %x, where nothing was published", w.settled)
				}
			})
			if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), c.logged) {
				t.Errorf("%v, the log is %s", err, text)
			}
		})
	}
}

// keeps reports whether err is want with the remark that the ledger keeps the charge.
func keeps(err, want error) bool {
	return errors.Is(err, want) && err.Error() == want.Error()+"; "+Kept
}

// The running time of a release is padded to a multiple of the padding. Publication follows the
// padding.
func TestPadding(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{0: 10, 9 * time.Second: 10, 10 * time.Second: 20, 25 * time.Second: 30} {
		synctest.Test(t, func(t *testing.T) {
			p := prepared(t, Request{Form: plain, Epsilon: decimal(t, "1")})
			card := some(p.setting.Space, p.setting.Schema)
			p.made.Learner = told{func() (any, error) { time.Sleep(took / 2); return card, nil }, p.made.Guarantee()}
			w := &world{t: t, rows: 10, slow: took - took/2}
			start := time.Now()
			terms := Terms{Account: w, Pad: 10 * time.Second, Publish: func(context.Context, [][]byte) error {
				w.happens(time.Since(start).String())
				return nil
			}}
			if _, err := p.Release(t.Context(), w, terms); err != nil {
				t.Fatal(err)
			}
			w.happened("reserve", "read", (want * time.Second).String(), "settle")
		})
	}
}

// If a padded release is interrupted, it returns nothing.
func TestInterrupted(t *testing.T) {
	for _, r := range ways() {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			w := &world{t: t, rows: r.rows}
			terms := w.terms()
			terms.Pad = 10 * time.Second
			release := r.make(t, nil)
			start := time.Now()
			if err := release(ctx, w, terms); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 5*time.Second {
				t.Errorf("%s: %v after %v", r.name, err, time.Since(start))
			}
			w.happened("reserve", "read")
		})
	}
}

// If publishing fails, the release fails; the error says so if a part was published. The charge
// stays in both cases.
func TestNotPublished(t *testing.T) {
	for _, r := range ways() {
		w := &world{t: t, rows: r.rows, wrong: errors.New("the disk is full")}
		err := r.make(t, nil)(t.Context(), w, w.terms())
		if !errors.As(err, new(Withheld)) || err.Error() != "nothing was released: the disk is full; "+Kept {
			t.Errorf("%s: %v", r.name, err)
		}
		w.happened("reserve", "read", "publish")
		w = &world{t: t, rows: r.rows, wrong: publish.Partly{Reason: errors.New("one of two")}}
		if err := r.make(t, nil)(t.Context(), w, w.terms()); !errors.As(err, new(publish.Partly)) {
			t.Errorf("%s: %v", r.name, err)
		}
		w.happened("reserve", "read", "publish")
	}
}

// If settling fails after publication, the value is released nevertheless.
func TestNotSettled(t *testing.T) {
	w := &world{t: t, rows: 10, late: errors.New("the disk is full")}
	m, err := prepared(t, Request{Form: plain, Epsilon: decimal(t, "1")}).Release(t.Context(), w, w.terms())
	if m == nil || !errors.As(err, new(publish.Partly)) || !errors.Is(err, w.late) {
		t.Errorf("%v, %v", m, err)
	}
	w.happened("reserve", "read", "publish", "settle")
}

// A published value is settled even if the context ends during publication.
func TestSettledAfterPublication(t *testing.T) {
	w := &world{t: t, rows: 10}
	ctx, cancel := context.WithCancel(t.Context())
	terms := w.terms()
	terms.Publish = func(context.Context, [][]byte) error {
		cancel()
		return nil
	}
	if _, err := prepared(t, Request{Form: plain, Epsilon: decimal(t, "1")}).Release(ctx, w, terms); err != nil {
		t.Error(err)
	}
	w.happened("reserve", "read", "settle")
}

// If the data does not exist, the account is not charged.
func TestAbsentData(t *testing.T) {
	for _, r := range ways() {
		w := &world{t: t, rows: r.rows, absent: errors.New("no such file")}
		if err := r.make(t, nil)(t.Context(), w, w.terms()); !errors.Is(err, w.absent) {
			t.Errorf("%s: %v", r.name, err)
		}
		w.happened()
	}
}

// The error of a panic while the data is read does not reveal the panic.
func TestPanicOfReader(t *testing.T) {
	for _, r := range ways() {
		w := &world{t: t, rows: r.rows, panics: true}
		if err := r.make(t, nil)(t.Context(), w, w.terms()); !errors.Is(err, ErrDefect) {
			t.Errorf("%s: %v", r.name, err)
		}
		w.happened("reserve", "read")
	}
}

// Without a seed, randomness comes from the operating system. With a seed, it follows from the seed
// and the value has no guarantee, which a table of counts has no field to state.
func TestCoins(t *testing.T) {
	wide := noise.Laplace{Scale: new(big.Rat).SetInt64(1 << 60)}
	if a, b := coins(nil).Draw(wide), coins(nil).Draw(wide); a.Cmp(b) == 0 {
		t.Errorf("without a seed both draws are %v", a)
	}
	seed := uint64(7)
	for _, r := range ways() {
		var texts []string
		for _, s := range []*uint64{&seed, &seed, nil, nil} {
			w := &world{t: t, rows: r.rows}
			terms := w.terms()
			terms.Account = nil
			if err := r.make(t, s)(t.Context(), w, terms); err != nil {
				t.Fatal(err)
			}
			w.happened("read", "publish")
			texts = append(texts, string(bytes.Join(w.published, nil)))
		}
		if texts[0] != texts[1] {
			t.Errorf("%s: one seed gives\n%s\nand\n%s", r.name, texts[0], texts[1])
		}
		marked := strings.Contains(strings.ReplaceAll(texts[0], " ", ""), `"not_private":"insecure-seed"`)
		if r.name == "pairs" {
			head, lines, _ := strings.Cut(texts[0], "\n")
			rows := strings.Count(lines, "\n")
			marked = strings.HasSuffix(head, ",not_private") && rows > 0 && strings.Count(lines, ",insecure-seed\n") == rows
		}
		if !strings.HasPrefix(r.name, "estimate") && (!marked || strings.Contains(texts[2], "not_private")) {
			t.Errorf("%s: with a seed and without there are\n%s\nand\n%s", r.name, texts[0], texts[2])
		}
	}
	for _, seed := range []*uint64{&seed, nil} {
		p := prepared(t, Request{Form: plain, Epsilon: decimal(t, "1"), Seed: seed})
		e, err := Evaluation{Model: learned(t), Epsilon: decimal(t, "1"), Seed: seed}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		s, err := Stream{Request{Schema: parseSchema(t), Form: plain, Epsilon: decimal(t, "1"), Seed: seed}, 2, 10}.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		counts := pairsOf(t, Pairs{Schema: parseSchema(t), Seed: seed})
		rows := synthesisOf(t, Synthetic{Seed: seed})
		for _, g := range []*privacy.Statement{p.Guarantee, e.Guarantee, s.Guarantee, counts.Guarantee, rows.Guarantee} {
			if (g == nil) != (seed != nil) {
				t.Errorf("with the seed %v it promises %+v", seed, g)
			}
		}
		for _, v := range []model.Void{p.Void, e.Void, s.Void, counts.Void, rows.Void} {
			if (v == model.InsecureSeed) != (seed != nil) {
				t.Errorf("with the seed %v it is void by %q", seed, v)
			}
		}
	}
}

// Records calls the function for each row until it fails, and returns the function's own error unchanged.
func TestRecordsInOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(file, []byte("x\na\nb\na\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := tabletest.Schema(t, "[file]\nheader = true\n[[attribute]]\ncolumn = \"x\"\nvalues = [\"a\", \"b\"]\n")
	enough := errors.New("enough")
	for stop, want := range map[int][]uint16{0: {0, 1, 0}, 2: {0, 1}} {
		var got []uint16
		err := From{Location: file}.Records(t.Context(), s, func(r source.Row) error {
			if got = append(got, r.Record[0]); len(got) == stop {
				return enough
			}
			return nil
		})
		if stop == 0 && err != nil || stop > 0 && err != enough || !slices.Equal(got, want) {
			t.Errorf("stopped at row %d: rows %v, %v", stop, got, err)
		}
	}
}
