package cells

import (
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
)

// Spread turns rows of pooled values into rows of values: the values below each pooled
// value take their shares of its rows by quota. Rows that would break a rule then take
// other values below their pooled ones, or, where none keep the rules, what another row
// has in the columns of the rules, or what the witness has, a row of values that keeps all
// rules; so no row breaks one. Rows are indexed by column, then row, and are used up. The
// draws follow from the seed.
func Spread(rows [][]uint16, of []*Pooling, rules []Rule, witness []uint16, seed uint64) [][]uint16 {
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
		newKeeper(out, of, rules, rand.New(rand.NewPCG(seed, uint64(len(rows))))).keep(rows, witness)
	}
	return out
}

// below lists the values of each pooled value.
func (p *Pooling) below() [][]uint16 {
	below := make([][]uint16, p.Size)
	for v, c := range p.Cells {
		below[c] = append(below[c], uint16(v))
	}
	return below
}

// spread gives rows values, with room for the rows of each pooled value, one after the other.
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
