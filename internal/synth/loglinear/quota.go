package loglinear

// Quota assigns n places to shares, in their order and in proportion to their sizes: place i goes to
// the share that contains the fraction (i + u)/n of their sum, for u in [0, 1). It returns the index
// of the share of each place. If all shares are 0, they count as equal.
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
