package audittest

import (
	"fmt"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Divided describes a table with one label and no other columns, or one part of a divided table:
// the numbers of rows with label 0, of rows with label 1, and of null rows.
type Divided struct{ Zeros, Ones, Null int64 }

// Examples returns the rows that are not null, as examples.
func (d Divided) Examples() (all Examples) {
	for label, n := range []int64{d.Zeros, d.Ones} {
		if n > 0 {
			all = append(all, learn.Example[[]uint16]{X: []uint16{0}, Label: label == 1, Count: n})
		}
	}
	return all
}

// Divisions calls the function visit with each division of the table into parts, and with the
// probability of this division. The parameter places has the number of places for rows of each
// part.
//
// The rows are assigned to random parts one after the other. The probability of a part is
// proportional to its number of places. If used is true, a row occupies its place, and only the
// free places of a part count.
func (d Divided) Divisions(places []int64, used bool, visit func(parts []Divided, probability float64)) {
	parts, left := make([]Divided, len(places)), append([]int64(nil), places...)
	var next func(row int64, probability float64)
	next = func(row int64, probability float64) {
		if row == d.Zeros+d.Ones+d.Null {
			visit(parts, probability)
			return
		}
		all := int64(0)
		for _, n := range left {
			all += n
		}
		for i, n := range left {
			if n == 0 {
				continue
			}
			own := &parts[i].Null
			if row < d.Zeros {
				own = &parts[i].Zeros
			} else if row < d.Zeros+d.Ones {
				own = &parts[i].Ones
			}
			*own++
			if used {
				left[i]--
			}
			next(row+1, probability*float64(n)/float64(all))
			if used {
				left[i]++
			}
			*own--
		}
	}
	next(0, 1)
}

// neighboursOf returns the pairs of neighbours in a list of tables, as pairs of indices.
func neighboursOf(tables []Divided, r privacy.Relation) (pairs [][2]int) {
	for i, a := range tables {
		for j, b := range tables[:i] {
			x, y := []int64{a.Zeros, a.Ones, a.Null}, []int64{b.Zeros, b.Ones, b.Null}
			if audit.Neighbouring(r, x, y) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// DividedTables returns the tables with the given number of rows, of which at most two are null. If the relation adds
// or removes rows, it also returns the tables with fewer rows.
func DividedTables(rows int64, r privacy.Relation) (all []Divided) {
	for n := int64(0); n <= rows; n++ {
		if n < rows && r.Replaces() {
			continue
		}
		for null := range min(n, 2) + 1 {
			for ones := range n - null + 1 {
				all = append(all, Divided{n - null - ones, ones, null})
			}
		}
	}
	return all
}

// Follows checks a mechanism whose result is 0 or 1 against a formula for the probability of the
// result 1. It fails the test if enumeration gives another probability for one of the tables, or if
// the log-ratio of two neighbours exceeds ε.
func (w *Sweep) Follows(t *testing.T, name string, r privacy.Relation, epsilon float64, tables []Divided, release func(Examples, noise.Coins) (int, error), formula func(Divided) float64) {
	t.Helper()
	probabilities := make([]float64, len(tables))
	for i, d := range tables {
		probabilities[i] = formula(d)
		law := audit.LawOf(t, func(c noise.Coins) int {
			x, err := release(d.Examples(), c)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}, audit.InFull(1e-7, 1e-9))
		if lo, hi := law.Bounds(1); probabilities[i] < lo*(1-1e-9) || probabilities[i] > hi*(1+1e-9) || law.Tail() > probabilities[i]/2 {
			t.Errorf("%s: table %+v: the formula gives the probability %g, but enumeration gives %g to %g", name, d, probabilities[i], lo, hi)
		}
	}
	for _, pair := range neighboursOf(tables, r) {
		p, q := probabilities[pair[0]], probabilities[pair[1]]
		loss := max(math.Abs(math.Log(p/q)), math.Abs(math.Log((1-p)/(1-q))))
		w.Add(t, fmt.Sprintf("%s: %+v and %+v", name, tables[pair[0]], tables[pair[1]]), loss/epsilon)
	}
}

// Epsilon returns the ε of a pure guarantee, and ends the test if the guarantee is not pure.
func Epsilon(t *testing.T, g privacy.Guarantee) float64 {
	t.Helper()
	e, err := privacy.Epsilon(g, privacy.Decimal{})
	if err != nil {
		t.Fatal(err)
	}
	epsilon, _ := e.Rat().Float64()
	return epsilon
}
