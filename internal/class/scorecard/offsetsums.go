package scorecard

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// OffsetSums are what a walker knows at the end of the steps, by the sum of the
// offsets of all attributes but the last: that and the last attribute are what is
// left to decide on which costs depend.
type offsetSums struct {
	lo   int     // the least sum
	best []int64 // for each sum from lo on: the least cost, without the fixed part
	// ways[i][u][s] counts the vectors of all attributes but the last, from the
	// i-th of these on, with u of them used and offsets that sum to waysLo[i]+s;
	// nil until asked for. Where use is not tracked, u is 0.
	ways   [][][]*big.Int
	waysLo []int
	shares []class.Upper // of the sums; nil until asked for
}

// An option is a child behind the steps.
type option struct {
	value  int // a sum, an offset, or a value
	used   int // how many attributes but the last, or whether this one is
	next   int32
	leaves *big.Int
}

// close works out the sums at the end of the steps, and returns its least
// cost: a minimum over the sum of the offsets of minima that, the sum given,
// are independent. Where the last attribute's vectors are all those within
// bounds, it is exact.
func (w *walker[T]) close() int64 {
	r := &w.sums
	r.ways, r.shares = nil, nil
	r.lo = 0
	n := 1
	for _, j := range w.t.others {
		f := w.filling(j)
		r.lo += f.offLo
		n += len(f.byOffset) - 1
	}
	if cap(r.best) < n {
		r.best = make([]int64, n)
	}
	r.best = r.best[:n]
	f := w.filling(w.t.last)
	least := int64(math.MaxInt64)
	for i := range r.best {
		sum := r.lo + i
		cost := w.closedAt(sum + f.offLo)
		for v := f.offLo + 1; v <= f.offHi(); v++ {
			cost = min(cost, w.closedAt(sum+v))
		}
		for k := range w.t.open.byCat {
			cost += w.leastAt(k, sum)
		}
		r.best[i] = cost
		least = min(least, cost)
	}
	return least
}

// closedAt returns the cost of the records with every category decided, when
// all offsets sum to total.
func (w *walker[T]) closedAt(total int) int64 {
	c := &w.t.open.closed
	return int64(w.arena[int(c.at)+total-c.lo])
}

// costAt returns the cost of the records of the k-th category of the tail when
// it contributes v and the offsets of the attributes but the last come to sum.
func (w *walker[T]) costAt(k, sum, v int) int64 {
	c := &w.t.open.byCat[k]
	cost := int64(w.arena[int(c.at)+sum+v-c.lo])
	if w.t.terms != nil {
		cost += c.terms[v-c.least]
	}
	return cost
}

// leastAt returns the least such cost over all contributions.
func (w *walker[T]) leastAt(k, sum int) int64 {
	c := &w.t.open.byCat[k]
	cost := w.costAt(k, sum, c.least)
	for v := c.least + 1; v <= c.most; v++ {
		cost = min(cost, w.costAt(k, sum, v))
	}
	return cost
}

// split counts the vectors of a prospect with offset v: all of them where use
// is not tracked, and otherwise those that are used, or not.
func (w *walker[T]) split(f prospect, v, used int) *big.Int {
	n := f.withOffset(v)
	if !w.tracked {
		return n
	}
	zero := f.zero && v == 0
	switch {
	case used == 0 && zero:
		return one
	case used == 0:
		return nothing
	case zero:
		return new(big.Int).Sub(n, one)
	default:
		return n
	}
}

// uses returns how many values an attribute's use has: 1 where it does not
// matter.
func (w *walker[T]) uses() int {
	if w.tracked {
		return 2
	}
	return 1
}

// countWays fills sums.ways.
func (w *walker[T]) countWays() {
	r := &w.sums
	if r.ways != nil {
		return
	}
	k := len(w.t.others)
	r.ways, r.waysLo = make([][][]*big.Int, k+1), make([]int, k+1)
	r.ways[k] = [][]*big.Int{{one}}
	var t big.Int
	for i := k - 1; i >= 0; i-- {
		f := w.prospect(w.t.others[i])
		after := r.ways[i+1]
		r.waysLo[i] = r.waysLo[i+1] + f.offLo
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
						to.Add(to, t.Mul(n, w.split(f, f.offLo+v, used)))
					}
				}
			}
		}
		r.ways[i] = now
	}
}

// waysAt counts the vectors of the attributes but the last, from the i-th of these
// on, with u of them used and offsets that come to sum.
func (w *walker[T]) waysAt(i, u, sum int) *big.Int {
	w.countWays()
	r := &w.sums
	s := sum - r.waysLo[i]
	if u < 0 || u >= len(r.ways[i]) || s < 0 || s >= len(r.ways[i][u]) {
		return nothing
	}
	return r.ways[i][u][s]
}

// list lists the children of a node behind the steps, with their leaves.
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
	last := func(g prospect, offset int) *big.Int { // completions of the last attribute
		n := nothing
		for used := range w.uses() {
			if !w.tracked || f.used+used <= w.most {
				n = new(big.Int).Add(n, w.split(g, offset, used))
			}
		}
		return n
	}
	j := lv.attribute
	switch lv.kind {
	case levelSum:
		w.countWays()
		for u := range w.sums.ways[0] {
			f.used = u
			for s := range w.sums.ways[0][u] {
				g := w.prospect(w.t.last)
				n := nothing
				for v := g.offLo; v <= g.offHi(); v++ {
					n = new(big.Int).Add(n, last(g, v))
				}
				add(option{value: w.sums.lo + s, used: u}, w.sums.ways[0][u][s], n)
			}
		}
		f.used = 0
	case levelLastOffset:
		g := w.prospect(j)
		for v := g.offLo; v <= g.offHi(); v++ {
			add(option{value: v}, last(g, v), w.waysAt(0, f.used, f.sum))
		}
	case levelTail:
		for _, c := range w.filling(j).choices {
			add(option{value: c.value, next: c.next}, last(w.behind(j, c.next), w.offset[j]), w.waysAt(0, f.used, f.sum))
		}
	case levelOffset:
		g := w.prospect(j)
		for used := range w.uses() {
			for v := g.offLo; v <= g.offHi(); v++ {
				add(option{value: v, used: used}, w.split(g, v, used), w.waysAt(lv.other+1, f.used-used, f.sum-v))
			}
		}
	case levelFree:
		used := 0
		if f.isUsed {
			used = 1
		}
		for _, c := range w.filling(j).choices {
			add(option{value: c.value, next: c.next}, w.split(w.behind(j, c.next), w.offset[j], used), w.waysAt(lv.other+1, f.used, f.sum))
		}
	}
	w.listed = true
	return w.options
}

// sumShare bounds the share of the i-th sum in the leaves below, where use is
// not tracked: a convolution of each attribute's shares by offset, each step
// rounded up.
func (w *walker[T]) sumShare(i int) class.Upper {
	r := &w.sums
	if r.shares == nil {
		r.shares = make([]class.Upper, 1, len(r.best))
		r.shares[0] = class.One
		for _, j := range w.t.others {
			f := w.filling(j)
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
