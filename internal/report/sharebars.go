package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// The bar charts show the shares of a column's values: grey bars for the real rows, black strokes
// for the synthetic ones. Many values are grouped with their neighbours; of many columns, those
// with the largest distance are drawn.

// The dimensions of the charts, in units of a view box.
const (
	barsWide, barsHigh = 320, 96
	mostBars           = 128 // of a column
	mostCharts         = 60
)

// A ShareChart shows one column.
type ShareChart struct {
	Name    string
	L1      string
	Drawing template.HTML

	l1 float64
}

// ShareCharts returns the charts of the columns, in descending order of L1 distance.
func (c *Comparison) ShareCharts() (charts []ShareChart) {
	for j, a := range c.pair.Columns() {
		real, synthetic := c.pair.Shares(j)
		l1 := 0.
		for v := range real {
			l1 += max(real[v]-synthetic[v], synthetic[v]-real[v])
		}
		charts = append(charts, ShareChart{a.Name, fraction(l1), shareBars(a.Name, a.Categories(), real, synthetic), l1})
	}
	slices.SortStableFunc(charts, func(a, b ShareChart) int { return cmp.Compare(b.l1, a.l1) })
	return charts[:min(len(charts), mostCharts)]
}

// shareBars draws one column.
func shareBars(name string, values []string, real, synthetic []float64) template.HTML {
	run := (len(values) + mostBars - 1) / mostBars
	type bar struct {
		real, synthetic float64
		label           string
	}
	var all []bar
	for first := 0; first < len(values); first += run {
		b := bar{label: values[first]}
		last := min(first+run, len(values)) - 1
		if last > first {
			b.label += " … " + values[last]
		}
		for v := first; v <= last; v++ {
			b.real += real[v]
			b.synthetic += synthetic[v]
		}
		all = append(all, b)
	}
	most := 0.
	for _, b := range all {
		most = max(most, b.real, b.synthetic)
	}
	if most == 0 {
		most = 1
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="100%%" role="img">`+"\n", barsWide, barsHigh)
	fmt.Fprintf(&b, "<title>%s</title>\n", svgText(name))
	step := float64(barsWide) / float64(len(all))
	for k, of := range all {
		x, height := float64(k)*step, barsHigh*of.real/most
		fmt.Fprintf(&b, `<g><title>%s: real %s, synthetic %s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="#ccc"/>`, svgText(of.label), fraction(of.real), fraction(of.synthetic), x+step/10, barsHigh-height, step*.8, height)
		fmt.Fprintf(&b, `<path d="M%.1f %.1fh%.1f" stroke="#000" stroke-width="2"/></g>`+"\n", x, barsHigh-(barsHigh-1)*of.synthetic/most, step)
	}
	fmt.Fprintf(&b, `<path d="M0 %dH%d" stroke="#000"/>`+"\n</svg>\n", barsHigh, barsWide)
	return template.HTML(b.String())
}
