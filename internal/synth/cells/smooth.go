package cells

import "slices"

// Adjacent values of an ordered column mostly have similar counts. So smooth reduces the differences between a count
// and a weighted mean of the counts around it, if noise can explain them. It does this at several scales, by the
// starlet transform (Starck, Fadili and Murtagh 2007): each scale replaces the counts by weighted means over twice as
// many values. The counts are the sum of the last means and of the differences at all scales.

// manyValues is the minimum number of values of an ordered column whose counts are smoothed. Fewer values have too
// few differences of counts, from which smooth chooses its thresholds.
const manyValues = 32

// fewScales limits the distance over which smooth averages counts. It averages counts at distance 1, then 2, 4 and so
// on, up to the number of values divided by fewScales.
const fewScales = 4

// smooth estimates the exact counts of adjacent values from noisy counts, whose noise has the given variance. It also
// returns Stein's estimate of the total squared error (the risk) of the result. This estimate is too small on
// average, because smooth chooses thresholds that minimize it; for fixed thresholds it would be unbiased.
func smooth(counts []float64, variance float64) (estimate []float64, risk float64) {
	// The counts are continued by their reflection, so that the first and the last are adjacent.
	means := slices.Concat(counts, counts)
	slices.Reverse(means[len(counts):])
	impulse := make([]float64, len(means)) // the means of a single count of 1
	impulse[0] = 1
	estimate = make([]float64, len(counts))
	slopes := 0.0 // the sum of the derivatives of each estimate by its own count
	for width := 1; width*fewScales <= len(counts); width *= 2 {
		wider, reach := around(means, width), around(impulse, width)
		for i := range means {
			means[i] -= wider[i]
			impulse[i] -= reach[i]
		}
		shrunk := shrinkSmall(means, float64(variance*squares(impulse)))
		for i := range estimate {
			estimate[i] += shrunk[i]
			if shrunk[i] != 0 {
				slopes += float64(impulse[0] * (2 - shrunk[i]/means[i])) // 1 + t²/x² for the shrunk number x - t²/x
			}
		}
		means, impulse = wider, reach
	}
	slopes += float64(impulse[0] * float64(len(counts)))
	risk = float64(variance * (float64(2*slopes) - float64(len(counts))))
	for i, x := range counts {
		estimate[i] += means[i]
		risk += float64((estimate[i] - x) * (estimate[i] - x))
	}
	return estimate, max(0, risk)
}

// around returns, for each number in the slice, the weighted mean of the number itself and of the four numbers at the
// distances width and 2·width on both sides, with the weights 6, 4 and 1. The numbers form a ring: the first one
// follows the last one.
func around(of []float64, width int) []float64 {
	n := len(of)
	means := make([]float64, n)
	for i := range of {
		at := func(k int) float64 { return of[(i+k*width+2*n)%n] }
		means[i] = (at(-2) + at(2) + float64(4*(at(-1)+at(1))) + float64(6*at(0))) / 16
	}
	return means
}

func squares(of []float64) float64 {
	sum := 0.0
	for _, x := range of {
		sum += float64(x * x)
	}
	return sum
}

// shrinkSmall replaces each number x by x - t²/x, or by 0 if |x| ≤ t. This is the garrote of Gao (1998), which
// removes small numbers and changes large numbers little. The numbers have noise of the given variance, and the
// threshold t is the one with the least unbiased estimate (Stein's) of the sum of squared errors.
func shrinkSmall(of []float64, variance float64) []float64 {
	sizes := make([]float64, len(of))
	risk := 0.0 // of the numbers up to a size, if all of them became 0, less their risk if none changed
	for i, x := range of {
		sizes[i] = float64(x * x)
		risk += sizes[i] - float64(2*variance)
	}
	slices.Sort(sizes)
	threshold, least := 0.0, 0.0 // threshold is t²
	inverses := 0.0              // the sum of 1/x² over the numbers beyond the size
	for _, size := range slices.Backward(sizes) {
		if size == 0 {
			break
		}
		if all := risk + float64(float64(size*(size+float64(2*variance)))*inverses); all < least {
			threshold, least = size, all
		}
		risk -= size - float64(2*variance)
		inverses += 1 / size
	}
	shrunk := make([]float64, len(of))
	for i, x := range of {
		if float64(x*x) > threshold {
			shrunk[i] = x - threshold/x
		}
	}
	return shrunk
}
