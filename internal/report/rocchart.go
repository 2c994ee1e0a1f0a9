package report

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/risk"
)

// The dimensions of a square chart of two shares, in units of its SVG view box.
const (
	squareLeft, squareRight = 64, 364
	squareTop, squareBottom = 12, 312
	squareWide, squareHigh  = 390, 356
)

// A squareChart is an SVG drawing that plots one share, from 0 to 1, against another.
type squareChart struct{ strings.Builder }

func (c *squareChart) line(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

func squareX(share float64) float64 { return squareLeft + share*(squareRight-squareLeft) }
func squareY(share float64) float64 { return squareBottom - share*(squareBottom-squareTop) }

// diagonal is the SVG path of the line on which both shares are equal.
var diagonal = fmt.Sprintf(`<path d="M%d %dL%d %d" stroke="currentColor" stroke-dasharray="4 4" fill="none"/>`, squareLeft, squareBottom, squareRight, squareTop)

// newSquareChart returns a square chart that contains only its axes.
func newSquareChart(title, horizontal, vertical string) *squareChart {
	c := &squareChart{}
	c.WriteString(SVGStart(squareWide, squareHigh, 12, title))
	for fifth := 0; fifth <= 5; fifth++ {
		at := float64(fifth) / 5
		c.line(`<path class="grid" d="M%d %.1fH%d M%.1f %dV%d" stroke="#bbb" stroke-width="0.7"/>`, squareLeft, squareY(at), squareRight, squareX(at), squareTop, squareBottom)
		c.line(`<text x="%d" y="%.1f" text-anchor="end">%d %%</text>`, squareLeft-6, squareY(at)+4, 20*fifth)
		c.line(`<text x="%.1f" y="%d" text-anchor="middle">%d %%</text>`, squareX(at), squareBottom+16, 20*fifth)
	}
	c.line(`<text x="%d" y="%d" text-anchor="middle">%s</text>`, (squareLeft+squareRight)/2, squareBottom+36, horizontal)
	c.line(`<text transform="translate(11 %d) rotate(-90)" text-anchor="middle">%s</text>`, (squareTop+squareBottom)/2, vertical)
	return c
}

// drawing completes the chart and returns it as SVG.
func (c *squareChart) drawing() template.HTML {
	c.line(`</svg>`)
	return template.HTML(c.String())
}

// ROCChart draws the receiver operating characteristic (ROC) of an assessment, as inline SVG. The assessment must
// have thresholds. The chart shows a line through the estimates, and the band that contains the curve if all
// confidence intervals hold.
func ROCChart(a *risk.Assessment) template.HTML {
	c := newSquareChart("Sensitivity against 1 − specificity, for every threshold", "1 − specificity", "sensitivity")
	var curve []point
	for _, t := range a.Thresholds {
		if x, y := Reliable(t.Specificity), Reliable(t.Sensitivity); x != nil && y != nil {
			curve = append(curve, point{1 - *x, *y})
		}
	}
	upper, lower := rocBand(a.Thresholds)
	slices.Reverse(lower)
	c.line(`<polygon class="bar" points="%s" fill="#ccc" fill-opacity="0.6"/>`, path(append(upper, lower...)))
	c.line(diagonal)
	c.line(`<polyline points="%s" stroke="currentColor" stroke-width="2" fill="none"/>`, path(curve))
	for _, p := range curve {
		c.line(`<circle cx="%.1f" cy="%.1f" r="2.5"/>`, squareX(p.x), squareY(p.y))
	}
	return c.drawing()
}

// A point is a point of the receiver operating characteristic: x is 1 − specificity, and y is the sensitivity.
type point struct{ x, y float64 }

// path returns the SVG path through points that are given in the coordinates of a square chart.
func path(of []point) string {
	var b strings.Builder
	for i, p := range of {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%.1f,%.1f", squareX(p.x), squareY(p.y))
	}
	return b.String()
}

// rocBand returns the upper and the lower edge of the band that contains the receiver operating characteristic if
// the confidence intervals of all thresholds hold.
//
// The first threshold predicts 1 for all rows, and neither x nor y increases from one threshold to the next. So an
// upper bound at one threshold also holds at all later thresholds, and a lower bound also holds at all earlier
// ones. rocBand lowers upper bounds and raises lower bounds accordingly. Then the bounds do not increase either
// from one threshold to the next, so the line between two points of the curve lies between the lines through the
// corners of their intervals.
func rocBand(of []risk.Threshold) (upper, lower []point) {
	for _, t := range of {
		upper = append(upper, point{1 - t.Specificity.Most, t.Sensitivity.Most})
		lower = append(lower, point{1 - t.Specificity.Least, t.Sensitivity.Least})
	}
	for i := 1; i < len(of); i++ {
		upper[i].y = min(upper[i].y, upper[i-1].y)
		lower[i].x = min(lower[i].x, lower[i-1].x)
	}
	for i := len(of) - 2; i >= 0; i-- {
		upper[i].x = max(upper[i].x, upper[i+1].x)
		lower[i].y = max(lower[i].y, lower[i+1].y)
	}
	return upper, lower
}

// CalibrationChart draws the observed risks with their intervals against the risks that a model states, as inline
// SVG. It leaves out the last element of the list, which describes all rows.
func CalibrationChart(of []risk.Calibration) template.HTML {
	c := newSquareChart("Observed risk against the stated risk", "stated risk", "observed risk")
	c.line(diagonal)
	of = slices.DeleteFunc(slices.Clone(of[:len(of)-1]), func(r risk.Calibration) bool { return r.Stated == nil })
	for i, r := range of {
		// Grades with the same stated risk are drawn side by side.
		before, after := 0, 0
		for j, other := range of {
			if *other.Stated == *r.Stated && j < i {
				before++
			} else if *other.Stated == *r.Stated && j > i {
				after++
			}
		}
		s := r.Shares[0]
		x, v := squareX(*r.Stated)+6*float64(before-after), Reliable(s)
		if v == nil {
			c.line(`<path class="faint" d="M%.1f %.1fV%.1f" stroke="#888" stroke-dasharray="3 3" fill="none"/>`, x, squareY(s.Least), squareY(s.Most))
			continue
		}
		c.line(`<path d="M%.1f %.1fV%.1fM%.1f %.1fh8M%.1f %.1fh8" stroke="currentColor" fill="none"/>`, x, squareY(s.Least), squareY(s.Most), x-4, squareY(s.Least), x-4, squareY(s.Most))
		c.line(`<circle cx="%.1f" cy="%.1f" r="3.5"/>`, x, squareY(*v))
	}
	return c.drawing()
}
