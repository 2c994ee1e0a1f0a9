package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/risk"
)

// at returns the height at x of a falling line whose points are given from right to left. If the line
// is vertical at x, at returns its upper end if high is true, and otherwise its lower end.
func at(line []point, x float64, high bool) float64 {
	best, found := 0., false
	for i := 1; i < len(line); i++ {
		right, left := line[i-1], line[i]
		if x < left.x-1e-12 || x > right.x+1e-12 {
			continue
		}
		ys := []float64{left.y, right.y}
		if right.x > left.x {
			y := left.y + (right.y-left.y)*(x-left.x)/(right.x-left.x)
			ys = []float64{y}
		}
		for _, y := range ys {
			if !found || high == (y > best) {
				best, found = y, true
			}
		}
	}
	return best
}

// If sensitivity and specificity are within their intervals at every threshold, the ROC curve lies in
// the band.
func TestROCBand(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 2 + r.IntN(6)
		shares := func() (of []float64) {
			for of = append(of, 1); len(of) < n; {
				of = append(of, of[len(of)-1]*r.Float64())
			}
			return append(of, 0)
		}
		around := func(v float64) risk.Share {
			if v == 0 || v == 1 {
				return risk.Share{Value: &v, Least: v, Most: v}
			}
			return risk.Share{Value: &v, Least: v * r.Float64(), Most: v + (1-v)*r.Float64()}
		}
		var curve []point
		var of []risk.Threshold
		for _, x := range shares() {
			curve, of = append(curve, point{x, 0}), append(of, risk.Threshold{Specificity: around(1 - x)})
		}
		for i, y := range shares() {
			curve[i].y, of[i].Sensitivity = y, around(y)
		}
		upper, lower := rocBand(of)
		for i := 1; i < len(curve); i++ {
			for range 10 {
				s := r.Float64()
				p := point{curve[i-1].x*s + curve[i].x*(1-s), curve[i-1].y*s + curve[i].y*(1-s)}
				if high, low := at(upper, p.x, true), at(lower, p.x, false); p.y > high+1e-9 || p.y < low-1e-9 {
					t.Fatalf("%v is outside %v to %v", p, low, high)
				}
			}
		}
	}
}

// The drawings omit estimates with uninformative intervals, and contain no script.
func TestSquareCharts(t *testing.T) {
	v, w := 0.4, 0.7
	sure := func(v float64) risk.Share { return risk.Share{Value: &v, Least: v, Most: v} }
	close, wide := risk.Share{Value: &v, Least: 0.3, Most: 0.5}, risk.Share{Value: &w, Least: 0.1, Most: 0.9}
	drawing := string(ROCChart(&risk.Assessment{Thresholds: []risk.Threshold{
		{Sensitivity: sure(1), Specificity: sure(0)}, {Sensitivity: close, Specificity: close}, {Sensitivity: wide, Specificity: close}, {Sensitivity: sure(0), Specificity: sure(1)},
	}}))
	if strings.Count(drawing, "<circle") != 3 || !strings.HasPrefix(drawing, "<svg ") || !strings.HasSuffix(drawing, "</svg>\n") {
		t.Errorf("the characteristic is %s", drawing)
	}
	drawing = string(CalibrationChart([]risk.Calibration{
		{Risk: risk.Risk{Shares: []risk.Share{close}}, Stated: &v}, {Risk: risk.Risk{Shares: []risk.Share{wide}}, Stated: &w}, {Risk: risk.Risk{Shares: []risk.Share{close}}}, {Risk: risk.Risk{Shares: []risk.Share{close}}, Stated: &v},
	}))
	if strings.Count(drawing, "<circle") != 1 || strings.Count(drawing, "faint") != 1 {
		t.Errorf("the calibration is %s", drawing)
	}
}
