package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/compare"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// ComparedNumbers is the part of a report that compares the numeric columns of two tables; see compare.Numbers.
type ComparedNumbers struct {
	Columns      []ComparedColumn      `json:"columns"`
	Correlations []ComparedCorrelation `json:"correlations"`
	Coefficients []ComparedCoefficient `json:"coefficients"` // the coefficients of the linear regressions of each column on all others
	Without      []string              `json:"without_numbers"`
}

// Values holds the values of one statistic, such as the mean of a column, in the real and in the synthetic table.
type Values struct {
	Real      float64 `json:"real"`
	Synthetic float64 `json:"synthetic"`
}

// Deciles holds the nine deciles of a column in each table.
type Deciles struct {
	Real      [9]float64 `json:"real"`
	Synthetic [9]float64 `json:"synthetic"`
}

// A ComparedColumn compares the distribution of a numeric column in two tables.
type ComparedColumn struct {
	Column     string  `json:"column"`
	Mean       Values  `json:"mean"`
	Overlap    float64 `json:"mean_overlap"`
	Deviation  Values  `json:"standard_deviation"`
	Deciles    Deciles `json:"deciles"`
	DecileRank float64 `json:"max_decile_rank"`

	quartiles [2][3]float64
}

// A ComparedCorrelation compares the correlation of two columns in two tables.
type ComparedCorrelation struct {
	Columns [2]string `json:"columns"`
	Values
	Overlap float64 `json:"overlap"`
}

// A ComparedCoefficient compares a coefficient of a linear regression in two tables.
type ComparedCoefficient struct {
	Response  string `json:"response"`
	Predictor string `json:"predictor"`
	Values
	Error   Values  `json:"standard_error"`
	Overlap float64 `json:"overlap"`
}

// Measure adds the comparison n of numeric columns to the report.
func (c *Comparison) Measure(n *compare.Numbers) {
	name := func(column int) string { return c.pair.Columns()[column].Name }
	values := func(of [2]float64) Values { return Values{of[0], of[1]} }
	out := &ComparedNumbers{[]ComparedColumn{}, []ComparedCorrelation{}, []ComparedCoefficient{}, []string{}}
	for _, x := range n.Columns {
		out.Columns = append(out.Columns, ComparedColumn{name(x.Column), values(x.Mean), x.Overlap, values(x.Deviation), Deciles{x.Deciles[0], x.Deciles[1]}, x.DecileRank, x.Quartiles})
	}
	for _, x := range n.Correlations {
		out.Correlations = append(out.Correlations, ComparedCorrelation{[2]string{name(x.Columns[0]), name(x.Columns[1])}, values(x.Of), x.Overlap})
	}
	for _, x := range n.Coefficients {
		out.Coefficients = append(out.Coefficients, ComparedCoefficient{name(x.Response), name(x.Predictor), values(x.Of), values(x.Error), x.Overlap})
	}
	c.Numbers = out
	c.Numbers.Without = append(c.Numbers.Without, n.Without...)
}

// NumberTable returns a table of the means and deviations of numeric columns. The first row contains the headings.
// NumberTable returns nil if there are no numeric columns.
func (c *Comparison) NumberTable() [][]string {
	if c.Numbers == nil || len(c.Numbers.Columns) == 0 {
		return nil
	}
	rows := [][]string{{"column", "mean", "synthetic", "overlap", "SD", "synthetic", "rank of deciles"}}
	for _, x := range c.Numbers.Columns {
		rows = append(rows, []string{quote.Clean(x.Column), number(x.Mean.Real), number(x.Mean.Synthetic), fmt.Sprintf("%.2f", x.Overlap), number(x.Deviation.Real), number(x.Deviation.Synthetic), fraction(x.DecileRank)})
	}
	return rows
}

// Number formats a number with the given number of significant digits. If its integer part has more digits, the
// number is rounded to an integer.
func Number(x float64, digits int) string {
	if math.Abs(x) >= math.Pow10(digits) && math.Abs(x) < 1e15 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.*g", digits, x)
}

func number(x float64) string { return Number(x, 5) }

// NumberNotes returns sentences about correlations and regressions, and about the columns of which only intervals
// are known.
func (c *Comparison) NumberNotes() (notes []string) {
	n := c.Numbers
	if n == nil {
		return nil
	}
	if len(n.Columns) > 0 {
		notes = append(notes, "Overlap: the part that the 95 % intervals of both tables have in common, from 0 to 1. The intervals are those of samples. Rank of deciles: how far the synthetic deciles are from those of the real rows, as shares of the rows. Numbers beyond the limits of the schema count as the limits.")
	}
	if k := len(n.Correlations); k > 0 {
		sum, overlaps, worst := 0.0, 0.0, n.Correlations[0]
		for _, x := range n.Correlations {
			sum += x.difference() / float64(k)
			overlaps += x.Overlap / float64(k)
			if x.difference() > worst.difference() {
				worst = x
			}
		}
		notes = append(notes, fmt.Sprintf("Correlations of %d pairs: the mean difference is %.3f and the mean overlap %.2f. The largest difference is that of %s and %s: %.3f in the real rows, %.3f in the synthetic ones.",
			k, sum, overlaps, quote.Clean(worst.Columns[0]), quote.Clean(worst.Columns[1]), worst.Real, worst.Synthetic))
	}
	if k := len(n.Coefficients); k > 0 {
		overlaps, worst := 0.0, n.Coefficients[0]
		for _, x := range n.Coefficients {
			overlaps += x.Overlap / float64(k)
			if x.deviations() > worst.deviations() {
				worst = x
			}
		}
		notes = append(notes, fmt.Sprintf("Linear regressions of each column of numbers on the others have %d coefficients; their mean overlap is %.2f. The largest difference in standard errors is that of %s in the regression of %s: %s ± %.2g in the real rows, %s ± %.2g in the synthetic ones.",
			k, overlaps, quote.Clean(worst.Predictor), quote.Clean(worst.Response), number(worst.Real), worst.Error.Real, number(worst.Synthetic), worst.Error.Synthetic))
	}
	if len(n.Without) > 0 {
		var names []string
		for _, name := range n.Without {
			names = append(names, quote.Clean(name))
		}
		notes = append(notes, "Means, standard deviations, correlations and regressions leave out "+strings.Join(names, ", ")+": only their intervals are known. To include them, the schema must give them draw, least and most, and the rows must be in files, not in a database.")
	}
	return notes
}

func (x *ComparedCorrelation) difference() float64 { return math.Abs(x.Real - x.Synthetic) }

// deviations returns the absolute difference between the coefficients in the real and in the synthetic rows, in
// units of the standard error of this difference.
func (x *ComparedCoefficient) deviations() float64 {
	return math.Abs(x.Real-x.Synthetic) / max(math.Hypot(x.Error.Real, x.Error.Synthetic), 1e-300)
}

// quartiles lists the quartiles that a report shows, with their names.
var quartiles = []struct {
	name string
	at   float64
}{{"lower quartile", 0.25}, {"median", 0.5}, {"upper quartile", 0.75}}

// Quartiles returns a table of the quartiles of numeric columns in both tables. The first row contains the
// headings. For columns of which only intervals are known, the table shows the intervals that contain the
// quartiles. Missing values and categories that are not numbers are left out. Quartiles returns nil if there are no
// numeric columns.
func (c *Comparison) Quartiles() [][]string {
	columns := c.pair.Columns()
	var rows [][]string
	add := func(name string, side int, cells []string) {
		rows = append(rows, append([]string{plainName(name), []string{"real", "synthetic"}[side]}, cells...))
	}
	known := make(map[string]bool)
	if c.Numbers != nil {
		for _, x := range c.Numbers.Columns {
			known[x.Column] = true
			for side := range x.quartiles {
				var cells []string
				for _, q := range x.quartiles[side] {
					cells = append(cells, number(q))
				}
				add(x.Column, side, cells)
			}
		}
	}
	for j := range columns {
		a := &columns[j]
		if known[a.Name] || len(a.Cuts) == 0 {
			continue
		}
		n, names := len(a.Cuts)+1, PlainCategories(a)
		real, synthetic := c.pair.Shares(j)
		for side, shares := range [][]float64{real[:n], synthetic[:n]} {
			var cells []string
			for _, q := range quartiles {
				cells = append(cells, quantile(names, shares, q.at))
			}
			add(a.Name, side, cells)
		}
	}
	if rows == nil {
		return nil
	}
	heads := []string{"column", "rows"}
	for _, q := range quartiles {
		heads = append(heads, q.name)
	}
	return append([][]string{heads}, rows...)
}

// quantile returns the name of the interval that contains a quantile, such as the median if the parameter at is
// 0.5. The parameter shares holds the share of rows in each interval. The result is the first interval up to which
// the shares sum to at least the fraction at of their total, or a dash if all shares are 0.
func quantile(names []string, shares []float64, at float64) string {
	all, sum := 0., 0.
	for _, s := range shares {
		all += s
	}
	for v, s := range shares {
		if sum += s; s > 0 && sum >= at*all {
			return names[v]
		}
	}
	return "–"
}
