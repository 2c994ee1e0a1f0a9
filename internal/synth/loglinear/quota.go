package loglinear

// Quota distributes n items over categories in proportion to their shares, by systematic sampling. It returns
// the category of each item, in non-decreasing order. Think of the shares as intervals that are placed one after
// the other. Item i gets the category whose interval contains the point (i + u)/n · (sum of the shares), where u
// is in [0, 1). If all shares are 0, Quota treats them as equal.
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
