package sumscore

import (
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// Tabulate returns the cost of every score. It merges the records with the same tally (the numbers
// of attributes with each category), and adds up their weights by the sum of points. It fails with
// class.ErrRange if costs are too large.
func (c *Class) Tabulate(p class.Problem[[]uint16]) ([]int64, error) {
	if _, ok := p.Range(); !ok {
		return nil, class.ErrRange
	}
	base := int64(0) // the cost of predicting 0 for all points
	for _, pt := range p.Points {
		base += pt.Cost[0]
	}
	costs := make([]int64, 0, c.size)
	var of tallies
	for i, r := range c.runs {
		if i == 0 || r.group != c.runs[i-1].group {
			of = c.tallies(r.group, p.Points)
		}
		costs = of.costs(r, base, costs)
	}
	for i := range costs {
		for b, set := range class.Number(i, len(p.Terms)) {
			if set {
				costs[i] += p.Terms[b]
			}
		}
	}
	return costs, nil
}

// tallies are the distinct tallies of the records in one group of attributes, with the weights of
// their records. A tally has, for each category, the number of attributes with it. The weight of a
// record is the cost of predicting 1 minus the cost of predicting 0.
type tallies struct {
	attributes int      // d
	categories int      // k
	counts     []uint16 // k numbers for each tally: how many attributes have each category
	weights    []int64
}

// tallies merges the points of a problem that have the same tally, the numbers of attributes of the group with each
// category.
func (c *Class) tallies(group int, points []class.Point[[]uint16]) tallies {
	g := c.groups[group]
	of := tallies{attributes: len(g.Attributes), categories: g.Categories}
	known := map[string]int{}
	key, counts := make([]byte, 2*g.Categories), make([]uint16, g.Categories)
	for _, pt := range points {
		clear(counts)
		for _, j := range g.Attributes {
			counts[pt.X[j]]++
		}
		for i, n := range counts {
			key[2*i], key[2*i+1] = byte(n), byte(n>>8)
		}
		at, found := known[string(key)]
		if !found {
			at = len(of.weights)
			known[string(key)] = at
			of.counts, of.weights = append(of.counts, counts...), append(of.weights, 0)
		}
		of.weights[at] += pt.Cost[1] - pt.Cost[0]
	}
	return of
}

// costs appends to the list to the costs of the scores of a run. The parameter base is the cost of
// predicting 0 for all points.
func (of tallies) costs(r run, base int64, to []int64) []int64 {
	bySum := make([]int64, r.least+r.count+1) // [s]: the weight of the records whose sum of points is s
	for i, weight := range of.weights {
		sum := 0
		for c, n := range of.counts[i*of.categories:][:of.categories] {
			sum += r.points[c] * int(n)
		}
		bySum[sum] += weight
	}
	for s := len(bySum) - 2; s >= 0; s-- {
		bySum[s] += bySum[s+1] // now the weight of the records whose sum is at least s
	}
	for i := range r.count {
		to = append(to, base+bySum[r.least+i])
	}
	return to
}

// mostTallies bounds the number of distinct tallies of a group of attributes: by the number of
// distinct records, and by the number of ways to write d as a sum of k numbers.
func (g Group) mostTallies(records int64) int64 {
	ways := 1.0
	for i := 1; i < g.Categories; i++ {
		ways *= float64(len(g.Attributes)+i) / float64(i)
	}
	return int64(math.Min(math.Ceil(ways), float64(records)))
}

// tallyBytes bounds the memory, in bytes, of a tally in addition to its counts and their copy in
// the key of a map.
const tallyBytes = 120

// Layout bounds the memory of the table of all costs and of the tallies of one group.
func (c *Class) Layout(records int64) class.Layout {
	l := c.table.Layout(records)
	most := int64(0)
	for _, g := range c.groups {
		most = max(most, class.Product(g.mostTallies(records), tallyBytes+6*int64(g.Categories)))
	}
	l.Bytes = class.Sum(l.Bytes, most)
	return l
}

// The constants are times in units of 10 ns: to count one attribute of a record, to find the tally
// of a record, to add up the points of one category of a tally, and to compute the weight of a
// score from its cost.
const (
	workOfAttribute = 0.15
	workOfTally     = 4
	workOfPoints    = 0.12
	workOfScore     = 5
)

// SumWork estimates the time of Sum on one thread, in units of 10 ns, for the given number of distinct records. It does
// not depend on the contents of the records.
func (c *Class) SumWork(records int64) int64 {
	work := workOfScore * float64(c.size)
	for _, g := range c.groups {
		work += float64(records) * (workOfTally + workOfAttribute*float64(len(g.Attributes)))
	}
	for _, r := range c.runs {
		g := c.groups[r.group]
		work += float64(g.mostTallies(records)) * (1 + float64(g.Categories)) * workOfPoints
	}
	return int64(min(work, math.MaxInt64/2))
}
