package parts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism/mechanismtest"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A ledger is an account that records all calls.
type ledger struct{ events []string }

func (l *ledger) Reserve(context.Context, json.RawMessage, privacy.Guarantee) (release.Reservation, error) {
	l.events = append(l.events, "reserve")
	return l, nil
}

func (l *ledger) Settle(context.Context, [sha256.Size]byte) error {
	l.events = append(l.events, "settle")
	return nil
}

func (l *ledger) terms() release.Terms {
	return release.Terms{Account: l, Publish: func(context.Context, [][]byte) error {
		l.events = append(l.events, "publish")
		return nil
	}}
}

// known is a data source over a table in memory.
type known struct{ all *table.Table }

func (k known) Table(context.Context, *table.Schema) (*table.Table, error) { return k.all, nil }

func (known) Ready(context.Context, *table.Schema, table.Queries) error { return nil }

func (known) Records(context.Context, *table.Schema, func(source.Row) error) error {
	return errors.New("not in their order")
}

// random generates a table with the given number of rows, some of them null.
func random(t *testing.T, s *table.Schema, rows int) known {
	t.Helper()
	coins, b := rand.New(rand.NewPCG(1, 2)), s.Builder()
	for range rows {
		r := make(table.Record, len(s.Attributes))
		for j, size := range s.Sizes() {
			r[j] = uint16(coins.IntN(size))
		}
		err := b.Add(r, coins.IntN(4) < int(1+r[0]), 1)
		if coins.IntN(10) == 0 {
			err = errors.Join(err, b.AddNull(1))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return known{b.Table()}
}

// partsRequest returns a request for prsma over the given number of rows.
func partsRequest(t *testing.T, s *table.Schema, rows int64, seed uint64) release.Request {
	t.Helper()
	zero := privacytest.Decimal(t, "0")
	return release.Request{
		Schema: s, Form: mechanismtest.Plain, Mechanism: &mechanisms.PRSMA{Perturbing: mechanisms.Perturbing{Oracle: "search"}, Noise: "cube", Calls: 600, Nodes: 1_000_000},
		Epsilon: privacytest.Decimal(t, "2"), Delta: privacytest.Decimal(t, "0.01"), Risk: &zero, Rows: rows, Seed: &seed,
	}
}

// by returns a function that executes the steps of a task on the table of. It passes the task through JSON,
// executes each step twice, and processes groups and parts in reverse order, as restarted workers may do.
func by(t *testing.T, of *table.Table) func(context.Context, Task) (*Solved, error) {
	return func(ctx context.Context, task Task) (*Solved, error) {
		text, err := json.Marshal(task)
		if err != nil {
			return nil, err
		}
		var again Task
		if err := json.Unmarshal(text, &again); err != nil {
			return nil, err
		}
		w, err := again.Solver()
		if err != nil {
			return nil, err
		}
		out := &Solved{Rows: of.Rows(), Nulls: of.Nulls()}
		if of.Rows() != w.Rows() {
			return out, nil
		}
		groups, totals := make([]*table.Builder, w.Groups()), make([]int64, w.Groups())
		for g := range groups {
			groups[g] = w.Schema.Builder()
		}
		for i := range of.Len() {
			r := of.Record(i, nil)
			g := w.Group(r, of.Outcome(i))
			totals[g] += of.Count(i)
			if err := groups[g].AddOutcome(r, of.Outcome(i), of.Count(i)); err != nil {
				return nil, err
			}
		}
		if slices.Contains(totals, 0) {
			t.Error("a group has no rows")
		}
		for range 2 {
			sizes, err := w.PartSizes(totals)
			if err != nil {
				return nil, err
			}
			parts := make([]*table.Builder, w.Parts())
			for i := range parts {
				parts[i] = w.Schema.Builder()
			}
			for g := len(groups) - 1; g >= 0; g-- {
				for i, assigned := range w.AssignRows(g, groups[g].Table(), sizes[g])[:w.Parts()] {
					for _, e := range assigned {
						if err := parts[i].Add(e.X, e.Label, e.Count); err != nil {
							return nil, err
						}
					}
				}
			}
			out.Tried, out.Passed = w.Parts(), map[int]json.RawMessage{}
			for i := len(parts) - 1; i >= 0; i-- {
				answer, passed, err := w.Solve(ctx, i, parts[i].Table())
				if err != nil {
					return nil, err
				}
				if passed {
					out.Passed[i] = answer
				}
			}
		}
		return out, nil
	}
}

// TestReleaseParts checks that Release returns byte for byte the same model as release.Prepared.Release for the
// same coins, and ⊥ in the same cases.
func TestReleaseParts(t *testing.T) {
	s := mechanismtest.Towns(t)
	of := random(t, s, 18_000)
	ctx := context.Background()
	models, refusals := map[string]bool{}, 0
	seeds := heavy.Pick[uint64](3, 4)
	for seed := range seeds {
		r := partsRequest(t, s, of.all.Rows(), seed)
		if seed == seeds-1 {
			r.Mechanism.(*mechanisms.PRSMA).Nodes = 2 // too few
		}
		p, err := r.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := p.Release(ctx, of, release.Terms{})
		got, err := Release(ctx, p, release.Terms{}, by(t, of.all))
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err != nil && !errors.Is(err, release.ErrNothing) {
			t.Fatalf("seed %d: error %v; want %v", seed, err, wantErr)
		}
		if err != nil {
			refusals++
			continue
		}
		a, err := got.Text()
		if err != nil {
			t.Fatal(err)
		}
		b, err := want.Text()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("seed %d: the models differ: %s, and %s", seed, a, b)
		}
		models[string(b)] = true
	}
	if len(models) < 2 || refusals < 1 {
		t.Errorf("only %d models and %d refusals occurred, so the test checks too little", len(models), refusals)
	}
}

// TestReleasePartsRefuses checks that impossible requests charge nothing to the ledger. It also checks that a
// failure after the data was opened keeps the charge, and that its reason is written only to the private log.
func TestReleasePartsRefuses(t *testing.T) {
	s := mechanismtest.Towns(t)
	of := random(t, s, 1000)
	ctx := context.Background()
	solved := func(err error) func(context.Context, Task) (*Solved, error) {
		return func(context.Context, Task) (*Solved, error) { return nil, err }
	}
	ending, cancel := context.WithCancel(ctx)
	defer cancel()
	for name, c := range map[string]struct {
		change func(*release.Request)
		solve  func(context.Context, Task) (*Solved, error)
		ctx    context.Context
		want   string
		events []string
	}{
		"another mechanism": {func(r *release.Request) { r.Mechanism, r.Delta = nil, privacy.Decimal{} }, nil, ctx, "workers support only the mechanism prsma; set --mechanism prsma", nil},
		"risks":             {func(r *release.Request) { r.Risk = nil }, nil, ctx, "--risk must be 0: risks need the counts of the whole table, but the parts of the table are processed separately", nil},
		"other rows":        {func(r *release.Request) { r.Rows++ }, by(t, of.all), ctx, fmt.Sprintf("--rows is %d, but the data has %d rows, including those with values outside the schema; state that number", of.all.Rows()+1, of.all.Rows()), []string{"reserve"}},
		"ill-formed":        {nil, solved(fmt.Errorf("by Beam: %w", release.Refusal{Sentence: "d.csv:3: wrong"})), ctx, "by Beam: d.csv:3: wrong", []string{"reserve"}},
		"a worker's word":   {nil, solved(errors.New("secret")), ctx, "nothing was released: not all parts were solved after the data was opened, and the cause is not shown, because it may reveal private data (--private-log stores it)", []string{"reserve"}},
		"a panic":           {nil, func(context.Context, Task) (*Solved, error) { panic("secret") }, ctx, release.ErrDefect.Error(), []string{"reserve"}},
		"interrupted": {nil, func(context.Context, Task) (*Solved, error) {
			cancel()
			return nil, errors.New("secret")
		}, ending, context.Canceled.Error(), []string{"reserve"}},
		"no answers": {nil, func(context.Context, Task) (*Solved, error) {
			return &Solved{Rows: of.all.Rows()}, nil
		}, ctx, "nothing was released: the release failed after the data was read, and the cause is not shown, because it may reveal private data (--private-log stores it)", []string{"reserve"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := partsRequest(t, s, of.all.Rows(), 1)
			r.Seed = nil
			if c.change != nil {
				c.change(&r)
			}
			p, err := r.Prepare()
			if err != nil {
				t.Fatal(err)
			}
			w := &ledger{}
			want := c.want
			if len(c.events) > 0 {
				want += "; " + release.Kept
			}
			if _, err := Release(c.ctx, p, w.terms(), c.solve); fmt.Sprint(err) != want {
				t.Errorf("%v, not %s", err, want)
			}
			if !slices.Equal(w.events, c.events) {
				t.Errorf("events %v; want %v", w.events, c.events)
			}
		})
	}
	if _, err := (Task{}).Solver(); err == nil {
		t.Error("an empty task was accepted")
	}
}
