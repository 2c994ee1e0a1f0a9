package loglinear

import "math"

// Shrinking takes as large a part off a cell as off the direction that it is most of. So estimates
// of cells that are great by themselves lie no farther from what these have than some deviations of
// noise (limited translation, Efron and Morris 1972).

// ofCell is the variance of the noise of a cell, lines centred.
func (x *rest) ofCell() float64 {
	free := float64(x.axes[0].Size-1) * float64(x.axes[1].Size-1) / float64(len(x.rest))
	return float64(x.variance * free)
}

// great tells whether a cell by itself is more than noise makes of any.
func (x *rest) great(k int) bool {
	deviation := math.Sqrt(x.ofCell())
	return deviation > 0 && math.Abs(x.rest[k]) > float64(great*deviation)
}

const great = 6 // standard deviations of noise

// limited is the estimate of a cell at most so many deviations from what it has.
func (x *rest) limited(k int, estimate, within float64) float64 {
	most := float64(within * math.Sqrt(x.ofCell()))
	return min(max(estimate, x.rest[k]-most), x.rest[k]+most)
}

// translate limits the estimates of great cells, and tells whether there are any.
func (x *rest) translate(estimate []float64, within float64) bool {
	told := false
	for k := range x.rest {
		if x.great(k) {
			told = true
			estimate[k] = x.limited(k, estimate[k], within)
		}
	}
	if told {
		centre(estimate, x.axes[0].Size, x.axes[1].Size)
	}
	return told
}

// translation returns within how many deviations estimates of great cells are best, for the sum of
// squares, which is estimated without bias, but for a constant, by what rests moved by so much and their estimates tell.
func translation(pairs, nudged []*rest, estimates, moved [][]float64, size float64) float64 {
	limits := []float64{math.Inf(1), 2, 1, .5}
	risks := make([]float64, len(limits))
	for n, p := range pairs {
		for k, y := range p.rest {
			if !p.great(k) {
				continue
			}
			way := (nudged[n].rest[k] - y) / size
			for i, within := range limits {
				x, x2 := p.limited(k, estimates[n][k], within), nudged[n].limited(k, moved[n][k], within)
				risks[i] += float64((x-y)*(x-y)) + float64(2*p.variance*way*(x2-x))/size
			}
		}
	}
	best := 0
	for i, risk := range risks {
		if risk < risks[best] {
			best = i
		}
	}
	return limits[best]
}
