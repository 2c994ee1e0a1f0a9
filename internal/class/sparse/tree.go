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

// counted are the points of a problem by columns, of which the tables of all sets are counted.
type counted struct {
	class   *Class
	p       class.Problem[[]uint16]
	groups  [][]uint8 // of each attribute: the group of each point
	totals  []uint16  // of each point: its total under the base, from low on
	low     int
	width   int     // of totals: how many there are
	d       []int64 // of each point: the cost of predicting 1 less that of predicting 0
	base    int64   // the cost of predicting 0 everywhere
	ceiling int64   // without charges
}

// count brings the points of a problem, whose costs fit 62 bits, in columns.
func (c *Class) count(p class.Problem[[]uint16]) *counted {
	k := &counted{class: c, p: p, groups: make([][]uint8, len(c.groups)), width: 1}
	if c.base != nil {
		// What is beyond these totals predicts the same whatever the points of a set are.
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

// cells returns how many entries the table of a set has.
func (k *counted) cells(s set) int {
	n := k.width
	for _, j := range s {
		n *= k.class.groups[j]
	}
	return n
}

// table counts the costs d of the points by their groups of set i, the last attribute fastest,
// and then by their totals, into cells, which is grown if need be; or returns what is given.
func (k *counted) table(i int, cells []int64) []int64 {
	if k.class.given != nil {
		return k.class.given[i]
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

// blockSize is how many points are counted at a time, so that their columns stay in a cache.
const blockSize = 1 << 10

// each calls yield for each combination of the groups of a set, with the points that the base
// has there and the table's cells of it.
func (k *counted) each(s set, table []int64, yield func(groups []uint16, base int, cells []int64)) {
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

// least returns the sum over all combinations of groups of the least cost, beyond predicting 0,
// that one shift of their totals by at most the reach of the set can have: the records of a
// combination all get the same points from a card of the set.
func (k *counted) least(s set, table []int64) int64 {
	sum, reach := int64(0), k.class.reach(s)
	k.each(s, table, func(_ []uint16, base int, cells []int64) {
		// Predicted 1 are the totals from first on, one of from..to, counted from low; all
		// of them from 0 on, and none from the width on.
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

// points returns the table of set i as the points of its part.
func (k *counted) points(i int) (points []class.Point[[]uint16]) {
	s := k.class.sets[i]
	reach := k.class.reach(s)
	k.each(s, k.table(i, nil), func(groups []uint16, base int, cells []int64) {
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

// terms returns the terms on the cards of set i, and what those on its number cost.
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

// Tree counts the table of every set, and lays none out.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[Card], error) {
	if _, ok := c.spread(p); !ok {
		return nil, class.ErrRange
	}
	k := c.count(p)
	parts := lazy.Parts[Card]{List: make([]lazy.Part, len(c.sets)), Lay: k.lay, Ceiling: k.ceiling, Room: room}
	k.bounds(parts.List)
	parts.Ceiling += slices.Max(c.charges) * p.PenaltyUnit()
	return lazy.New(parts), nil
}

// spread is the problem's Spread over the charges.
func (c *Class) spread(p class.Problem[[]uint16]) (bound int64, ok bool) {
	return p.Spread(slices.Max(c.charges))
}

// bounds fills in what is known of every part, with as many threads as there are processors.
func (k *counted) bounds(parts []lazy.Part) {
	parallel.Do(context.Background(), min(runtime.GOMAXPROCS(0), mostThreads), len(parts), func() func(i int) {
		var cells []int64
		return func(i int) {
			table := k.table(i, cells)
			parts[i] = k.bound(i, table)
			if k.class.given == nil {
				cells = table
			}
		}
	})
}

// mostThreads is how many threads count at most.
const mostThreads = 8

// bound returns what is known of part i from its table.
func (k *counted) bound(i int, table []int64) lazy.Part {
	c, s := k.class, k.class.sets[i]
	terms, extra := c.terms(k.p.Terms, i)
	extra += k.base + c.charges[i]*k.p.PenaltyUnit()
	bound := extra + k.least(s, table)
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

// lay lays part i out.
func (k *counted) lay(i int) class.Tree[Card] {
	terms, _ := k.class.terms(k.p.Terms, i)
	t, err := k.class.parts[i].Tree(class.Problem[[]uint16]{Points: k.points(i), Unit: k.p.Unit, Terms: terms})
	if err != nil {
		panic(err) // costs that fit 62 bits in all do so in parts
	}
	return class.MapTree(t, k.class.sets[i].card)
}

// card returns a card of the set's part as one of the class.
func (s set) card(h scorecard.Card) Card { return Card{s, h.Points[:len(s)]} }
