package scorecard

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// An offsetSums holds lower bounds and counts that a walker computes after the last step. They are
// indexed by the sum of the offsets of all attributes but the last, because costs depend only on
// this sum and on the points of the last attribute.
type offsetSums struct {
	lo   int     // the least sum
	best []int64 // [i]: a lower bound, without the fixed part, on the cost of the cards with the sum lo+i
	// counts[i][u][s] is the number of ways to choose a vector for each of the attributes others[i:] such that u of
	// these attributes are used and their offsets sum to countsLo[i]+s. If it does not matter which attributes are
	// used, u is 0. counts is nil until needed.
	counts   [][][]*big.Int
	countsLo []int
	shares   []class.Upper // [i]: an upper bound on the fraction of leaves with the sum lo+i; nil until needed
}

// An option is a possible value of the next decision after the last step. Each option leads to one
// child of the node.
type option struct {
	value  int // the decided sum of offsets, offset, or value of a category
	used   int // at levelSum the number of used attributes other than the last; at levelOffset 1 if the attribute is used, otherwise 0
	next   int32
	leaves *big.Int
}

// minimizeOffsets computes w.sums after the last step, and returns a lower bound on the cost of the
// cards below the node, without the fixed part. For each sum of the offsets of the other
// attributes, two kinds of costs depend on the last attribute:
//
//   - The cost of the records with every category decided depends on the attribute's offset.
//   - The cost of the records with an undecided category depends on the points of that category.
//
// minimizeOffsets minimizes all these costs independently of each other and adds the minima. The
// result is the exact minimum if every combination of points within the attribute's range is one of
// its allowed vectors.
func (w *walker[T]) minimizeOffsets() int64 {
	r := &w.sums
	r.counts, r.shares = nil, nil
	r.lo = 0
	n := 1
	for _, j := range w.t.others {
		f := w.axisState(j)
		r.lo += f.offLo
		n += len(f.byOffset) - 1
	}
	if cap(r.best) < n {
		r.best = make([]int64, n)
	}
	r.best = r.best[:n]
	f := w.axisState(w.t.last)
	least := int64(math.MaxInt64)
	for i := range r.best {
		sum := r.lo + i
		cost := w.closedAt(sum + f.offLo)
		for v := f.offLo + 1; v <= f.offHi(); v++ {
			cost = min(cost, w.closedAt(sum+v))
		}
		for k := range w.t.tables.byCat {
			cost += w.leastAt(k, sum)
		}
		r.best[i] = cost
		least = min(least, cost)
	}
	return least
}

// closedAt returns the cost of the records with every category decided if the offsets of all
// attributes sum to total.
func (w *walker[T]) closedAt(total int) int64 {
	c := &w.t.tables.closed
	return int64(w.arena[int(c.at)+total-c.lo])
}

// costAt returns the cost of giving v points to the k-th undecided category of the last attribute:
// the cost of the records with this category, plus the cost of the category's terms. The parameter
// sum is the sum of the offsets of the other attributes.
func (w *walker[T]) costAt(k, sum, v int) int64 {
	c := &w.t.tables.byCat[k]
	cost := int64(w.arena[int(c.at)+sum+v-c.lo])
	if w.t.terms != nil {
		cost += c.terms[v-c.least]
	}
	return cost
}

// leastAt returns the minimum of costAt(k, sum, v) over all points v that the category may have.
func (w *walker[T]) leastAt(k, sum int) int64 {
	c := &w.t.tables.byCat[k]
	cost := w.costAt(k, sum, c.least)
	for v := c.least + 1; v <= c.most; v++ {
		cost = min(cost, w.costAt(k, sum, v))
	}
	return cost
}

// countUse returns the number of vectors with offset v that agree with the state f of an attribute.
// If it matters whether a card uses the attribute (see uses), the parameter used selects which
// vectors are counted: for 1 those that use the attribute, and for 0 those that do not.
func (w *walker[T]) countUse(f openState, v, used int) *big.Int {
	n := f.withOffset(v)
	if !w.countsUsed {
		return n
	}
	zero := f.zero && v == 0
	switch {
	case used == 0 && zero:
		return one
	case used == 0:
		return zeroCount
	case zero:
		return new(big.Int).Sub(n, one)
	default:
		return n
	}
}

// uses returns 2 if the cost or the validity of a card depends on the number of attributes that it
// uses, and otherwise 1. If it returns 2, the vectors of an attribute are counted in two cases:
// case 0 is the zero vector, which does not use the attribute, and case 1 all other vectors.
// Otherwise case 0 contains all vectors.
func (w *walker[T]) uses() int {
	if w.countsUsed {
		return 2
	}
	return 1
}

// countVectors counts, for each sum of offsets, how many choices of vectors of points have this
// sum. It stores the counts in w.sums.counts.
func (w *walker[T]) countVectors() {
	r := &w.sums
	if r.counts != nil {
		return
	}
	k := len(w.t.others)
	r.counts, r.countsLo = make([][][]*big.Int, k+1), make([]int, k+1)
	r.counts[k] = [][]*big.Int{{one}}
	var t big.Int
	for i := k - 1; i >= 0; i-- {
		f := w.openState(w.t.others[i])
		after := r.counts[i+1]
		r.countsLo[i] = r.countsLo[i+1] + f.offLo
		now := make([][]*big.Int, len(after)+w.uses()-1)
		for u := range now {
			now[u] = make([]*big.Int, len(after[0])+len(f.byOffset)-1)
			for s := range now[u] {
				now[u][s] = new(big.Int)
			}
		}
		for u := range after {
			for s, n := range after[u] {
				if n.Sign() == 0 {
					continue
				}
				for v := range f.byOffset {
					for used := range w.uses() {
						to := now[u+used][s+v]
						to.Add(to, t.Mul(n, w.countUse(f, f.offLo+v, used)))
					}
				}
			}
		}
		r.counts[i] = now
	}
}

// countAt returns the number of ways to choose a vector of points for each of the attributes
// others[i:], such that u of these attributes are used and their offsets have the given sum.
func (w *walker[T]) countAt(i, u, sum int) *big.Int {
	w.countVectors()
	r := &w.sums
	s := sum - r.countsLo[i]
	if u < 0 || u >= len(r.counts[i]) || s < 0 || s >= len(r.counts[i][u]) {
		return zeroCount
	}
	return r.counts[i][u][s]
}

// list returns the children of the current node, which must be after the last step, each with the
// number of cards below it.
func (w *walker[T]) list() []option {
	if w.listed {
		return w.options
	}
	w.options = w.options[:0]
	lv, f := &w.levels[w.depth], &w.frames[w.depth]
	add := func(o option, factors ...*big.Int) {
		o.leaves = new(big.Int).Set(one)
		for _, n := range factors {
			o.leaves.Mul(o.leaves, n)
		}
		if o.leaves.Sign() > 0 {
			w.options = append(w.options, o)
		}
	}
	last := func(g openState, offset int) *big.Int { // the number of valid vectors of the last attribute with this offset
		n := zeroCount
		for used := range w.uses() {
			if !w.countsUsed || f.used+used <= w.most {
				n = new(big.Int).Add(n, w.countUse(g, offset, used))
			}
		}
		return n
	}
	j := lv.attribute
	switch lv.kind {
	case levelSum:
		w.countVectors()
		for u := range w.sums.counts[0] {
			f.used = u
			for s := range w.sums.counts[0][u] {
				g := w.openState(w.t.last)
				n := zeroCount
				for v := g.offLo; v <= g.offHi(); v++ {
					n = new(big.Int).Add(n, last(g, v))
				}
				add(option{value: w.sums.lo + s, used: u}, w.sums.counts[0][u][s], n)
			}
		}
		f.used = 0
	case levelLastOffset:
		g := w.openState(j)
		for v := g.offLo; v <= g.offHi(); v++ {
			add(option{value: v}, last(g, v), w.countAt(0, f.used, f.sum))
		}
	case levelTail:
		for _, c := range w.axisState(j).choices {
			add(option{value: c.value, next: c.next}, last(w.openStateAfter(j, c.next), w.offset[j]), w.countAt(0, f.used, f.sum))
		}
	case levelOffset:
		g := w.openState(j)
		for used := range w.uses() {
			for v := g.offLo; v <= g.offHi(); v++ {
				add(option{value: v, used: used}, w.countUse(g, v, used), w.countAt(lv.other+1, f.used-used, f.sum-v))
			}
		}
	case levelFree:
		used := 0
		if f.isUsed {
			used = 1
		}
		for _, c := range w.axisState(j).choices {
			add(option{value: c.value, next: c.next}, w.countUse(w.openStateAfter(j, c.next), w.offset[j], used), w.countAt(lv.other+1, f.used, f.sum))
		}
	}
	w.listed = true
	return w.options
}

// sumShare returns an upper bound on the fraction of the cards below the node whose offsets, of all
// attributes but the last, have the sum sums.lo+i. It may be called only if it does not matter
// which attributes are used (see uses). The result is a convolution of the shares by offset of all
// attributes, in which every operation rounds up.
func (w *walker[T]) sumShare(i int) class.Upper {
	r := &w.sums
	if r.shares == nil {
		r.shares = make([]class.Upper, 1, len(r.best))
		r.shares[0] = class.One
		for _, j := range w.t.others {
			f := w.axisState(j)
			next := make([]class.Upper, len(r.shares)+len(f.byOffset)-1)
			for s, p := range r.shares {
				for v, q := range f.offShare {
					next[s+v] = next[s+v].Plus(p.Times(q))
				}
			}
			r.shares = next
		}
	}
	return r.shares[i]
}
