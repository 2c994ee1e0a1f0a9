package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// The bar charts show the distribution of a column's values: bars for the shares in the real rows, and strokes for
// the shares in the synthetic rows. If a column has many values, adjacent values of an ordered column are grouped,
// and the less frequent values of another column are added up. If there are many columns, those with the largest L1
// distance are drawn.

// The dimensions of the bar charts, in units of their SVG view boxes.
const (
	barsLabel, barsWide = 130, 330 // the width of the names, and of the whole chart
	barsNumber          = 46       // the width of the numbers on the right
	barHigh             = 17
	barLetters          = 18
	mostBars            = 16 // the maximum number of bars of a column
	mostCharts          = 60
)

// A ShareChart is a bar chart of the values of one column, in both compared tables.
type ShareChart struct {
	Name    string
	L1      string
	Drawing template.HTML

	l1 float64
}

// ShareCharts returns the charts of the columns, in decreasing order of the L1 distance between the tables. The
// number of charts is limited.
func (c *Comparison) ShareCharts() (charts []ShareChart) {
	columns := c.pair.Columns()
	for j := range columns {
		real, synthetic := c.pair.Shares(j)
		l1 := 0.
		for v := range real {
			l1 += max(real[v]-synthetic[v], synthetic[v]-real[v])
		}
		charts = append(charts, ShareChart{plainName(columns[j].Name), fraction(l1), shareBars(&columns[j], real, synthetic), l1})
	}
	slices.SortStableFunc(charts, func(a, b ShareChart) int { return cmp.Compare(b.l1, a.l1) })
	return charts[:min(len(charts), mostCharts)]
}

// A shareBar is a bar of a chart. It shows the shares of one value, or of several values together, in both tables.
type shareBar struct {
	name            string
	real, synthetic float64
}

// barsOf returns the bars for a column: one for each value, or for a group of values. The parameters real and
// synthetic hold the shares of the values in the two tables.
func barsOf(a *table.Attribute, real, synthetic []float64) (bars []shareBar) {
	names := PlainCategories(a)
	for v, name := range names {
		bars = append(bars, shareBar{name, real[v], synthetic[v]})
	}
	if len(bars) <= mostBars {
		return bars
	}
	add := func(name string, of []shareBar) shareBar {
		sum := shareBar{name: name}
		for _, b := range of {
			sum.real += b.real
			sum.synthetic += b.synthetic
		}
		return sum
	}
	if a.IsOrdered() {
		run := (len(bars) + mostBars - 1) / mostBars
		var grouped []shareBar
		for of := range slices.Chunk(bars, run) {
			name := of[0].name
			if last := of[len(of)-1].name; last != name {
				name = shortened(name, barLetters/2-1) + " … " + last
			}
			grouped = append(grouped, add(name, of))
		}
		return grouped
	}
	slices.SortStableFunc(bars, func(a, b shareBar) int { return cmp.Compare(max(b.real, b.synthetic), max(a.real, a.synthetic)) })
	rest := bars[mostBars-1:]
	return append(slices.Clip(bars[:mostBars-1]), add(fmt.Sprintf("%d others", len(rest)), rest))
}

// shareBars draws the bar chart of one column, as inline SVG. The parameters real and synthetic hold the shares of
// the column's values in the two tables.
func shareBars(a *table.Attribute, real, synthetic []float64) template.HTML {
	all := barsOf(a, real, synthetic)
	most := 0.
	for _, b := range all {
		most = max(most, b.real, b.synthetic)
	}
	if most == 0 {
		most = 1
	}
	var b strings.Builder
	high := barHigh * len(all)
	b.WriteString(SVGStart(barsWide, high, 11, plainName(a.Name)))
	scale := (barsWide - barsLabel - barsNumber) / most
	for k, of := range all {
		y := k * barHigh
		long, at := of.real*scale, barsLabel+of.synthetic*scale
		end := max(long, of.synthetic*scale) + barsLabel + 4
		fmt.Fprintf(&b, `<g><title>%s: real %s, synthetic %s</title><text x="%d" y="%d" text-anchor="end">%s</text><rect class="bar" x="%d" y="%d" width="%.1f" height="%d" fill="#ccc"/>`,
			svgText(of.name), fraction(of.real), fraction(of.synthetic), barsLabel-6, y+12, svgText(shortened(of.name, barLetters)), barsLabel, y+3, long, barHigh-6)
		fmt.Fprintf(&b, `<path d="M%.1f %dv%d" stroke="currentColor" stroke-width="2"/><text x="%.1f" y="%d">%s</text></g>`+"\n", at, y+1, barHigh-2, end, y+12, percent(&of.real, 1, 0))
	}
	b.WriteString("</svg>\n")
	return template.HTML(b.String())
}
