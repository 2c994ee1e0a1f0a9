package compare

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/matrix"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Numbers compares the numeric columns of a real and a synthetic table. Both tables are treated as samples, so the
// standard errors do not include the errors that privacy noise causes in synthetic data.
//
// An overlap compares the 95 % confidence intervals of a statistic in both tables. It is the mean of two shares: the
// share of each interval that the other also covers (Karr and others 2006). It is 0 if the intervals are disjoint.
type Numbers struct {
	Columns      []NumberColumn
	Correlations []Correlation
	Coefficients []Coefficient
	Without      []string // the columns with cuts whose numbers are unknown
}

// A NumberColumn compares the numbers of one column in both tables, over the rows that have a number in this column.
// Both tables must have rows with numbers. In the arrays, index 0 is the real table and index 1 the synthetic one.
type NumberColumn struct {
	Column     int
	Mean       [2]float64
	Deviation  [2]float64    // standard deviation
	Deciles    [2][9]float64 // lower deciles: the least numbers up to which at least ⅒, …, ⁹⁄₁₀ of the rows are
	Quartiles  [2][3]float64
	DecileRank float64 // the greatest distance between ⅒, …, ⁹⁄₁₀ and the ranks of the synthetic deciles in the real table
	Overlap    float64 // the overlap of the confidence intervals of the means
}

// A Correlation compares Pearson's correlation coefficient of two columns in both tables, over the rows that have
// numbers in both columns. The columns are not constant.
type Correlation struct {
	Columns [2]int
	Of      [2]float64
	Overlap float64 // the overlap of the confidence intervals by Fisher's transformation
}

// A Coefficient compares one coefficient, in both tables, of the least-squares regression of one numeric column on all
// others. The regression is over the rows that have numbers in all of these columns.
type Coefficient struct {
	Response, Predictor int
	Of, Error           [2]float64
	Overlap             float64
}

// quantile95 is the 0.975 quantile of the standard normal distribution, which gives 95 % confidence intervals.
const quantile95 = 1.959963984540054

// mostRegressed is the maximum number of numeric columns in a linear regression.
const mostRegressed = 50

// A side is one of the two compared tables, real or synthetic, with the categories of Finer.Schema.
type side struct {
	codes   [][]uint16 // by numeric column, the codes of the records
	weights []float64  // by record, its number of rows or persons
	numbers [][]float64
}

// Compare compares the numbers of both tables, which must have been read with the finer schema (Finer.Schema).
func (f *Finer) Compare(real, synthetic *table.Table) *Numbers {
	var columns []int
	for j, of := range f.numbers {
		if of != nil {
			columns = append(columns, j)
		}
	}
	of := [2]side{f.side(real, columns), f.side(synthetic, columns)}
	return &Numbers{f.compareColumns(of, columns), correlations(of, columns), coefficients(of, columns), f.without}
}

// side reads the columns with the given indices from one of the two compared tables.
func (f *Finer) side(t *table.Table, columns []int) (s side) {
	var record table.Record
	s.codes = make([][]uint16, len(columns))
	for r := range t.Len() {
		record = t.Record(r, record)
		for k, j := range columns {
			s.codes[k] = append(s.codes[k], record[j])
		}
		s.weights = append(s.weights, float64(t.Count(r))/float64(t.Weight()))
	}
	for _, j := range columns {
		s.numbers = append(s.numbers, f.numbers[j])
	}
	return s
}

// compareColumns compares the distribution of the numbers of each column in the two tables.
func (f *Finer) compareColumns(of [2]side, columns []int) (all []NumberColumn) {
	for k, j := range columns {
		c := NumberColumn{Column: j}
		var means [2][2]float64 // intervals
		rows := math.Inf(1)
		for i := range of {
			m := of[i].moments([]int{k})
			rows = min(rows, m.n)
			c.Mean[i], c.Deviation[i] = m.mean[0], m.deviation(0)
			means[i] = around(c.Mean[i], c.Deviation[i]/math.Sqrt(max(1, m.n)))
		}
		if rows == 0 {
			continue
		}
		c.Overlap = overlap(means)
		c.ranks(of[0].histogram(k), of[1].histogram(k), f.numbers[j])
		all = append(all, c)
	}
	return all
}

// correlations compares the correlation of each pair of columns in the two tables.
func correlations(of [2]side, columns []int) (all []Correlation) {
	for b := range columns {
		for a := range b {
			c := Correlation{Columns: [2]int{columns[a], columns[b]}}
			var intervals [2][2]float64
			for i := range of {
				m := of[i].moments([]int{a, b})
				c.Of[i] = m.covariance.At(0, 1) / (m.deviation(0) * m.deviation(1))
				intervals[i] = around(math.Atanh(min(max(c.Of[i], -1+1e-15), 1-1e-15)), 1/math.Sqrt(max(1, m.n-3)))
			}
			if math.IsNaN(c.Of[0] + c.Of[1]) { // a column is constant
				continue
			}
			c.Overlap = overlap(intervals)
			all = append(all, c)
		}
	}
	return all
}

// coefficients compares, for the two tables, the coefficients of the linear regression of each column on all others. It
// returns nil if there are too few or too many columns.
func coefficients(of [2]side, columns []int) (all []Coefficient) {
	if len(columns) < 2 || len(columns) > mostRegressed {
		return nil
	}
	var indices []int
	for k := range columns {
		indices = append(indices, k)
	}
	both := [2]*moments{of[0].moments(indices), of[1].moments(indices)}
	for k := range columns {
		var solved [2]regression
		for i, m := range both {
			solved[i] = m.regress(k)
		}
		if !solved[0].unique || !solved[1].unique {
			continue
		}
		for l, predictor := range others(len(columns), k) {
			c := Coefficient{Response: columns[k], Predictor: columns[predictor]}
			var intervals [2][2]float64
			for i, r := range solved {
				c.Of[i], c.Error[i] = r.coefficients[l], r.errors[l]
				intervals[i] = around(c.Of[i], c.Error[i])
			}
			c.Overlap = overlap(intervals)
			all = append(all, c)
		}
	}
	return all
}

// histogram returns, for each number that can occur in column k, the total weight of the rows with this number.
func (s *side) histogram(k int) []float64 {
	counts := make([]float64, len(s.numbers[k]))
	for r, code := range s.codes[k] {
		if int(code) < len(counts) {
			counts[code] += s.weights[r]
		}
	}
	return counts
}

// ranks sets the deciles, the greatest error of their ranks, and the quartiles. The parameters real and synthetic hold
// the weight of each number of the column in the two tables.
func (c *NumberColumn) ranks(real, synthetic, numbers []float64) {
	for i, counts := range [][]float64{real, synthetic} {
		for d := range c.Deciles[i] {
			at := quantileOf(counts, float64(d+1)/10)
			c.Deciles[i][d] = numbers[at]
			if i == 1 {
				below, upTo := rankOf(real, at)
				rank := float64(d+1) / 10
				c.DecileRank = max(c.DecileRank, below-rank, rank-upTo)
			}
		}
		for q := range c.Quartiles[i] {
			c.Quartiles[i][q] = numbers[quantileOf(counts, float64(q+1)/4)]
		}
	}
}

// quantileOf returns the index of a quantile: the least index for which the counts up to and including it sum to at
// least the given share of all counts.
func quantileOf(counts []float64, share float64) int {
	all, sum := 0.0, 0.0
	for _, n := range counts {
		all += n
	}
	for k, n := range counts {
		if sum += n; sum > 0 && sum >= share*all*(1-1e-12) {
			return k
		}
	}
	return 0
}

// rankOf returns two cumulative shares of the counts: that of the counts before the index at, and that of the counts up
// to and including this index.
func rankOf(counts []float64, at int) (below, upTo float64) {
	all := 0.0
	for k, n := range counts {
		all += n
		if k < at {
			below += n
		}
		if k <= at {
			upTo += n
		}
	}
	return below / max(all, 1e-300), upTo / max(all, 1e-300)
}

// moments holds the means and the covariance matrix of some columns of one of the two tables, over the rows that have
// numbers in all of these columns.
type moments struct {
	n          float64   // the number of these rows, or persons
	mean       []float64 // by column
	covariance *matrix.Dense
}

func (m *moments) deviation(k int) float64 { return math.Sqrt(m.covariance.At(k, k)) }

func (s *side) moments(columns []int) *moments {
	m := &moments{mean: make([]float64, len(columns)), covariance: matrix.New(len(columns), len(columns))}
	x := make([]float64, len(columns))
	visit := func(row func(w float64)) {
	records:
		for r, w := range s.weights {
			for i, k := range columns {
				code := int(s.codes[k][r])
				if code >= len(s.numbers[k]) {
					continue records
				}
				x[i] = s.numbers[k][code]
			}
			row(w)
		}
	}
	visit(func(w float64) {
		m.n += w
		for i := range x {
			m.mean[i] += w * x[i]
		}
	})
	for i := range m.mean {
		m.mean[i] /= max(m.n, 1)
	}
	visit(func(w float64) {
		for i := range x {
			for k := range i + 1 {
				m.covariance.SetBoth(i, k, m.covariance.At(i, k)+w*(x[i]-m.mean[i])*(x[k]-m.mean[k])/max(m.n-1, 1))
			}
		}
	})
	return m
}

// regression holds the coefficients of the linear regression of one column on all others, and their standard errors.
type regression struct {
	coefficients, errors []float64
	unique               bool
}

// others returns the numbers 0, …, n-1 without k.
func others(n, k int) (all []int) {
	for i := range n {
		if i != k {
			all = append(all, i)
		}
	}
	return all
}

// mostCondition is the maximum condition number of the correlation matrix of the predictors of a regression. If the
// condition number is larger, the predictors are nearly collinear, and regress returns no coefficients, because rounding
// errors could change them arbitrarily.
const mostCondition = 1e10

// regress computes the linear regression of column k on the others. For numerical stability, it scales the predictors
// to variance 1 while solving.
func (m *moments) regress(k int) (out regression) {
	rest := others(len(m.mean), k)
	scaled, with := matrix.New(len(rest), len(rest)), make([]float64, len(rest))
	free := m.n - float64(len(m.mean))
	if m.deviation(k) == 0 || free < 1 {
		return out
	}
	for a, i := range rest {
		if m.deviation(i) == 0 {
			return out
		}
		with[a] = m.covariance.At(i, k) / m.deviation(i)
		for b, l := range rest[:a+1] {
			scaled.SetBoth(a, b, m.covariance.At(i, l)/(m.deviation(i)*m.deviation(l)))
		}
	}
	factor, ok := matrix.Cholesky(scaled)
	if !ok {
		return out
	}
	inverse := factor.Inverse()
	if !(scaled.Norm()*inverse.Norm() <= mostCondition) {
		return out
	}
	solution := factor.Solve(with)
	residual := max(0, m.covariance.At(k, k)-matrix.Dot(solution, with)) * (m.n - 1) / free
	for a, i := range rest {
		out.coefficients = append(out.coefficients, solution[a]/m.deviation(i))
		out.errors = append(out.errors, math.Sqrt(residual*inverse.At(a, a)/(m.n-1))/m.deviation(i))
	}
	out.unique = true
	return out
}

// around returns the 95 % confidence interval of an estimate x with the given standard error.
func around(x, deviation float64) [2]float64 {
	return [2]float64{x - quantile95*deviation, x + quantile95*deviation}
}

// overlap returns the mean of two shares: the share of the first interval that lies in the second, and the share of the
// second that lies in the first. Each interval is given by its two ends. For two intervals of length 0, overlap returns
// 1 if they are equal.
func overlap(intervals [2][2]float64) float64 {
	common := min(intervals[0][1], intervals[1][1]) - max(intervals[0][0], intervals[1][0])
	if common < 0 {
		return 0
	}
	share := 0.0
	for _, i := range intervals {
		if length := i[1] - i[0]; length > 0 {
			share += common / length / 2
		} else {
			share += .5
		}
	}
	return share
}
