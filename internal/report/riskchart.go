package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/risk"
)

// The risk chart shows risks by grade: bars for the estimates, lines for the intervals. A risk that is not stated has
// a dashed line and no bar. The chart depends only on released values.

// The dimensions of the chart of risks, in units of its SVG view box. A unit is about a pixel, so that the letters
// can be read on narrow screens.
const (
	chartLeft, chartRight = 44, 516
	chartTop, chartBottom = 24, 224
	chartWide, chartHigh  = 520, 268
	mostColumn            = 56
	letterWide            = 6.6 // the width of a wide letter of the labels
)

// RiskChart draws a chart of the risks in an assessment, as inline SVG. The parameter event describes what they are
// risks of, such as "back is yes".
func RiskChart(a *risk.Assessment, event string) template.HTML {
	of := a.Risks
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	height := func(share float64) float64 { return chartBottom - share*(chartBottom-chartTop) }
	b.WriteString(SVGStart(chartWide, chartHigh, 12, fmt.Sprintf("Risk that %s, by %s", event, a.Kind)))
	line(`<text x="%d" y="12">Risk that %s, with its interval</text>`, chartLeft, svgText(shortened(event, 40)))
	for tenth := 0; tenth <= 10; tenth += 2 {
		y := height(float64(tenth) / 10)
		line(`<path class="grid" d="M%d %.1fH%d" stroke="#bbb" stroke-width="0.7"/>`, chartLeft, y, chartRight)
		line(`<text x="%d" y="%.1f" text-anchor="end">%d %%</text>`, chartLeft-6, y+4, 10*tenth)
	}
	if len(of) > 0 {
		step := float64(chartRight-chartLeft) / float64(len(of))
		half := min(step, mostColumn) * 0.32
		free := 0. // the right end of the last label
		for i, r := range of {
			x := chartLeft + (float64(i)+0.5)*step
			low, high := height(r.Shares[0].Least), height(r.Shares[0].Most)
			if v := Reliable(r.Shares[0]); v != nil {
				y := height(*v)
				line(`<rect class="bar" x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="#ccc" stroke="currentColor" stroke-width="0.5"/>`, x-half, y, 2*half, chartBottom-y)
				line(`<path d="M%.1f %.1fV%.1fM%.1f %.1fh%.1fM%.1f %.1fh%.1f" stroke="currentColor" fill="none"/>`, x, low, high, x-half/2, low, half, x-half/2, high, half)
			} else {
				line(`<path class="faint" d="M%.1f %.1fV%.1f" stroke="#888" stroke-dasharray="3 3" fill="none"/>`, x, low, high)
			}
			label := graded(a, r.Least, r.Most)
			wide := float64(length(label)) * letterWide
			left := min(max(x-wide/2, chartLeft), chartWide-wide)
			if left >= free {
				line(`<text x="%.1f" y="%d" text-anchor="middle">%s</text>`, left+wide/2, chartBottom+16, label)
				free = left + wide + letterWide
			}
		}
	}
	line(`<path d="M%d %dH%d" stroke="currentColor"/>`, chartLeft, chartBottom, chartRight)
	axis := string(a.Kind)
	if a.Kind == risk.Total {
		axis = "total of points"
	}
	line(`<text x="%d" y="%d" text-anchor="middle">%s</text>`, (chartLeft+chartRight)/2, chartBottom+36, axis)
	b.WriteString("</svg>\n")
	return template.HTML(b.String())
}
