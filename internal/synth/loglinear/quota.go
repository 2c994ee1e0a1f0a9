package loglinear

// Quota distributes n items over categories in proportion to their shares, by systematic sampling. It returns the
// category of each item, in non-decreasing order. If all shares are 0, Quota treats them as equal.
//
// To do this, it divides the interval from 0 to the sum of the shares into adjacent intervals, one for each category,
// of the length of its share. Item i gets the category whose interval contains (i + u)/n times the sum of the shares.
// The offset u is in [0, 1).
func Quota(n int, shares []float64, u float64) []int32 {
	sum := 0.0
	for _, s := range shares {
		sum += s
	}
	to := make([]int32, n)
	if !(sum > 0) {
		for i := range to {
			to[i] = int32(i * len(shares) / n)
		}
		return to
	}
	k, passed := 0, shares[0]
	for i := range to {
		for at := (float64(i) + u) / float64(n) * sum; passed <= at && k+1 < len(shares); {
			k++
			passed += shares[k]
		}
		// Rounding errors may lead past the last share that is not 0.
		for k > 0 && shares[k] <= 0 {
			k--
		}
		to[i] = int32(k)
	}
	return to
}
