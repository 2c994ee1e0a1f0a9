package cells

import (
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
)

// Spread replaces the pooled values of rows by values. It distributes the rows with a given pooled value among the
// values of this pooled value, in proportion to the counts of these values (loglinear.Quota).
//
// All returned rows satisfy the rules. Rows that violate a rule are changed in up to three steps:
//
//   - If exchange is true, they exchange values with other rows, which keeps all counts.
//   - A row that still violates a rule gets other values with the same pooled values.
//   - If the search finds no such values that satisfy all rules, the row gets the values of another row, or of the
//     witness, in the columns of the rules. The witness is a row that satisfies all rules.
//
// The rows are indexed by column, then by row. Spread overwrites them. All randomness follows from the seed.
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

// below returns, for each pooled value, the original values that are pooled into it.
func (p *Pooling) below() [][]uint16 {
	below := make([][]uint16, p.Size)
	for v, c := range p.Cells {
		below[c] = append(below[c], uint16(v))
	}
	return below
}

// spread selects an original value for each row, given the row's pooled value. The parameter pooled has the pooled
// values of the rows in one column. The parameter order is scratch space of the same length.
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
