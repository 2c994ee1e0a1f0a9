package sibyl

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"modernc.org/sqlite"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/release"
	_ "github.com/sibyl-dp/sibyl/parquet"
	"github.com/sibyl-dp/sibyl/privacy"
)

// An unknown driver is one of which only the standard interface is known.
type unknown struct{ driver.Driver }

func init() { sql.Register("sibyl-unknown", unknown{&sqlite.Driver{}}) }

// world holds valid and invalid data sources.
type world struct {
	directory   string
	known, rare *sql.DB // the same database, by a driver that is known and one that is not
	files       fstest.MapFS
}

const (
	goodRows  = "a,b,late\n" + "no,x,0\nyes,z,1\n"
	wrongRows = "a,c,late\n" + "no,x,0\nyes,z,1\n"
)

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{directory: t.TempDir(), files: fstest.MapFS{}}
	for name, text := range map[string]string{
		"good.csv": goodRows, "wrong.csv": wrongRows, "empty.csv": "", "bad.parquet": "PAR1", "sheet.xlsx": "PK\x03\x04",
		"twice.csv": "a,b,late,a\nno,x,0,no\n", "utf16.csv": "\xff\xfea\x00",
	} {
		w.files[name] = &fstest.MapFile{Data: []byte(text)}
		if err := os.WriteFile(w.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.files["folder/x"] = &fstest.MapFile{}
	var err error
	if w.known, err = sql.Open("sqlite", w.path("data.db")); err != nil {
		t.Fatal(err)
	}
	if w.rare, err = sql.Open("sibyl-unknown", w.path("data.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { errors.Join(w.known.Close(), w.rare.Close()) })
	if _, err := w.known.Exec("CREATE TABLE people (a TEXT, b TEXT, late INTEGER); INSERT INTO people VALUES ('no', 'x', 0), ('yes', 'z', 1)"); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.directory, name) }

type answer struct {
	A    string `sibyl:"a"`
	B    string `sibyl:"b"`
	Late int    `sibyl:"late"`
}

// good returns valid sources, each with the same two rows.
func (w *world) good() map[string]Data {
	return map[string]Data{
		"file": File(w.path("good.csv")), "file system": FileIn(w.files, "good.csv"),
		"query": Query(w.known, "SELECT * FROM people"), "query by an unknown driver": Query(w.rare, "SELECT * FROM people"),
		"URL":   Database("sqlite://"+w.path("data.db"), "SELECT * FROM people"),
		"slice": Slice([]answer{{"no", "x", 0}, {"yes", "z", 1}}),
		"rows":  Rows([]string{"a", "b", "late"}, slices.Values([][]string{{"no", "x", "0"}, {"yes", "z", "1"}})),
		"codes": Coded(func(yield func([]uint16, int) bool) { _ = yield([]uint16{0, 0}, 0) && yield([]uint16{1, 2}, 1) }),
	}
}

// bad returns sources with a mistake that is detected before a row is read.
func (w *world) bad() map[string]Data {
	bad := map[string]Data{
		"zero": {}, "nil database": Query(nil, "SELECT 1"), "nil file system": FileIn(nil, "good.csv"), "nil rows": Rows([]string{"a", "b", "late"}, nil),
		"nil codes": Coded(nil), "no structs": Slice([]int{1}), "maps": Slice([]struct{ A map[string]int }{}),
		"two columns": Slice([]struct {
			A int `sibyl:"b"`
			B int `sibyl:"b"`
		}{}),
		"other structs": Slice([]struct{ A, B, C string }{}), "pointers": Slice([]*answer{nil}),
		"header": Rows([]string{"a", "c", "late"}, slices.Values([][]string{{"no", "x", "0"}})),
		"twice":  Rows([]string{"a", "b", "late", "a"}, slices.Values([][]string{{"no", "x", "0", "no"}})),
		"no URL": Database("postgres://", ""), "no query": Database("sqlite://"+w.path("data.db"), ""),
		"no database": Database("sqlite://"+w.path("none.db"), "SELECT * FROM people"),
		"URL's table": Database("sqlite://"+w.path("data.db"), "SELECT * FROM none"),
	}
	for name, db := range map[string]*sql.DB{"known": w.known, "unknown": w.rare} {
		for mistake, query := range map[string]string{
			"no query": " ", "no table": "SELECT * FROM none", "no column": "SELECT a, late FROM people", "syntax": "SELECT (",
			"two queries": "SELECT * FROM people; DROP TABLE people", "no SELECT": "DELETE FROM people",
		} {
			bad[name+" driver, "+mistake] = Query(db, query)
		}
	}
	closed, err := sql.Open("sqlite", w.path("data.db"))
	if err != nil || closed.Close() != nil {
		panic(err)
	}
	bad["closed database"] = Query(closed, "SELECT * FROM people")
	for _, name := range []string{"none.csv", "wrong.csv", "empty.csv", "bad.parquet", "sheet.xlsx", "twice.csv", "utf16.csv", "", "none.parquet"} {
		bad["file "+name], bad["file system "+name] = File(w.path(name)), FileIn(w.files, name)
	}
	bad["file system folder"] = FileIn(w.files, "folder")
	return bad
}

// An entryPoint is a function that releases a value.
type entry struct {
	what   string
	budget Settings
	call   func(context.Context, Data, *Schema, Settings) error
}

func entries(t *testing.T, s *Schema) []entry {
	t.Helper()
	m, err := Learn(t.Context(), Slice([]answer{{"no", "x", 0}}), s, Scorecard{}, Settings{Epsilon: "1"})
	if err != nil {
		t.Fatal(err)
	}
	pure, gaussian := Settings{Epsilon: "0.1"}, Settings{Epsilon: "0.1", Delta: "1e-9"}
	return []entry{
		{"learn", pure, func(ctx context.Context, d Data, s *Schema, set Settings) error {
			_, err := Learn(ctx, d, s, Conjunction{}, set)
			return err
		}},
		{"learn by counts", pure, func(ctx context.Context, d Data, s *Schema, set Settings) error {
			_, err := Learn(ctx, d, s, NaiveBayes{}, set)
			return err
		}},
		{"evaluate", pure, func(ctx context.Context, d Data, s *Schema, set Settings) error {
			if s == nil {
				_, err := Evaluate(ctx, nil, d, set)
				return err
			}
			_, err := Evaluate(ctx, m, d, set)
			return err
		}},
		{"synthesize", gaussian, func(ctx context.Context, d Data, s *Schema, set Settings) error {
			_, err := Synthesize(ctx, d, s, Synthesis{}, set)
			return err
		}},
		{"pairs", gaussian, func(ctx context.Context, d Data, s *Schema, set Settings) error {
			if s == nil {
				s = &Schema{}
			}
			if err := set.refuseLearning("counts of pairs"); err != nil {
				return parameterError("schema", err)
			}
			r := release.Pairs{Schema: s.schema, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed}
			var err error
			if r.Epsilon, r.Delta, err = set.budget(); err != nil {
				return parameterError("schema", err)
			}
			p, err := r.Prepare()
			if err != nil {
				return parameterError("schema", err)
			}
			_, err = p.Release(ctx, d.data, set.terms())
			return releaseError(err)
		}},
	}
}

// ledger returns an account whose budget exceeds the sum of all releases of a test, and a function
// that counts its charges.
func ledger(t *testing.T, delta string) (a *account.Account, entries func() int) {
	t.Helper()
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "account")
	terms, err := account.NewTerms("1000", delta, "answers")
	if err != nil {
		t.Fatal(err)
	}
	if err := account.Create(ctx, path, terms); err != nil {
		t.Fatal(err)
	}
	if a, err = account.Open(ctx, path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a, func() int {
		s, err := a.Statement(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(s.Entries)
	}
}

// A mistake in a public input (a source, a setting, a class) charges nothing, whichever function
// makes the release. A correct release is charged once.
func TestMistakesAreFree(t *testing.T) {
	s, w := answers(t), newWorld(t)
	account, charged := ledger(t, "1e-6")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	free := func(what string, err error, data bool) {
		t.Helper()
		if n := charged(); n != 0 {
			t.Fatalf("%s: charged %d times", what, n)
		}
		_, parameter := errors.AsType[*ParameterError](err)
		_, source := errors.AsType[*DataError](err)
		if err == nil || source != data || parameter == data {
			t.Errorf("%s: a ParameterError %v, a DataError %v: %v", what, parameter, source, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n") || err != nil && strings.Contains(err.Error(), "--") {
			t.Errorf("%s: %v", what, err)
		}
	}
	all := entries(t, s)
	for _, e := range all {
		set := e.budget
		set.Account = account
		for name, d := range w.bad() {
			free(e.what+", "+name, e.call(t.Context(), d, s, set), true)
		}
		if err := e.call(ended, w.good()["slice"], s, set); !errors.Is(err, context.Canceled) || charged() != 0 {
			t.Errorf("%s in a context that ended: %v", e.what, err)
		}
		for name, spoil := range mistakes(e.budget.Delta != "") {
			bad := set
			spoil(&bad)
			free(e.what+", "+name, e.call(t.Context(), w.good()["slice"], s, bad), false)
		}
		free(e.what+", no schema or model", e.call(t.Context(), w.good()["slice"], nil, set), false)
	}
	for name, c := range map[string]Class{
		"nil": nil, "points": Scorecard{Points: Points{3, 1}}, "attributes": Scorecard{Attributes: 9}, "rising": Scorecard{Rising: []string{"q"}},
		"norm": Scorecard{Norm: 1, Penalty: 1}, "rules": DecisionList{Rules: -7}, "literals": DecisionList{Literals: 3}, "depth": Tree{Depth: -1},
		"deep": Tree{Depth: 99}, "scale": NaiveBayes{Scale: -1}, "union": Union{}, "nil in a union": Union{Classes: []Class{nil}},
		"union in a union": Union{Classes: []Class{Union{Classes: []Class{Scorecard{}}}}}, "Bayes in a union": Union{Classes: []Class{NaiveBayes{}}},
		"Chosen in a union": Union{Classes: []Class{Chosen{}}}, "draws": Sparse{Draws: -1}, "distance": Scorecard{Distance: 2}, "least squares": LeastSquares{},
		"no rows": CardOrTree{},
	} {
		set := Settings{Epsilon: "1", Account: account}
		_, err := Learn(t.Context(), w.good()["slice"], s, c, set)
		free("class, "+name, err, false)
	}
	for name, of := range map[string]Synthesis{"target": {Target: "q"}, "pair": {Pairs: [][2]string{{"a", "q"}}}, "same": {Pairs: [][2]string{{"a", "a"}}}} {
		_, err := Synthesize(t.Context(), w.good()["slice"], s, of, Settings{Epsilon: "1", Delta: "1e-9", Account: account})
		free("synthesis, "+name, err, false)
	}
	_, _, err := LearnOwn(t.Context(), nil, class.Class[int, bool](nil), Settings{Epsilon: "1", Account: account})
	free("no class", err, false)

	n := 0
	for name, d := range w.good() {
		for _, e := range all {
			set := e.budget
			set.Account, set.Rows = account, 2
			if err := e.call(t.Context(), d, s, set); err != nil {
				t.Errorf("%s, %s: %v", e.what, name, err)
			}
			if n++; charged() != n {
				t.Errorf("%s, %s: charged %d times, not %d", e.what, name, charged(), n)
			}
		}
	}
}

// mistakes returns functions that make valid settings invalid, by the name of the mistake. The
// settings are for a mechanism with or without δ.
func mistakes(gaussian bool) map[string]func(*Settings) {
	all := map[string]func(*Settings){
		"no ε": func(s *Settings) { s.Epsilon = "" }, "ε of 0": func(s *Settings) { s.Epsilon = "0" }, "a huge ε": func(s *Settings) { s.Epsilon = "1e9" },
		"ε in words": func(s *Settings) { s.Epsilon = "one" }, "δ of 1": func(s *Settings) { s.Delta = "1" }, "δ in words": func(s *Settings) { s.Delta = "x" },
		"rows": func(s *Settings) { s.Rows = -1 }, "relation": func(s *Settings) { s.Relation = 99 }, "persons": func(s *Settings) { s.Relation = AddRemove.OfPersons(3) },
		"padding": func(s *Settings) { s.PadTo = -time.Second }, "seed": func(s *Settings) { s.InsecureSeed = new(uint64(1)) },
		"mechanism": func(s *Settings) { s.Mechanism = Box{} }, "risk": func(s *Settings) { s.Risk = "2" }, "risk in words": func(s *Settings) { s.Risk = "x" },
		"false positives": func(s *Settings) { s.FalsePositive = -1 }, "false negatives": func(s *Settings) { s.FalseNegative = -1 },
	}
	if gaussian {
		all["no δ"] = func(s *Settings) { s.Delta = "" }
	} else {
		all["δ"] = func(s *Settings) { s.Delta = "1e-9" }
	}
	return all
}

// A release that exceeds the remaining budget returns ErrBudgetExhausted and reads nothing.
func TestBudgetExhausted(t *testing.T) {
	s := answers(t)
	a, charged := ledger(t, "1e-6")
	visited := false
	rows := func(yield func([]string) bool) { visited = true }
	for _, e := range entries(t, s) {
		set := e.budget
		set.Epsilon, set.Account = "2000", a
		err := e.call(t.Context(), Rows([]string{"a", "b", "late"}, rows), s, set)
		if !errors.Is(err, ErrBudgetExhausted) || !errors.Is(err, privacy.ErrSpent) || visited || charged() != 0 {
			t.Errorf("%s: %v, visited %v, charged %d times", e.what, err, visited, charged())
		}
	}
}

// All sources with the same rows give the same release for the same seed.
func TestSourcesAgree(t *testing.T) {
	s, w := answers(t), newWorld(t)
	var first string
	for _, name := range slices.Sorted(maps.Keys(w.good())) {
		m, err := Learn(t.Context(), w.good()[name], s, NaiveBayes{}, Settings{Epsilon: "1", InsecureSeed: new(uint64(7))})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if first == "" {
			first = m.String()
		}
		if m.String() != first {
			t.Errorf("%s gives %v, not %v", name, m, first)
		}
	}
}

// Data that is found to be malformed while it is read gives a DataError that quotes nothing.
func TestIllFormedRows(t *testing.T) {
	s, w := answers(t), newWorld(t)
	if _, err := w.known.Exec("CREATE VIEW broken AS SELECT a, b, CASE a WHEN 'yes' THEN json_extract('{', '$') ELSE 0 END AS late FROM people"); err != nil {
		t.Fatal(err)
	}
	short := func(yield func([]string) bool) { yield([]string{"secret"}) }
	for name, d := range map[string]Data{
		"short": Rows([]string{"a", "b", "late"}, iter.Seq[[]string](short)), "broken": Query(w.rare, "SELECT * FROM broken"), "broken too": Query(w.known, "SELECT * FROM broken"),
	} {
		_, err := Learn(t.Context(), d, s, Conjunction{}, Settings{Epsilon: "1"})
		fixed := name == "short" || err != nil && strings.Contains(err.Error(), ": the query failed while it ran")
		if _, ok := errors.AsType[*DataError](err); !ok || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "JSON") || !fixed {
			t.Errorf("%s: %v", name, err)
		}
	}
}
