package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
)

// The risk chart shows risks by grade: grey columns are the estimates, black strokes the
// intervals. It depends on released values only.

// The dimensions of the chart, in units of its view box.
const (
	chartLeft, chartRight  = 48, 632
	chartTop, chartBottom  = 24, 244
	chartWide, chartHigh   = 640, 292
	mostColumn, mostLabels = 56, 12
)

// RiskChart draws the risks as inline SVG. Positive names the class of the risks in the heading.
func RiskChart(a *risk.Assessment, positive string) template.HTML {
	of := a.Risks
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	text := func(s string) string { return template.HTMLEscapeString(quote.Clean(s)) }
	height := func(share float64) float64 { return chartBottom - share*(chartBottom-chartTop) }
	line(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="100%%" role="img" font-family="system-ui, sans-serif" font-size="11" fill="#000">`, chartWide, chartHigh)
	line(`<title>Risk of %s by %s</title>`, text(positive), a.Kind)
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
			if r.Shares[0].Value != nil {
				y := height(*r.Shares[0].Value)
				line(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="#ccc" stroke="#000" stroke-width="0.5"/>`, x-half, y, 2*half, chartBottom-y)
			}
			low, high := height(r.Shares[0].Least), height(r.Shares[0].Most)
			line(`<path d="M%.1f %.1fV%.1fM%.1f %.1fh%.1fM%.1f %.1fh%.1f" stroke="#000" fill="none"/>`, x, low, high, x-half/2, low, half, x-half/2, high, half)
			if i%every == 0 {
				line(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, x, chartBottom+16, graded(a, r.Least, r.Most))
			}
		}
	}
	line(`<path d="M%d %dH%d" stroke="#000"/>`, chartLeft, chartBottom, chartRight)
	axis := string(a.Kind)
	if a.Kind == risk.Total {
		axis = "total of points"
	}
	line(`<text x="%d" y="%d" text-anchor="middle">%s</text>`, (chartLeft+chartRight)/2, chartBottom+36, axis)
	b.WriteString("</svg>\n")
	return template.HTML(b.String())
}
