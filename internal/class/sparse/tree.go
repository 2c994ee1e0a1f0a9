package sparse

import (
	"context"
	"runtime"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/lazy"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// columns holds the points of a problem column by column, one column for each attribute. The tables
// of all sets are counted from these columns.
type columns struct {
	class   *Class
	p       class.Problem[[]uint16]
	groups  [][]uint8 // [attribute][point]: the group of the point
	totals  []uint16  // [point]: the total under the base, minus low and clamped to 0..width-1
	low     int       // the total that totals represents by 0
	width   int       // the number of values that totals may have
	d       []int64   // [point]: the cost of predicting 1 minus that of predicting 0
	base    int64     // the cost of predicting 0 for all points
	ceiling int64     // an upper bound on the cost of a card without its charge
}

// newColumns returns the columns of problem p. The costs of p must fit 62 bits.
func (c *Class) newColumns(p class.Problem[[]uint16]) *columns {
	k := &columns{class: c, p: p, groups: make([][]uint8, len(c.groups)), width: 1}
	if c.base != nil {
		// A record with a total outside this range has the same prediction for all points that a
		// card may have on a set.
		most := 2 * c.options.Most * c.options.Points
		k.low, k.width = c.options.Threshold-most-1, 2*most+2
	}
	for _, pt := range p.Points {
		k.base += pt.Cost[0]
		d := pt.Cost[1] - pt.Cost[0]
		if d == 0 {
			continue
		}
		k.ceiling += max(d, 0)
		total := 0
		for j, category := range pt.X {
			g := c.group(j, category)
			k.groups[j] = append(k.groups[j], uint8(g))
			if c.base != nil {
				total += c.base[j][g]
			}
		}
		k.totals = append(k.totals, uint16(min(max(total-k.low, 0), k.width-1)))
		k.d = append(k.d, d)
	}
	k.ceiling += k.base
	for _, t := range p.Terms {
		k.ceiling += max(t, 0)
	}
	return k
}

// cells returns the number of cells in the cost table of the set s of attributes.
func (k *columns) cells(s set) int {
	n := k.width
	for _, j := range s {
		n *= k.class.groups[j]
	}
	return n
}

// table returns the cost table of the i-th set of attributes. A cell is the sum of the cost differences d of the
// points with one combination of groups and one total. Cells are ordered by group, where the last attribute varies
// fastest, and then by total. table uses the memory of cells if it suffices. If the class has given tables, table
// returns the given table instead.
func (k *columns) table(i int, cells []int64) []int64 {
	if k.class.tables != nil {
		return k.class.tables[i]
	}
	s := k.class.sets[i]
	n := k.cells(s)
	if cap(cells) < n {
		cells = make([]int64, n)
	}
	cells = cells[:n]
	clear(cells)
	at := make([]int32, blockSize)
	for from := 0; from < len(k.d); from += blockSize {
		d := k.d[from:min(from+blockSize, len(k.d))]
		at := at[:len(d)]
		clear(at)
		for _, j := range s {
			size := int32(k.class.groups[j])
			for i, g := range k.groups[j][from : from+len(d)] {
				at[i] = at[i]*size + int32(g)
			}
		}
		if k.width > 1 {
			for i, t := range k.totals[from : from+len(d)] {
				at[i] = at[i]*int32(k.width) + int32(t)
			}
		}
		for i, v := range d {
			cells[at[i]] += v
		}
	}
	return cells
}

// blockSize is the number of points that are counted at a time. Their columns fit into a processor
// cache.
const blockSize = 1 << 10

// forEachCell calls the function yield for each combination of groups of the attributes of set s.
// The arguments are the groups, the sum of the base's points for them, and the cells of the table
// for this combination, indexed by total.
func (k *columns) forEachCell(s set, table []int64, yield func(groups []uint16, base int, cells []int64)) {
	groups := make([]uint16, len(s))
	for at := 0; at < len(table); at += k.width {
		base := 0
		if k.class.base != nil {
			for i, j := range s {
				base += k.class.base[j][groups[i]]
			}
		}
		yield(groups, base, table[at:at+k.width])
		for i := len(s) - 1; i >= 0; i-- {
			if groups[i]++; int(groups[i]) < k.class.groups[s[i]] {
				break
			}
			groups[i] = 0
		}
	}
}

// leastCost returns a lower bound on the cost of the cards on the set s of attributes, minus the
// cost of predicting 0 for all points. The points of a card on the set add the same number, at most
// maxTotal in absolute value, to the totals of all records with one combination of groups. For each
// combination, the bound takes the number for which the records cost least.
func (k *columns) leastCost(s set, table []int64) int64 {
	sum, reach := int64(0), k.class.maxTotal(s)
	k.forEachCell(s, table, func(_ []uint16, base int, cells []int64) {
		// The prediction is 1 for the records with totals of at least first. first ranges over
		// from..to, relative to low: 0 means all records of the combination, and width means none.
		from := k.class.options.Threshold + base - reach - k.low
		to := min(max(from+2*reach, 0), k.width)
		from = min(max(from, 0), k.width)
		cost := int64(0)
		for _, d := range cells[to:] {
			cost += d
		}
		best := cost
		for first := to - 1; first >= from; first-- {
			cost += cells[first]
			best = min(best, cost)
		}
		sum += best
	})
	return sum
}

// points returns the points of the problem for the cards on the set with index i: one point for
// each cell of the set's table that is not 0.
func (k *columns) points(i int) (points []class.Point[[]uint16]) {
	s := k.class.sets[i]
	reach := k.class.maxTotal(s)
	k.forEachCell(s, k.table(i, nil), func(groups []uint16, base int, cells []int64) {
		for t, d := range cells {
			if d == 0 {
				continue
			}
			x := append([]uint16(nil), groups...)
			if k.class.options.Draws > 1 {
				rest := k.low + t - base - k.class.options.Threshold
				x = append(x, uint16(min(max(rest, -reach-1), reach)+reach+1))
			}
			points = append(points, class.Point[[]uint16]{X: x, Cost: [2]int64{0, d}})
		}
	})
	return points
}

// terms selects the linear terms of a problem that apply to the cards on the set with index i. The
// result own has the terms on the separator bits that encode a card within its part, and extra is
// the sum of the terms on the bits that are 1 in the index i.
func (c *Class) terms(terms []int64, i int) (own []int64, extra int64) {
	if terms == nil {
		return nil, 0
	}
	at := c.selector()
	for b, t := range terms[:at] {
		if i>>b&1 == 1 {
			extra += t
		}
	}
	return terms[at : at+c.parts[i].Separator()], extra
}

// Tree counts the cost table of every set of attributes. It does not build the search trees of the
// sets yet.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[Card], error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	k := c.newColumns(p)
	parts := lazy.Parts[Card]{List: make([]lazy.Part, len(c.sets)), Build: k.buildPart, Ceiling: k.ceiling, CacheBytes: keptBytes}
	k.fillParts(parts.List)
	parts.Ceiling += slices.Max(c.charges) * p.PenaltyUnit()
	return lazy.New(parts), nil
}

// spread returns an upper bound on the sum of the absolute costs of the points and terms of problem
// p. The result ok reports whether these costs and the charges fit into 62 bits.
func (c *Class) spread(p class.Problem[[]uint16]) (bound int64, ok bool) {
	return p.Spread(slices.Max(c.charges))
}

// fillParts computes the elements of parts, which describe every part of the class to package lazy,
// on several threads.
func (k *columns) fillParts(parts []lazy.Part) {
	parallel.Do(context.Background(), min(runtime.GOMAXPROCS(0), mostThreads), len(parts), func() func(i int) {
		var cells []int64
		return func(i int) {
			table := k.table(i, cells)
			parts[i] = k.partOf(i, table)
			if k.class.tables == nil {
				cells = table
			}
		}
	})
}

// mostThreads is the maximum number of threads that count the tables of sets.
const mostThreads = 8

// partOf describes the cards on the set with index i for package lazy, given the cost table of the
// set.
func (k *columns) partOf(i int, table []int64) lazy.Part {
	c, s := k.class, k.class.sets[i]
	terms, extra := c.terms(k.p.Terms, i)
	extra += k.base + c.charges[i]*k.p.PenaltyUnit()
	bound := extra + k.leastCost(s, table)
	for _, t := range terms {
		bound += min(t, 0)
	}
	records := int64(0)
	for _, d := range table {
		if d != 0 {
			records++
		}
	}
	return lazy.Part{Leaves: c.parts[i].Size(), Bound: bound, Extra: extra, Bytes: c.parts[i].Layout(records).Bytes}
}

// buildPart builds the search tree of the cards on the i-th set of attributes.
func (k *columns) buildPart(i int) class.Tree[Card] {
	terms, _ := k.class.terms(k.p.Terms, i)
	t, err := k.class.parts[i].Tree(class.Problem[[]uint16]{Points: k.points(i), Unit: k.p.Unit, Terms: terms})
	if err != nil {
		panic(err) // cannot happen: the costs of a part are within the range of the costs of the problem
	}
	return class.MapTree(t, k.class.sets[i].card)
}

// card converts a card of the class of the set (see Class.part) to a card of the whole class.
func (s set) card(h scorecard.Card) Card { return Card{s, h.Points[:len(s)]} }
