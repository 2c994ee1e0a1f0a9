// Package tabletest parses the schemas of tests, and provides tests of implementations of table.Counts. For the same
// rows, all implementations must give identical answers.
package tabletest

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Schema parses the text of a schema. It ends the test if the text is not a valid schema.
func Schema(t testing.TB, text string) *table.Schema {
	t.Helper()
	s, err := table.ParseSchema("schema.toml", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Stays is the text of a schema whose synthetic numbers and texts are sampled in all supported ways. Tests may add
// attributes and rules to it.
const Stays = `
[label]
column = "back"
positive = ["yes", "y"]
negative = ["no"]
[[attribute]]
column = "born"
cuts = [1950, 1990]
draw = "integer"
least = 1920
most = 2009
[[attribute]]
column = "in"
cuts = [1960, 1990]
draw = "integer"
least = 1930
most = 2019
other = "unknown"
missing = "?"
[[attribute]]
column = "out"
values = ["1940", "1985", "2019"]
[[attribute]]
column = "town"
values = ["Bonn", "Köln", "Kiel"]
[[attribute]]
column = "land"
groups = { west = ["NW", "nw"], north = ["SH"] }
draw = "first"
[[attribute]]
column = "weight"
cuts = [50, 80.5]
draw = "uniform"
least = 0.5
most = 200
[[attribute]]
column = "dose"
cuts = [10]
draw = [1, 5, 20.5]
`

// A Scan answers the queries of table.Counts by visiting all records of a Table, one by one. It is the reference in
// tests, and shares no code with Table's methods.
type Scan struct{ *table.Table }

// cell returns the index of the axis's cell that contains a record with the given outcome.
func cell(record table.Record, outcome int, a table.Axis) int {
	code := outcome
	if a.Column < len(record) {
		code = int(record[a.Column])
	}
	if a.Cells != nil {
		code = int(a.Cells[code])
	}
	return code
}

// Marginals implements table.Counts: it returns the counts of each marginal.
func (s Scan) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	counts := make([][]int64, len(of))
	var record table.Record
	for m, axes := range of {
		cells := 1
		for _, a := range axes {
			cells *= a.Size
		}
		counts[m] = make([]int64, cells)
		for i := range s.Len() {
			record = s.Record(i, record)
			at := 0
			for _, a := range axes {
				at = at*a.Size + cell(record, s.Outcome(i), a)
			}
			counts[m][at] += s.Count(i)
		}
	}
	return counts, ctx.Err()
}

// Supports implements table.Counts: it returns, for each conjunction, the number of units (see table.Counts) of the
// records that satisfy all its terms.
func (s Scan) Supports(ctx context.Context, axes []table.Axis, of [][]table.Term) ([]int64, error) {
	counts := make([]int64, len(of))
	var record table.Record
	for k, terms := range of {
		for i := range s.Len() {
			record = s.Record(i, record)
			if !slices.ContainsFunc(terms, func(t table.Term) bool { return cell(record, s.Outcome(i), axes[t.Axis]) != int(t.Cell) }) {
				counts[k] += s.Count(i)
			}
		}
	}
	return counts, ctx.Err()
}

// Totals returns the number of units (see table.Counts) of the records with each outcome, for each total of points
// that some record has.
func (s Scan) Totals(ctx context.Context, c table.Card) (map[int64][]int64, error) {
	totals := make(map[int64][]int64)
	var record table.Record
	for i := range s.Len() {
		record = s.Record(i, record)
		total := int64(0)
		for j, code := range record {
			total += c.Points[j][code]
		}
		if totals[total] == nil {
			totals[total] = make([]int64, s.Outcomes())
		}
		totals[total][s.Outcome(i)] += s.Count(i)
	}
	return totals, ctx.Err()
}

// at returns the value of the step function at x.
func at(s table.Steps, x int64) int64 {
	i := 0
	for i < len(s.From) && s.From[i] <= x {
		i++
	}
	return s.Values[i]
}

// Weighted implements table.Counts: it returns, for each category of each given attribute, the sum over its records
// of the weight times the number of units (see table.Counts).
func (s Scan) Weighted(ctx context.Context, attributes []int, w table.Weights) ([][]int64, error) {
	var sums [][]int64
	var record table.Record
	for _, j := range attributes {
		sum := make([]int64, s.Sizes()[j])
		for i := range s.Len() {
			record = s.Record(i, record)
			total := int64(0)
			for k, code := range record {
				total += w.Points[k][code]
			}
			sum[record[j]] += s.Count(i) * at(w.Of[s.Outcome(i)], total)
		}
		sums = append(sums, sum)
	}
	return sums, ctx.Err()
}

// Moments computes the weighted sums that the query m describes, record by record: first those of all coordinates,
// and then those of all products of two coordinates.
func (s Scan) Moments(ctx context.Context, m table.Moments) (first, second []int64, err error) {
	n := len(m.Points) + 1
	first, second = make([]int64, n), make([]int64, n*(n+1)/2)
	x := make([]int64, n)
	var record table.Record
	for i := range s.Len() {
		record = s.Record(i, record)
		total, norm := int64(0), int64(0)
		for j, code := range record {
			x[j] = m.Points[j][code]
			total += x[j]
			if m.Squares {
				norm += x[j] * x[j]
			} else {
				norm += max(x[j], -x[j])
			}
		}
		for j := range x {
			x[j] *= at(m.Factor, norm)
		}
		x[n-1] = 1
		for j := range x {
			first[j] += s.Count(i) * at(m.First[s.Outcome(i)], total) * x[j]
			for k := range j + 1 {
				second[j*(j+1)/2+k] += s.Count(i) * at(m.Second, total) * x[j] * x[k]
			}
		}
	}
	return first, second, ctx.Err()
}

// Agree fails the test unless two implementations of table.Counts have equal sizes and give equal answers to random
// queries. The queries are a function of the seed. Let n be the parameter asked. The queries are
//   - two marginals of each column: one in which each code is a cell, and one with a random axis;
//   - n marginals of two columns, and n of up to four columns; they may include the outcome, and map codes to cells;
//   - n conjunctions;
//   - n queries for totals, but at most 10;
//   - n queries for sums of weights and n for moments, but at most 2 of each.
func Agree(t testing.TB, got, want table.Counts, asked int, seed uint64) {
	t.Helper()
	if !slices.Equal(got.Sizes(), want.Sizes()) || got.Outcomes() != want.Outcomes() || got.Weight() != want.Weight() {
		t.Fatalf("the counts have attributes of %v categories, %d outcomes and %d units per row, want %v, %d and %d", got.Sizes(), got.Outcomes(), got.Weight(), want.Sizes(), want.Outcomes(), want.Weight())
	}
	if got.Rows() != want.Rows() || got.Nulls() != want.Nulls() {
		t.Errorf("the table has %d rows, want %d; its null records have %d units, want %d", got.Rows(), want.Rows(), got.Nulls(), want.Nulls())
	}
	ctx := context.Background()
	q := questions{rand.New(rand.NewPCG(seed, 1)), append(slices.Clone(want.Sizes()), want.Outcomes())}
	of := q.marginals(asked)
	a, err := got.Marginals(ctx, of)
	if err != nil {
		t.Fatal(err)
	}
	b, err := want.Marginals(ctx, of)
	if err != nil {
		t.Fatal(err)
	}
	for m := range of {
		if !slices.Equal(a[m], b[m]) {
			t.Fatalf("the counts of the marginal %v are %v, not %v", of[m], a[m], b[m])
		}
	}
	axes, terms := q.conjunctions(asked)
	x, err := got.Supports(ctx, axes, terms)
	if err != nil {
		t.Fatal(err)
	}
	y, err := want.Supports(ctx, axes, terms)
	if err != nil {
		t.Fatal(err)
	}
	for i := range terms {
		if x[i] != y[i] {
			t.Fatalf("%d units satisfy the terms %v on the axes %v, not %d", x[i], terms[i], axes, y[i])
		}
	}
	for range min(asked, 10) {
		c := q.card()
		x, err := got.Totals(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		y, err := want.Totals(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(x, y) {
			t.Fatalf("the totals of %v are %v, not %v", c.Points, x, y)
		}
	}
	for range min(asked, 2) {
		attributes, w := q.weights()
		sums, err := got.Weighted(ctx, attributes, w)
		if err != nil {
			t.Fatal(err)
		}
		wantSums, err := want.Weighted(ctx, attributes, w)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(sums, wantSums) {
			t.Fatalf("the weights %v of the categories of %v are %v, not %v", w, attributes, sums, wantSums)
		}
		m := q.moments()
		first, second, err := got.Moments(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		wantFirst, wantSecond, err := want.Moments(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(first, wantFirst) || !slices.Equal(second, wantSecond) {
			t.Fatalf("the moments %v are %v and %v, not %v and %v", m, first, second, wantFirst, wantSecond)
		}
	}
}

// A questions generates random queries. The field sizes holds the number of categories of each attribute, and then
// the number of outcomes.
type questions struct {
	*rand.Rand
	sizes []int
}

// axis returns an axis of the given column. With probability 1/2, each code is a cell of its own; otherwise codes are
// mapped to random cells.
func (q questions) axis(column int) table.Axis {
	a := table.Axis{Column: column, Size: q.sizes[column]}
	if q.IntN(2) == 0 {
		a.Size = 1 + q.IntN(min(a.Size, 3))
		a.Cells = make([]uint16, q.sizes[column])
		for code := range a.Cells {
			a.Cells[code] = uint16(q.IntN(a.Size))
		}
	}
	return a
}

// mostCells is the maximum number of cells of the marginals that Agree queries.
const mostCells = 1 << 16

func (q questions) marginals(asked int) [][]table.Axis {
	var of [][]table.Axis
	for j, size := range q.sizes {
		of = append(of, []table.Axis{{Column: j, Size: size}}, []table.Axis{q.axis(j)})
	}
	for range asked {
		for _, columns := range []int{2, 1 + q.IntN(4)} {
			var axes []table.Axis
			cells := 1
			for _, j := range q.Perm(len(q.sizes))[:min(columns, len(q.sizes))] {
				if a := q.axis(j); cells*a.Size <= mostCells {
					axes, cells = append(axes, a), cells*a.Size
				}
			}
			if len(axes) > 0 {
				of = append(of, axes)
			}
		}
	}
	return of
}

// conjunctions returns two axes of each column, and random conjunctions over these axes. A term requires one of the
// first three cells of its axis, because many records lie in these cells. A conjunction may have terms on both axes
// of a column.
func (q questions) conjunctions(asked int) ([]table.Axis, [][]table.Term) {
	var axes []table.Axis
	for j := range q.sizes {
		axes = append(axes, q.axis(j), q.axis(j))
	}
	var of [][]table.Term
	for range asked {
		var terms []table.Term
		for _, k := range q.Perm(len(axes))[:1+q.IntN(min(len(axes), 5))] {
			terms = append(terms, table.Term{Axis: k, Cell: uint16(q.IntN(min(axes[k].Size, 3)))})
		}
		of = append(of, terms)
	}
	return axes, of
}

func (q questions) card() table.Card {
	var c table.Card
	for _, size := range q.sizes[:len(q.sizes)-1] {
		points := make([]int64, size)
		for k := range points {
			points[k] = int64(q.IntN(9) - 4)
		}
		c.Points = append(c.Points, points)
	}
	return c
}

// steps returns a random step function with at most six steps, at positions from least to most.
func (q questions) steps(least, most int) (s table.Steps) {
	for range q.IntN(7) {
		s.From = append(s.From, int64(least+q.IntN(most-least+1)))
	}
	slices.Sort(s.From)
	for range len(s.From) + 1 {
		s.Values = append(s.Values, int64(q.IntN(41)-20))
	}
	return s
}

// byOutcome returns, for each outcome, a random step function of a record's total.
func (q questions) byOutcome() (all []table.Steps) {
	n := len(q.sizes) - 1
	for range q.sizes[n] {
		all = append(all, q.steps(-4*n, 4*n))
	}
	return all
}

func (q questions) weights() (attributes []int, w table.Weights) {
	n := len(q.sizes) - 1
	return q.Perm(n)[:1+q.IntN(n)], table.Weights{Card: q.card(), Of: q.byOutcome()}
}

func (q questions) moments() table.Moments {
	n := len(q.sizes) - 1
	return table.Moments{
		Points: q.card().Points, Squares: q.IntN(2) == 0, Factor: q.steps(0, 8*n), First: q.byOutcome(), Second: q.steps(-4*n, 4*n),
	}
}

// An Asked passes queries on to a table.Counts, and records the columns of the marginals that were last queried.
type Asked struct {
	table.Counts
	Columns [][]int // the columns of the last call
}

// Marginals records the columns of the queried marginals, and returns the answer of the embedded Counts.
func (a *Asked) Marginals(ctx context.Context, of [][]table.Axis) ([][]int64, error) {
	a.Columns = nil
	for _, axes := range of {
		var list []int
		for _, axis := range axes {
			list = append(list, axis.Column)
		}
		a.Columns = append(a.Columns, list)
	}
	return a.Counts.Marginals(ctx, of)
}
