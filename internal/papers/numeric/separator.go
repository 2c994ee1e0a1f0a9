package numeric

// Separator returns the number of bits: "w_j is at least v" for each column and
// each possible weight v but the least, then "θ is at least t" for each
// threshold t but the least; with NormBits, then "‖w‖² is at least s" for each
// squared norm s but the least.
func (c *Class) Separator() int {
	m := len(c.thresholds) - 1 + max(0, len(c.norms)-1)
	for _, col := range c.columns {
		m += len(col.Weights) - 1
	}
	return m
}

// Separate returns those bits of h, column by column, v ascending. The bits of
// a column say its weight, so distinct halfspaces have distinct bits.
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

// A Charge is what a problem's terms and penalties cost, by what is chosen.
type Charge struct {
	Weight    [][]int64 // of each column, of each of its possible weights
	Threshold []int64   // of each threshold
	// Norm is what the squared norms cost, with NormBits.
	Norm map[int64]int64
}

// weight returns what column j's weight number i costs.
func (ch Charge) weight(j, i int) int64 {
	if ch.Weight == nil {
		return 0
	}
	return ch.Weight[j][i]
}

// norm returns what a squared norm costs.
func (ch Charge) norm(square int64) int64 { return ch.Norm[square] }

// Charge spreads terms, one for each bit of the separator or nil for none, and
// a penalty for each weight that is not 0 over the choices.
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
