package audittest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// People lists the rows of each person. A row is a text of two characters, the code of one attribute and the label:
// "01" has code 0 and label 1, and "?0" is a null record. A person without rows is absent from the table.
type People [][]string

// A Reading is a function that builds the table with the rows of the given people.
type Reading func(t *testing.T, s *table.Schema, p People) *table.Table

// AsShipped is the Reading that uses the code of real releases. It interleaves the rows of
// different persons, so that the rows of one person are not adjacent.
func AsShipped(t *testing.T, s *table.Schema, p People) *table.Table {
	rows := func(yield func([]string) bool) {
		for at := range 4 {
			for i, own := range p {
				if at < len(own) && !yield([]string{fmt.Sprint("person ", i), own[at][:1], own[at][1:]}) {
					return
				}
			}
		}
	}
	d, err := source.Memory{Header: []string{"who", "x", "y"}, Rows: source.Sure(rows)}.Table(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// PersonWorld returns the world of all tables of the given number of persons. Each person has from
// one to rows rows, and each row has one of the given kinds. Under add-remove a person may also be
// absent. Neighbours differ in the rows of one person. Equal tables are listed once.
func PersonWorld(t *testing.T, r privacy.Relation, kinds []string, persons, rows int, read Reading) audit.World[*table.Table] {
	s, err := table.NewSchema(table.Schema{
		Label:      &table.Label{Column: "y", Positive: []string{"1"}, Negative: []string{"0"}},
		Person:     &table.Person{Column: "who", Most: r.Persons()},
		Attributes: []table.Attribute{{Column: "x", Values: []string{"0", "1"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var lives [][]string
	for _, counts := range audit.Multisets(len(kinds), rows) {
		var own []string
		for k, n := range counts {
			own = append(own, slices.Repeat(kinds[k:k+1], int(n))...)
		}
		if len(own) > 0 || !r.Replaces() {
			lives = append(lives, own)
		}
	}
	w := audit.World[*table.Table]{Relation: r}
	place := map[string]int{} // of a table, by its people
	at := func(p People) int {
		key := fmt.Sprint(p)
		if i, found := place[key]; found {
			return i
		}
		d := read(t, s, p)
		i := slices.IndexFunc(w.Tables, d.Equal)
		if i < 0 {
			i = len(w.Tables)
			w.Tables = append(w.Tables, d)
		}
		place[key] = i
		return i
	}
	pairs := map[[2]int]bool{}
	var extend func(p People)
	extend = func(p People) {
		if len(p) < persons {
			for _, own := range lives {
				extend(append(slices.Clone(p), own))
			}
			return
		}
		here := at(p)
		for i := range p {
			for _, own := range lives {
				if !r.Replaces() && len(p[i]) > 0 && len(own) > 0 {
					continue
				}
				q := slices.Clone(p)
				q[i] = own
				if there := at(q); here < there && !pairs[[2]int{here, there}] {
					pairs[[2]int{here, there}] = true
					w.Pairs = append(w.Pairs, [2]int{here, there})
				}
			}
		}
	}
	extend(nil)
	return w
}

// An OfTable is a mechanism whose input is a table, with its guarantee, Promised. OnExamples is the
// same mechanism with examples as input, or nil if it has no such form.
type OfTable struct {
	Promised   privacy.Guarantee
	OnTable    func(context.Context, *table.Table, noise.Coins) (string, error)
	OnExamples func(context.Context, Examples, noise.Coins) (string, error)
}

func (m OfTable) Guarantee() privacy.Guarantee { return m.Promised }

func (m OfTable) Release(ctx context.Context, d *table.Table, c noise.Coins) (string, error) {
	return m.OnTable(ctx, d, c)
}

// Learning returns a mechanism that applies the learner m to the examples of a table. If the relation claims is 0,
// the guarantee is that of m. Otherwise the mechanism claims a pure guarantee with the ε of m under the relation
// claims, which may be false.
func Learning[H any](t *testing.T, m privacy.Mechanism[Examples, H], claims privacy.Relation) OfTable {
	g := m.Guarantee()
	if claims != 0 {
		epsilon, err := privacy.Epsilon(g, privacy.Decimal{})
		if err != nil {
			t.Fatal(err)
		}
		if g, err = privacy.NewPure(claims, epsilon); err != nil {
			t.Fatal(err)
		}
	}
	of := func(ctx context.Context, d Examples, c noise.Coins) (string, error) {
		h, err := m.Release(ctx, d, c)
		return fmt.Sprint(h), err
	}
	return OfTable{g, func(ctx context.Context, d *table.Table, c noise.Coins) (string, error) {
		return of(ctx, learn.Examples(d), c)
	}, of}
}

// CheckPersons checks the mechanism m exactly on a world of persons, and fails the test unless the
// result agrees with the verdict want.
func CheckPersons(t *testing.T, want audit.Verdict, m OfTable, w audit.World[*table.Table]) {
	t.Helper()
	o := audit.InFull(1e-6, 1e-9)
	r, err := audit.CheckMechanism(m, strings.Clone, w, o)
	if err != nil {
		t.Fatal(err)
	}
	audit.Judge(t, want, r, o)
	if epsilon, _ := r.Epsilon.Rat().Float64(); want.Most <= 1.001 && !r.Confirmed(heavy.Pick(0.02, 0.01)*epsilon) {
		t.Error("not confirmed")
	}
}
