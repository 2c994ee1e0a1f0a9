package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/risk"
)

// Risks are laid out by total, as a table and as a chart for print: grey columns are the
// estimates, black strokes the intervals. Both are functions of what was released.

// RiskRows returns the rows of a table of the risks, its heads first, for WriteTable with
// RiskAlign. Offset is subtracted from totals, as a folded card shows them.
func RiskRows(of []risk.Risk, offset int) [][]string {
	rows := [][]string{{"total", "risk", "at least", "at most", "rows, about"}}
	for _, r := range of {
		rows = append(rows, []string{spanned(r.Least-offset, r.Most-offset), percent(r.Risk.Value), percent(&r.Risk.Least), percent(&r.Risk.Most), r.Rows.String()})
	}
	return rows
}

// RiskAlign is how the columns of RiskRows are aligned.
const RiskAlign = "lrrrr"

// Pooled says why totals share a risk, or nothing where none do.
func Pooled(of []risk.Risk) string {
	few, order := false, false
	for _, r := range of {
		few = few || r.Pooled == risk.Few
		order = order || r.Pooled == risk.Order
	}
	const share = "Totals share a risk where "
	const fewRows, falling = "there are too few rows to tell theirs apart from noise", "a higher one seemed to have a lower risk"
	switch {
	case few && order:
		return share + fewRows + ", or " + falling + "."
	case few:
		return share + fewRows + "."
	case order:
		return share + falling + "."
	}
	return ""
}

// percent writes a share in tenths of a per cent, a dash where there is none.
func percent(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100**v)
}

// The chart's measures, in units of its view box.
const (
	chartLeft, chartRight  = 48, 632
	chartTop, chartBottom  = 24, 244
	chartWide, chartHigh   = 640, 292
	mostColumn, mostLabels = 56, 12
)

// RiskChart draws the risks as inline SVG. Positive is what they are the risk of, as a
// heading words it; offset is as for RiskRows.
func RiskChart(of []risk.Risk, offset int, positive string) template.HTML {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	text := func(s string) string { return template.HTMLEscapeString(quote.Clean(s)) }
	height := func(share float64) float64 { return chartBottom - share*(chartBottom-chartTop) }
	line(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="100%%" role="img" font-family="system-ui, sans-serif" font-size="11" fill="#000">`, chartWide, chartHigh)
	line(`<title>Risk of %s by total</title>`, text(positive))
	line(`<text x="%d" y="12">Risk of %s, with its interval</text>`, chartLeft, text(positive))
	for tenth := 0; tenth <= 10; tenth += 2 {
		y := height(float64(tenth) / 10)
		line(`<path d="M%d %.1fH%d" stroke="#bbb" stroke-width="0.5"/>`, chartLeft, y, chartRight)
		line(`<text x="%d" y="%.1f" text-anchor="end">%d %%</text>`, chartLeft-6, y+4, 10*tenth)
	}
	if len(of) > 0 {
		step := float64(chartRight-chartLeft) / float64(len(of))
		half := min(step, mostColumn) * 0.32
		every := (len(of) + mostLabels - 1) / mostLabels
		for i, r := range of {
			x := chartLeft + (float64(i)+0.5)*step
			if r.Risk.Value != nil {
				y := height(*r.Risk.Value)
				line(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="#ccc" stroke="#000" stroke-width="0.5"/>`, x-half, y, 2*half, chartBottom-y)
			}
			low, high := height(r.Risk.Least), height(r.Risk.Most)
			line(`<path d="M%.1f %.1fV%.1fM%.1f %.1fh%.1fM%.1f %.1fh%.1f" stroke="#000" fill="none"/>`, x, low, high, x-half/2, low, half, x-half/2, high, half)
			if i%every == 0 {
				line(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x, chartBottom+16, spanned(r.Least-offset, r.Most-offset))
			}
		}
	}
	line(`<path d="M%d %dH%d" stroke="#000"/>`, chartLeft, chartBottom, chartRight)
	line(`<text x="%d" y="%d" text-anchor="middle">total of points</text>`, (chartLeft+chartRight)/2, chartBottom+36)
	b.WriteString("</svg>\n")
	return template.HTML(b.String())
}
