package numeric

// A Halfspace predicts 1 on the records whose weighted sum is at least the threshold.
type Halfspace struct {
	Weights   []int64 // one for each column
	Threshold int64
}

// Total returns the weighted sum of record x.
func (h Halfspace) Total(x []int64) int64 {
	total := int64(0)
	for j, w := range h.Weights {
		total += w * x[j]
	}
	return total
}

// Used returns the number of nonzero weights of the halfspace.
func (h Halfspace) Used() int {
	used := 0
	for _, w := range h.Weights {
		if w != 0 {
			used++
		}
	}
	return used
}

// Norm returns the squared Euclidean norm of the weights of the halfspace.
func (h Halfspace) Norm() int64 {
	norm := int64(0)
	for _, w := range h.Weights {
		norm += w * w
	}
	return norm
}
