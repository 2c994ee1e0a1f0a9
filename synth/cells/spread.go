package cells

import (
	"math/rand/v2"

	"github.com/sibyl-dp/sibyl/synth/loglinear"
)

// Spread turns rows of pooled values into rows of values: the values below each pooled
// value take their shares of its rows by quota. Rows that would break a rule then take
// other values below their pooled ones, or, where none keep the rules, what another row
// has in the columns of the rules, or what the witness has, a row of values that keeps all
// rules; so no row breaks one. Rows are indexed by column, then row. The draws follow from
// the seed.
func Spread(rows [][]uint16, of []*Pooling, rules []Rule, witness []uint16, seed uint64) [][]uint16 {
	out := make([][]uint16, len(rows))
	for c, col := range rows {
		out[c] = of[c].spread(col, rand.New(rand.NewPCG(seed, uint64(c))))
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

func (p *Pooling) spread(pooled []uint16, random *rand.Rand) []uint16 {
	rows := make([][]int32, p.Size)
	for i, c := range pooled {
		rows[c] = append(rows[c], int32(i))
	}
	out := make([]uint16, len(pooled))
	for c, values := range p.below() {
		shares := make([]float64, len(values))
		for k, v := range values {
			shares[k] = p.Counts[v]
		}
		to := loglinear.Quota(len(rows[c]), shares, random.Float64())
		random.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
		for i, r := range rows[c] {
			out[r] = values[to[i]]
		}
	}
	return out
}
