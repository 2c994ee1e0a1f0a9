package synthetic

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Errors holds the expected errors of statistics that are computed from the synthetic data. They depend only on
// released values, and are computed like the standard errors of an Answer.
type Errors struct {
	Classes []ClassErrors  `json:"classes"`
	Columns []ColumnErrors `json:"columns"`
	Pairs   []PairErrors   `json:"pairs"` // the errors of pairs of columns that are not functions of others

	unit string // "rows" or "persons"
}

// Stated summarizes the standard errors of several answers, each the fraction of the rows that satisfies a question.
// Either all of these fractions were measured, or all were computed from the model (Basis).
type Stated struct {
	Basis  string  `json:"basis"`  // Measured or Modelled, see Answer
	Shares int     `json:"shares"` // number of shares
	Error  float64 `json:"share_error"`

	// Bound is the largest of the 95 % bounds of the shares, or nil if Basis is Modelled. Each of these bounds
	// holds with probability at least .95 for a share that is selected independently of the release.
	Bound *float64 `json:"share_bound_95,omitempty"`
}

// ClassErrors summarizes the errors of a class of questions, such as the questions about a single value. Its error is
// the root mean square of the standard errors of the answers.
type ClassErrors struct {
	Question string `json:"question"`
	Stated
}

// ColumnErrors holds the errors of the shares of rows with each value of a column. If the column has more than
// mostShares values, it includes only the mostShares most frequent ones.
type ColumnErrors struct {
	Column string `json:"column"`
	Values int    `json:"values"`
	Stated
	Mean *MeanError `json:"mean,omitempty"` // for a column of numbers: the error of its mean
}

// MeanError holds the error of the mean of a numeric column. The mean is over the rows that have a number, after
// numbers are clipped to the limits of the schema.
type MeanError struct {
	Mean  float64 `json:"mean"`
	Error float64 `json:"mean_error"` // standard error, under the assumption that the mean of each interval is exact

	// Within bounds the additional error: the means of the numbers within intervals were not measured. It
	// is 0 if each category is a single number.
	Within float64 `json:"within_intervals_at_most"`
}

// PairErrors holds the errors for a pair of columns, which was measured over cells that are combinations of groups of
// values. The embedded Stated is for the shares of rows in these cells. Divided is for the shares of rows with a
// single combination of two values, in cells with several combinations. It is nil if there is no such cell.
type PairErrors struct {
	Columns [2]string `json:"columns"`
	Values  [2]int    `json:"values"`
	Cells   [2]int    `json:"cells"` // groups of values, as measured
	Stated
	Divided *Stated `json:"divided,omitempty"`

	places [2]int // the indices of the free columns
	unit   string // "rows" or "persons"
}

const (
	// mostShares is the maximum number of values of a column whose errors are computed.
	mostShares = 400
	// sampledPairs is the number of conjunctions of two values for each pair of columns whose errors are
	// computed. sampledTriples is the number of conjunctions of three values. The values of a conjunction are
	// those of a record that is chosen independently of its contents.
	sampledPairs, sampledTriples = 50, 200
)

// bound95 is the number of standard errors in a 95 % bound: a measured share has an error of more than bound95
// standard errors with probability at most .05. This holds if the noise is nearly normal, however the records are
// fitted to the measurements, because √(2.21² − 1) = 1.97 (docs/explanation/proofs/synth.md, section 8).
const bound95 = 2.21

// errorsOf summarizes the errors of those given answers that have the given basis.
func errorsOf(basis string, of []Answer) Stated {
	s, largest := Stated{Basis: basis}, 0.0
	for _, a := range of {
		if a.Basis != basis {
			continue
		}
		s.Shares++
		s.Error += a.ShareError * a.ShareError
		largest = max(largest, a.ShareError)
	}
	if basis == Measured {
		bound := min(1, bound95*largest)
		s.Bound = &bound
	}
	s.Error = math.Sqrt(s.Error / float64(max(1, s.Shares)))
	return s
}

// Errors returns the expected errors of statistics of the synthetic data. It consumes no privacy budget. It returns
// the context's error if the context ends.
func (m *Model) Errors(ctx context.Context, d Drawing) (*Errors, error) {
	if err := m.fit(ctx, d); err != nil {
		return nil, err
	}
	out := &Errors{Pairs: []PairErrors{}, unit: m.Layout.Schema.Unit(2)}
	u, codes, means := m.estimator(), m.codes(), m.means()
	var ofValues, ofCells, ofDivided []Answer
	for j := range codes {
		answers := m.ofValues(j, codes[j], u)
		basis := Modelled
		if len(m.Layout.constraints.Roots(j)) == 1 {
			basis = Measured
		}
		a := &m.Layout.Flat.Attributes[j]
		out.Columns = append(out.Columns, ColumnErrors{a.Name, a.Len(), errorsOf(basis, answers), m.meanError(j, codes[j], means[j], u)})
		ofValues = append(ofValues, answers...)
	}
	for _, p := range m.Measured.Pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		cells, divided := m.ofPair(p.Axes, u)
		e := PairErrors{unit: out.unit, Cells: [2]int{p.Axes[0].Size, p.Axes[1].Size}, Stated: errorsOf(Measured, cells)}
		for i, a := range p.Axes {
			e.Columns[i], e.Values[i], e.places[i] = m.Layout.Name(a.Column), m.Layout.Domain.Columns[a.Column].Size, a.Column
		}
		if len(divided) > 0 {
			s := errorsOf(Modelled, divided)
			e.Divided = &s
		}
		out.Pairs = append(out.Pairs, e)
		ofCells, ofDivided = append(ofCells, cells...), append(ofDivided, divided...)
	}
	add := func(question string, of []Answer) {
		for _, basis := range []string{Measured, Modelled} {
			if s := errorsOf(basis, of); s.Shares > 0 {
				out.Classes = append(out.Classes, ClassErrors{question, s})
			}
		}
	}
	add("one value", ofValues)
	add("two values, or measured groups", ofCells)
	add("two values within measured groups", ofDivided)
	add("three values", m.ofTriples(u))
	return out, nil
}

// codes returns the codes of all records for each column of the flat schema.
func (m *Model) codes() [][]uint16 {
	columns := make([][]uint16, len(m.Layout.Flat.Attributes))
	for j := range columns {
		columns[j] = make([]uint16, m.Records.n)
	}
	var record []uint16
	for i := range m.Records.n {
		record = m.Layout.complete(m.Records, i, record)
		for j, v := range record {
			columns[j][i] = v
		}
	}
	return columns
}

// ofValues estimates, for each of the most frequent values of a column, how many rows have this value. The parameter
// j is the index of the column in the flat schema, and codes holds its code in each record.
func (m *Model) ofValues(j int, codes []uint16, u *estimator) (all []Answer) {
	counts := make([]float64, m.Layout.Flat.Attributes[j].Len())
	for _, v := range codes {
		counts[v]++
	}
	values := make([]int, len(counts))
	for v := range values {
		values[v] = v
	}
	slices.SortStableFunc(values, func(a, b int) int { return int(counts[b] - counts[a]) })
	for _, v := range values[:min(len(values), mostShares)] {
		only := make([]float64, len(counts))
		only[v] = 1
		weights, depends, product := m.freeWeights(&Question{columns: []int{j}, shares: [][]float64{only}})
		all = append(all, m.stated(counts[v]/float64(len(codes)), weights, depends, product, 0, u))
	}
	return all
}

// ofPair estimates how many rows have certain values in a pair of columns that was measured over the given axes. The
// slice cells has one answer for each cell. The slice divided has answers for combinations of two values that share
// their cell with other combinations, as they occur in some records of the model.
func (m *Model) ofPair(axes []table.Axis, u *estimator) (cells, divided []Answer) {
	a, b := axes[0], axes[1]
	first, second := m.Records.columns[a.Column], m.Records.columns[b.Column]
	inside := [2][][]float64{} // by axis and cell: the weight of each value, 1 if it is in the cell
	sizes := [2][]int{}        // by axis and cell: the number of values
	for i, axis := range axes {
		values := m.Layout.Domain.Columns[axis.Column].Size
		sizes[i] = make([]int, axis.Size)
		for range axis.Size {
			inside[i] = append(inside[i], make([]float64, values))
		}
		for v := range values {
			inside[i][axis.Cell(v)][v] = 1
			sizes[i][axis.Cell(v)]++
		}
	}
	n := float64(m.Records.n)
	counts := make([]float64, a.Size*b.Size)
	for i := range first {
		counts[a.Cell(int(first[i]))*b.Size+b.Cell(int(second[i]))]++
	}
	for k, count := range counts {
		weights := map[int][]float64{a.Column: inside[0][k/b.Size], b.Column: inside[1][k%b.Size]}
		cells = append(cells, m.stated(count/n, weights, 2, true, 0, u))
	}
	if slices.Max(sizes[0]) == 1 && slices.Max(sizes[1]) == 1 {
		return cells, nil
	}
	for k := range min(sampledPairs, m.Records.n) {
		i := k * m.Records.n / min(sampledPairs, m.Records.n)
		if sizes[0][a.Cell(int(first[i]))] > 1 || sizes[1][b.Cell(int(second[i]))] > 1 {
			divided = append(divided, m.ofRecord(i, []int{a.Column, b.Column}, u))
		}
	}
	return cells, divided
}

// ofTriples returns answers about conjunctions of three values: those of a randomly chosen record in three randomly
// chosen free columns.
func (m *Model) ofTriples(u *estimator) (all []Answer) {
	columns := len(m.Layout.Domain.Columns)
	if columns < 3 {
		return nil
	}
	random := rand.New(rand.NewPCG(0, 0))
	for range sampledTriples {
		all = append(all, m.ofRecord(random.IntN(m.Records.n), random.Perm(columns)[:3], u))
	}
	return all
}

// ofRecord estimates how many rows have the same values as record i in the given free columns.
func (m *Model) ofRecord(i int, columns []int, u *estimator) Answer {
	weights := make(map[int][]float64)
	for _, k := range columns {
		weights[k] = make([]float64, m.Layout.Domain.Columns[k].Size)
		weights[k][m.Records.columns[k][i]] = 1
	}
	count := 0
records:
	for r := range m.Records.n {
		for _, k := range columns {
			if m.Records.columns[k][r] != m.Records.columns[k][i] {
				continue records
			}
		}
		count++
	}
	return m.stated(float64(count)/float64(m.Records.n), weights, len(columns), true, 0, u)
}

// numbers describes the first categories of a column, those that contain numbers. For each of them, mean is the mean
// of its numbers in the synthetic data, and reach is the maximum distance of a number of the category from this mean.
type numbers struct{ mean, reach []float64 }

// means describes the numbers in the categories of each column of the flat schema. The result for a column without
// numbers is empty.
func (m *Model) means() []numbers {
	densities := m.densities()
	all := make([]numbers, len(densities))
	for j := range all {
		a := &m.Layout.Flat.Attributes[j]
		add := func(mean, least, most float64) {
			all[j].mean = append(all[j].mean, mean)
			all[j].reach = append(all[j].reach, max(mean-least, most-mean))
		}
		if a.IsDate() {
			continue
		}
		texts, ranges, places := a.Written()
		unit := math.Pow10(-places)
		for c, r := range ranges {
			least, most := float64(r[0])*unit, float64(r[1])*unit
			mean := (least + most) / 2
			if d := densities[j][c]; d != nil {
				mean = d.Mean() * unit
			}
			add(mean, least, most)
		}
		if _, known := a.Numbers(); ranges != nil || !a.IsOrdered() || !known && len(a.Cuts) == 0 {
			continue
		}
		for _, of := range texts[:max(len(a.Values), len(a.Cuts)+1)] {
			sum, least, most := 0.0, math.Inf(1), math.Inf(-1)
			for _, text := range of {
				d, _ := table.ParseDecimal(text)
				x, _ := d.Rat().Float64()
				sum, least, most = sum+x, min(least, x), max(most, x)
			}
			add(sum/float64(len(of)), least, most)
		}
	}
	return all
}

// meanError returns the mean of the numbers in a column, with its error. The parameter j is the index of the column
// in the flat schema, codes holds its code in each record, and of describes its categories. meanError returns nil if
// no record has a number, or if the column is a function of several columns.
func (m *Model) meanError(j int, codes []uint16, of numbers, u *estimator) *MeanError {
	out, n := &MeanError{}, 0.0
	for _, v := range codes {
		if int(v) < len(of.mean) {
			n++
			out.Mean += of.mean[v]
			out.Within += of.reach[v]
		}
	}
	roots := m.Layout.constraints.Roots(j)
	if n == 0 || len(roots) != 1 {
		return nil
	}
	out.Mean /= n
	out.Within /= n
	off := make([]float64, m.Layout.Flat.Attributes[j].Len()) // from the mean
	for v, x := range of.mean {
		off[v] = x - out.Mean
	}
	weights, _, _ := m.freeWeights(&Question{columns: []int{j}, shares: [][]float64{off}})
	for free, w := range weights {
		// The mean is a root of Σ off·count, which is 0 in the records.
		out.Error = u.column(free, w).error(0, 0, u) / max(1, n/float64(len(codes))*u.total)
	}
	return out
}

// Write writes the errors as text.
func (e *Errors) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Expected errors, as shares of the %s:\n\n", e.unit)
	if err := report.WriteTable(&b, e.classTable(), "lrrr"); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n%s\n", errorNotes)
	if err := report.WriteTable(&b, e.columnTable(), "lrrrrr"); err != nil {
		return err
	}
	if rows := e.pairTable(mostListed); len(rows) > 1 {
		b.WriteString("\n")
		if err := report.WriteTable(&b, rows, "llrrr"); err != nil {
			return err
		}
		switch more := len(e.Pairs) - len(rows) + 1; more {
		case 0:
		case 1:
			b.WriteString("and 1 pair with a smaller error\n")
		default:
			fmt.Fprintf(&b, "and %d pairs with smaller errors\n", more)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// mostListed is the maximum number of pairs of columns whose errors the text of Errors lists.
const mostListed = 10

// errorNotes explains the tables of errors to their readers.
const errorNotes = `These errors follow from released numbers alone. An error is a standard error: it includes
the noise of the measurements and the distance of the data from them. A 95 % bound is the
largest of the bounds of the shares, each for a share that is selected independently of the
data. Shares "from the model" were not measured. Their errors are empirical and no bounds:
on the tables of the measurements, at least 8 of 10 such shares were within two errors.
The standard error of a mean does not include the error that comes from the positions of
numbers in intervals. With many rows, that is the larger one; "in intervals" bounds it.
`

// share formats a share of the rows as a percentage. It is rounded up or down if direction is 1 or -1, and to the
// nearest number if it is 0.
func share(x float64, direction int) string { return report.SmallPercent(x, direction) }

// bound formats the bound on the errors of measured shares, rounded up, or "none" if there is no bound.
func (s *Stated) bound() string {
	if s.Bound == nil {
		return "none"
	}
	return share(*s.Bound, 1)
}

// classTable returns a table of text with the errors of each class of questions, headings first.
func (e *Errors) classTable() [][]string {
	rows := [][]string{{"share of", "shares", "error", "95 % bound"}}
	for _, c := range e.Classes {
		basis, _, _ := strings.Cut(c.Basis, ":")
		rows = append(rows, []string{c.Question + ", " + basis, fmt.Sprint(c.Shares), share(c.Error, 0), c.bound()})
	}
	return rows
}

// columnTable returns a table of text with the errors of each column of the data, headings first. It omits the
// columns "mean" and "in intervals" if they would be empty.
func (e *Errors) columnTable() [][]string {
	rows := [][]string{{"column", "values", "error of a share", "95 % bound", "mean", "in intervals"}}
	for _, c := range e.Columns {
		row := []string{quote.Clean(c.Column), fmt.Sprint(c.Values), share(c.Error, 0), c.bound(), "", ""}
		if m := c.Mean; m != nil {
			row[4] = report.Number(m.Mean, 5) + " ± " + report.Number(m.Error, 2)
			if m.Within > 0 {
				row[5] = "≤ " + report.Number(m.Within, 2)
			}
		}
		rows = append(rows, row)
	}
	for k := len(rows[0]) - 1; !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[k] != "" }); k-- {
		for i := range rows {
			rows[i] = rows[i][:k]
		}
	}
	return rows
}

// pairTable returns a table of text with the pairs that have the largest errors, headings first. The parameter most
// is the maximum number of pairs.
func (e *Errors) pairTable(most int) [][]string {
	rows := [][]string{{"pair", "measured groups", "error of a group", "95 % bound", "values within groups"}}
	sorted := slices.Clone(e.Pairs)
	slices.SortStableFunc(sorted, func(a, b PairErrors) int { return cmp.Compare(b.largest(), a.largest()) })
	for _, p := range sorted[:min(most, len(sorted))] {
		row := []string{quote.Clean(p.Columns[0]) + ", " + quote.Clean(p.Columns[1]), p.measured(), share(p.Error, 0), p.bound(), ""}
		if p.coarse() {
			row[2], row[3] = "", ""
		}
		if p.Divided != nil {
			row[4] = share(p.Divided.Error, 0) + " (model)"
		}
		rows = append(rows, row)
	}
	return rows
}

// largest returns the pair's error for cells (Error) or that for single combinations of values (Divided.Error),
// whichever is larger.
func (p *PairErrors) largest() float64 {
	if p.Divided != nil {
		return max(p.Error, p.Divided.Error)
	}
	return p.Error
}

// coarse reports whether the measurement of the pair shows no dependence, because all values of a column were in one
// cell.
func (p *PairErrors) coarse() bool {
	return p.Cells[0] == 1 && p.Values[0] > 1 || p.Cells[1] == 1 && p.Values[1] > 1
}

// measured describes the groups of values over which the pair was measured.
func (p *PairErrors) measured() string {
	if p.coarse() {
		return "none: too few " + p.unit
	}
	return fmt.Sprintf("%d × %d of %d × %d values", p.Cells[0], p.Cells[1], p.Values[0], p.Values[1])
}

// errorSteps are the standard errors from which each darker shade of the map of pairs is used.
var errorSteps = []float64{.0005, .001, .002, .005, .01}

// pairMap draws the errors of all pairs of columns as a map. A dot marks a pair that was measured over groups of
// several values, so that the shares of single values come from the model. The map is empty if there is only one
// column or if there are too many.
func (e *Errors) pairMap(l *Layout) template.HTML {
	if !report.Drawable(len(l.Domain.Columns)) {
		return ""
	}
	m := report.PairMap{Title: "Expected errors of pairs of columns, darker for larger errors", Steps: errorSteps}
	for k := range l.Domain.Columns {
		m.Columns = append(m.Columns, l.Name(k))
	}
	for _, step := range errorSteps {
		m.Names = append(m.Names, fmt.Sprintf("%.2g", 100*step))
	}
	m.Names[len(errorSteps)-1] += " %"
	for i := range e.Pairs {
		p := &e.Pairs[i]
		value, text := p.Error, fmt.Sprintf("%s: %s, 95 %% bound %s", p.measured(), share(p.Error, 0), p.bound())
		if p.coarse() {
			value, text = p.largest(), p.measured()
		}
		if p.Divided != nil {
			text += fmt.Sprintf("; values within groups: %s, from the model", share(p.Divided.Error, 0))
		}
		m.Cells = append(m.Cells, report.MapCell{Columns: p.places, Value: value, Text: text, Dotted: p.Divided != nil})
	}
	return m.SVG()
}
