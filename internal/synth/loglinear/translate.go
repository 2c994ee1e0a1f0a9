package loglinear

import "math"

// Shrinkage of singular values biases the estimates of cells with large residuals. A large residual of a single
// cell is reduced by about the same fraction as the singular value to whose vectors the cell contributes most.
// To limit this bias, the estimate of such a large cell is clamped to an interval of some standard deviations of
// the noise around its residual (limited translation, Efron and Morris 1972).

// free returns the number of degrees of freedom of the residuals divided by the number of cells.
func (x *residuals) free() float64 {
	return float64(x.axes[0].Size-1) * float64(x.axes[1].Size-1) / float64(len(x.values))
}

// ofCell returns the variance of the noise of a residual, which is less than that of a count because row and column
// means were subtracted.
func (x *residuals) ofCell() float64 { return float64(x.variance * x.free()) }

// significant reports whether the residual of cell k is so large that noise alone can hardly explain it.
func (x *residuals) significant(k int) bool {
	deviation := math.Sqrt(x.ofCell())
	return deviation > 0 && math.Abs(x.values[k]) > float64(significantDeviations*deviation)
}

const significantDeviations = 6 // standard deviations of noise

// limited clamps an estimate for cell k to an interval around the cell's residual. The parameter within is half the
// length of the interval, in standard deviations of the noise.
func (x *residuals) limited(k int, estimate, within float64) float64 {
	most := float64(within * math.Sqrt(x.ofCell()))
	return min(max(estimate, x.values[k]-most), x.values[k]+most)
}

// translate clamps the estimates of all cells with significant residuals to an interval around the residual (see
// limited). It reports whether there are such cells.
func (x *residuals) translate(estimate []float64, within float64) bool {
	found := false
	for k := range x.values {
		if x.significant(k) {
			found = true
			estimate[k] = x.limited(k, estimate[k], within)
		}
	}
	if found {
		centre(estimate, x.axes[0].Size, x.axes[1].Size)
	}
	return found
}

// translation returns the best value of translate's parameter within: among a few values, the one with the least
// estimate of the squared error of large cells. The estimate is unbiased up to a constant.
//
// This estimate contains a divergence, which translation computes from a random perturbation of the given size: the
// slice estimates belongs to the residuals pairs, and the slice moved to the perturbed residuals nudged.
func translation(pairs, nudged []*residuals, estimates, moved [][]float64, size float64) float64 {
	limits := []float64{math.Inf(1), 2, 1, .5}
	risks := make([]float64, len(limits))
	for n, p := range pairs {
		for k, y := range p.values {
			if !p.significant(k) {
				continue
			}
			direction := (nudged[n].values[k] - y) / size
			for i, within := range limits {
				x, x2 := p.limited(k, estimates[n][k], within), nudged[n].limited(k, moved[n][k], within)
				risks[i] += float64((x-y)*(x-y)) + float64(2*p.variance*direction*(x2-x))/size
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
