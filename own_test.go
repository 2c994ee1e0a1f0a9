package sibyl_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl"
	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/release"
)

// Cutoffs is the class of threshold rules "positive if x ≥ h" on integers x, for h from 0 to Most.
// Its tree has a root with a leaf for each h.
type Cutoffs struct{ Most int }

func (c Cutoffs) String() string        { return fmt.Sprintf("cutoffs from 0 to %d", c.Most) }
func (c Cutoffs) Size() *big.Int        { return big.NewInt(int64(c.Most) + 1) }
func (c Cutoffs) Contains(h int) bool   { return 0 <= h && h <= c.Most }
func (c Cutoffs) Predict(h, x int) bool { return x >= h }
func (c Cutoffs) Penalty(int) int64     { return 0 }
func (c Cutoffs) Layout(n int64) class.Layout {
	return class.Layout{Cells: int64(c.Most) + 1, Bytes: 8 * (int64(c.Most) + 1)}
}

// All yields the cutoffs, for tests.
func (c Cutoffs) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for h := 0; h <= c.Most && yield(h); h++ {
		}
	}
}

// Tree computes the cost of each cutoff.
func (c Cutoffs) Tree(p class.Problem[int]) (class.Tree[int], error) {
	if _, ok := p.Range(); !ok {
		return nil, class.ErrRange
	}
	t := &cutoffTree{}
	for h := range c.All() {
		t.costs = append(t.costs, class.Cost(c, p, h))
	}
	return t, nil
}

// Checker computes the costs from the definition, point by point.
func (c Cutoffs) Checker(p class.Problem[int], plan []int) (class.Checker, error) {
	if len(plan) > 0 {
		return nil, fmt.Errorf("a plan of %d numbers for a tree that has none", len(plan))
	}
	return &cutoffChecker{c, p, -1}, nil
}

// A cutoffTree holds the cost of each cutoff.
type cutoffTree struct{ costs []int64 }

func (t *cutoffTree) Walker() class.Walker[int] { return &cutoffWalker{cutoffTree: t, at: -1} }
func (t *cutoffTree) Plan() []int               { return nil }
func (t *cutoffTree) Ceiling() int64            { return slices.Max(t.costs) }
func (t *cutoffTree) Incumbent() (int, int64) {
	least := slices.Min(t.costs)
	return slices.Index(t.costs, least), least
}

// A cutoffWalker is at a cutoff, or at the root, which is -1.
type cutoffWalker struct {
	class.NoMass[int]
	*cutoffTree
	at int
}

func (w *cutoffWalker) Children() int {
	if w.at < 0 {
		return len(w.costs)
	}
	return 0
}

func (w *cutoffWalker) Leaves() *big.Int {
	if w.at < 0 {
		return big.NewInt(int64(len(w.costs)))
	}
	return big.NewInt(1)
}

func (w *cutoffWalker) ChildLeaves(int) *big.Int { return big.NewInt(1) }
func (w *cutoffWalker) Share(int) class.Upper    { return class.Ratio(big.NewInt(1), w.Leaves()) }
func (w *cutoffWalker) Exact() bool              { return w.at >= 0 }
func (w *cutoffWalker) Up()                      { w.at = -1 }
func (w *cutoffWalker) Hypothesis() int          { return w.at }

func (w *cutoffWalker) Bound() int64 {
	if w.at < 0 {
		return slices.Min(w.costs)
	}
	return w.costs[w.at]
}

func (w *cutoffWalker) Down(i int, limit int64) (bound int64, entered bool) {
	if w.costs[i] <= limit {
		w.at = i
		return w.costs[i], true
	}
	return w.costs[i], false
}

// A cutoffChecker is at a cutoff or at the root, as a cutoffWalker.
type cutoffChecker struct {
	class   Cutoffs
	problem class.Problem[int]
	at      int
}

func (k *cutoffChecker) Down(i int) { k.at = i }
func (k *cutoffChecker) Up()        { k.at = -1 }
func (k *cutoffChecker) Children() int {
	if k.at < 0 {
		return k.class.Most + 1
	}
	return 0
}

func (k *cutoffChecker) Bound() int64 {
	if k.at >= 0 {
		return class.Cost(k.class, k.problem, k.at)
	}
	least := class.Cost(k.class, k.problem, 0)
	for h := range k.class.All() {
		least = min(least, class.Cost(k.class, k.problem, h))
	}
	return least
}

// The test suite accepts a class of the calling program, and rejects incorrect ones.
func TestCutoffs(t *testing.T) {
	small := classtest.Case[int, int]{Class: Cutoffs{4}, Domain: []int{0, 1, 2, 3, 4}}
	classtest.Run(t, classtest.Suite[int, int]{Fixed: map[string]classtest.Case[int, int]{"one": {Class: Cutoffs{0}, Domain: []int{0, 1}}, "five": small}, Wrong: "five"})
}

// A class of the calling program is learned with the same mechanism, settings and account as others.
func ExampleLearnOwn() {
	visits := func(yield func(age int, back bool) bool) {
		for i := range 3000 {
			if age := i % 90; !yield(age, age >= 60) {
				return
			}
		}
	}
	cutoff, guarantee, err := sibyl.LearnOwn(context.Background(), visits, Cutoffs{120}, sibyl.Settings{Epsilon: "1"})
	check(err)
	fmt.Println("near 60:", 55 < cutoff && cutoff < 65, "for ε =", guarantee.Epsilon)
	// Output: near 60: true for ε = 1
}

// A release of an own class is charged once, with a description that the account can check. Mistakes
// charge nothing.
func TestLearnOwn(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "account")
	terms, err := account.NewTerms("10", "", "ages")
	if err != nil {
		t.Fatal(err)
	}
	if err := account.Create(ctx, path, terms); err != nil {
		t.Fatal(err)
	}
	a, err := account.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	entries := func() int {
		s, err := a.Statement(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return len(s.Entries)
	}
	rows := func(yield func(int, bool) bool) { _ = yield(1, false) && yield(7, true) }
	good := sibyl.Settings{Epsilon: "4", Account: a, Rows: 2}
	for name, spoil := range map[string]func(*sibyl.Settings){
		"Epsilon": func(s *sibyl.Settings) { s.Epsilon = "0" }, "Delta": func(s *sibyl.Settings) { s.Delta = "1e-9" },
		"Rows": func(s *sibyl.Settings) { s.Rows = -1 }, "Relation": func(s *sibyl.Settings) { s.Relation = sibyl.AddRemove.OfPersons(2) },
		"Mechanism": func(s *sibyl.Settings) { s.Risk = "0.2" }, "FalsePositive": func(s *sibyl.Settings) { s.FalsePositive = -1 },
		"FalseNegative": func(s *sibyl.Settings) { s.FalseNegative = -1 },
		"Account":       func(s *sibyl.Settings) { s.InsecureSeed = new(uint64(1)) }, "PadTo": func(s *sibyl.Settings) { s.PadTo = -1 },
	} {
		set := good
		spoil(&set)
		_, _, err := sibyl.LearnOwn(ctx, rows, Cutoffs{9}, set)
		if p, ok := errors.AsType[*sibyl.ParameterError](err); !ok || p.Field != name || entries() != 0 {
			t.Errorf("%s: charged %d times, %v", name, entries(), err)
		}
	}
	if _, _, err := sibyl.LearnOwn(ctx, nil, Cutoffs{9}, good); err == nil || entries() != 0 {
		t.Errorf("nil rows: charged %d times, %v", entries(), err)
	}
	for want := range 2 {
		if _, g, err := sibyl.LearnOwn(ctx, rows, Cutoffs{9}, good); err != nil || g.Epsilon.String() != "4" || entries() != want+1 {
			t.Errorf("charged %d times, %v, %v", entries(), g, err)
		}
	}
	if _, _, err := sibyl.LearnOwn(ctx, rows, Cutoffs{9}, good); !errors.Is(err, sibyl.ErrBudgetExhausted) || entries() != 2 {
		t.Errorf("more than is left: %v", err)
	}
	if err := a.Verify(ctx, release.Recompute); err != nil {
		t.Errorf("the account is wrong: %v", err)
	}
	s, err := a.Statement(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{{`"rate":"2"`, `"rate":"3"`}, {`"false_positive":1`, `"false_positive":2`}, {`"name":"exponential"`, `"name":"other"`}, {`"epsilon":"4"`, `"epsilon":"2"`}} {
		text := strings.Replace(string(s.Entries[0].Description), change[0], change[1], 1)
		if _, err := release.Recompute(json.RawMessage(text)); text == string(s.Entries[0].Description) || err == nil {
			t.Errorf("%s gives a guarantee", text)
		}
	}
	set := sibyl.Settings{Epsilon: "1", Rows: 3}
	if _, _, err := sibyl.LearnOwn(ctx, rows, Cutoffs{9}, set); err == nil || errors.Is(err, sibyl.ErrFailed) {
		t.Errorf("another number of rows: %v", err)
	}
	if _, _, err := sibyl.LearnOwn(ctx, rows, failing{}, sibyl.Settings{Epsilon: "1"}); err != sibyl.ErrFailed {
		t.Errorf("a class that panics: %v", err)
	}
}

// failing is a class whose tree panics, which depends on the data.
type failing struct{ Cutoffs }

func (failing) Tree(class.Problem[int]) (class.Tree[int], error) { panic("secret") }

// The first three examples are short.
func TestExamplesAreShort(t *testing.T) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "example_test.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]int{"Example": 15, "ExampleSynthesize": 12, "ExampleEvaluate": 15}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && most[f.Name.Name] > 0 {
			if lines := set.Position(f.Body.Rbrace).Line - set.Position(f.Body.Lbrace).Line - 1; lines-expected(file, f.Body.Lbrace, f.Body.Rbrace) > most[f.Name.Name] {
				t.Errorf("%s has %d lines", f.Name.Name, lines)
			}
			delete(most, f.Name.Name)
		}
	}
	if len(most) > 0 {
		t.Errorf("no examples %v", most)
	}
}

// expected counts the lines of comments between two positions, such as the output of an example.
func expected(file *ast.File, from, to token.Pos) (lines int) {
	for _, g := range file.Comments {
		if from < g.Pos() && g.Pos() < to {
			lines += len(g.List)
		}
	}
	return lines
}
