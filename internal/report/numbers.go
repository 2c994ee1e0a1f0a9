package report

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// The quartiles that are compared.
var quartiles = []struct {
	name string
	at   float64
}{{"lower quartile", 0.25}, {"median", 0.5}, {"upper quartile", 0.75}}

// Numbers returns a table of the quartiles of columns of numbers in both tables, and of their means
// and standard deviations if all their values are known; nil if there are no such columns. The first
// row has the headings. Missing values and categories that are no numbers are left out.
func (c *Comparison) Numbers() [][]string {
	columns := c.pair.Columns()
	var rows [][]string
	for j := range columns {
		a := &columns[j]
		values, known := a.Numbers()
		n := len(values)
		if len(a.Cuts) > 0 {
			n = len(a.Cuts) + 1
		}
		if n == 0 || !a.IsOrdered() || !known && len(a.Cuts) == 0 {
			continue
		}
		names := PlainCategories(a)
		real, synthetic := c.pair.Shares(j)
		for side, shares := range [][]float64{real[:n], synthetic[:n]} {
			row := []string{plainName(a.Name), []string{"real", "synthetic"}[side]}
			for _, q := range quartiles {
				row = append(row, quantile(names, shares, q.at))
			}
			mean, deviation := moments(values, shares)
			rows = append(rows, append(row, mean, deviation))
		}
	}
	if rows == nil {
		return nil
	}
	heads := []string{"column", "rows"}
	for _, q := range quartiles {
		heads = append(heads, q.name)
	}
	return append([][]string{append(heads, "mean", "standard deviation")}, rows...)
}

// quantile returns the name of the value, or interval, at which the shares reach a fraction of their
// sum; a dash if all are 0.
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

// moments returns the mean and the standard deviation of values with these shares; dashes if the
// values are unknown or all shares are 0.
func moments(values []table.Decimal, shares []float64) (mean, deviation string) {
	all, sum, square := 0., 0., 0.
	for v, d := range values {
		x, _ := d.Rat().Float64()
		all += shares[v]
		sum += shares[v] * x
		square += shares[v] * x * x
	}
	if all == 0 {
		return "–", "–"
	}
	m := sum / all
	return fmt.Sprintf("%.4g", m), fmt.Sprintf("%.4g", math.Sqrt(max(0, square/all-m*m)))
}
