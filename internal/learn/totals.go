package learn

// equalTotals changes noisy sums in place so that all lists of sums have the same total, and
// returns this total. Without noise the totals are equal, because each row contributes the same
// number to one entry of each list. The changed entries and the total are the best linear unbiased
// estimates.
//
// variances[j] is the variance of the noise of an entry of list j, up to a common factor. The noise
// of all entries is independent. after[j] is the variance of the error of a changed entry of list
// j, up to the same factor.
//
// The change is a function of noisy sums and public numbers, so it is post-processing
// (docs/explanation/proofs/consistent.md).
func equalTotals(lists [][]float64, variances []float64) (total float64, after []float64) {
	weights, all := make([]float64, len(lists)), 0.0
	for j, list := range lists {
		weights[j] = 1 / (float64(len(list)) * variances[j])
		all += weights[j]
	}
	totals := make([]float64, len(lists))
	for j, list := range lists {
		for _, v := range list {
			totals[j] += v
		}
		total += weights[j] / all * totals[j]
	}
	for j, list := range lists {
		n := float64(len(list))
		for k := range list {
			list[k] += (total - totals[j]) / n
		}
		after = append(after, variances[j]*(1-(1-weights[j]/all)/n))
	}
	return total, after
}
