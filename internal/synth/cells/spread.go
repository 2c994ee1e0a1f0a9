package cells

import (
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
)

// Spread replaces the pooled values of rows by original values. It distributes the rows with a pooled value among
// the values that were merged into it, in proportion to the counts of these values (loglinear.Quota).
//
// All returned rows satisfy the rules. A row that violates a rule is repaired in up to three steps:
//
//   - If exchange is true, it exchanges values with other rows, which keeps the count of each value.
//   - If it still violates a rule, Spread searches for other values with the same pooled values that satisfy all rules.
//   - If the search finds none, Spread copies the values of the restricted columns from another row that satisfies the
//     rules, or from the witness, an example row that satisfies them.
//
// The slices of rows are indexed by column, then by row, and Spread overwrites them. All random choices are
// determined by the seed.
func Spread(rows [][]uint16, of []*Pooling, rules []Rule, witness []uint16, seed uint64, exchange bool) [][]uint16 {
	out := make([][]uint16, len(rows))
	var order []int32
	for c, col := range rows {
		order = slices.Grow(order[:0], len(col))[:len(col)]
		out[c] = of[c].spread(col, order, rand.New(rand.NewPCG(seed, uint64(c))))
		if len(rules) == 0 {
			rows[c] = nil
		}
	}
	if len(rules) > 0 && len(rows) > 0 {
		k := newKeeper(out, of, rules, rand.New(rand.NewPCG(seed, uint64(len(rows)))))
		if exchange {
			k.exchange(rows)
		}
		k.keep(rows, witness)
	}
	return out
}

// below returns, for each pooled value, the original values that were merged into it.
func (p *Pooling) below() [][]uint16 {
	below := make([][]uint16, p.Size)
	for v, c := range p.Cells {
		below[c] = append(below[c], uint16(v))
	}
	return below
}

// spread selects an original value for each row in one column. The slice pooled has the pooled value of each row,
// and the slice order is scratch space of the same length.
func (p *Pooling) spread(pooled []uint16, order []int32, random *rand.Rand) []uint16 {
	next := make([]int, p.Size+1)
	for _, c := range pooled {
		next[c+1]++
	}
	for c := range p.Size {
		next[c+1] += next[c]
	}
	for i, c := range pooled {
		order[next[c]] = int32(i)
		next[c]++
	}
	out, first := make([]uint16, len(pooled)), 0
	for c, values := range p.below() {
		rows := order[first:next[c]]
		first = next[c]
		shares := make([]float64, len(values))
		for k, v := range values {
			shares[k] = p.Counts[v]
		}
		to := loglinear.Quota(len(rows), shares, random.Float64())
		random.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
		for i, r := range rows {
			out[r] = values[to[i]]
		}
	}
	return out
}
