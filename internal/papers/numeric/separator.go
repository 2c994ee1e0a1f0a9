package numeric

// Separator returns the number of separator bits. Each bit is the truth value of an inequality for the weights w and
// the threshold θ:
//
//   - "w_j ≥ v" for each column j and each of its possible weights v except the least
//   - "θ ≥ t" for each threshold t except the least
//   - with NormBits, "‖w‖² ≥ s" for each squared norm s of Norms except the least
func (c *Class) Separator() int {
	m := len(c.thresholds) - 1 + max(0, len(c.norms)-1)
	for _, col := range c.columns {
		m += len(col.Weights) - 1
	}
	return m
}

// Separate returns the separator bits of h: the truth values of the inequalities in the order in which Separator
// describes them, with v, t and s ascending. Different halfspaces have different bits.
func (c *Class) Separate(h Halfspace) []bool {
	set := make([]bool, 0, c.Separator())
	for j, col := range c.columns {
		for _, v := range col.Weights[1:] {
			set = append(set, h.Weights[j] >= v)
		}
	}
	for _, t := range c.thresholds[1:] {
		set = append(set, h.Threshold >= t)
	}
	if c.options.NormBits {
		norm := h.Norm()
		for _, s := range c.norms[1:] {
			set = append(set, norm >= s)
		}
	}
	return set
}

// A Charge holds the costs that a problem's terms and penalties give to each possible weight, threshold and squared
// norm.
type Charge struct {
	Weight    [][]int64       // for each column, the cost of each of its possible weights
	Threshold []int64         // the cost of each threshold
	Norm      map[int64]int64 // with NormBits, the cost of each squared norm
}

// weight returns the cost of the weight with the index i in the list of possible weights of column j.
func (ch Charge) weight(j, i int) int64 {
	if ch.Weight == nil {
		return 0
	}
	return ch.Weight[j][i]
}

// norm returns the cost of the given squared norm.
func (ch Charge) norm(square int64) int64 { return ch.Norm[square] }

// Charge converts the terms on the separator bits, and the penalty of each nonzero weight, to costs of weights,
// thresholds and norms. If terms is nil, all terms are 0.
func (c *Class) Charge(terms []int64, penalty int64) Charge {
	next := func(n int) []int64 {
		costs := make([]int64, n)
		if terms != nil {
			for i := range n - 1 {
				costs[i+1] = costs[i] + terms[i]
			}
			terms = terms[n-1:]
		}
		return costs
	}
	var ch Charge
	for _, col := range c.columns {
		costs := next(len(col.Weights))
		for i, w := range col.Weights {
			if w != 0 {
				costs[i] += penalty
			}
		}
		ch.Weight = append(ch.Weight, costs)
	}
	ch.Threshold = next(len(c.thresholds))
	if c.options.NormBits {
		ch.Norm = map[int64]int64{}
		for i, cost := range next(len(c.norms)) {
			ch.Norm[c.norms[i]] = cost
		}
	}
	return ch
}
