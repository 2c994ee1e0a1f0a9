package numeric

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// A descent is a local search for a halfspace of small cost. It changes one weight at a time, together with the
// threshold, as long as this reduces the cost. Then it changes a few random weights of the best halfspace, and
// searches from there again. The seed of its random source is fixed.
type descent struct {
	class   *Class
	charge  Charge
	records []record

	place  []int   // for each column, the index of its weight
	total  []int64 // for each record, its weighted sum
	trial  []int64 // for each record, its weighted sum if one weight is changed
	bucket []int64 // for each k, the sum of record.d over the records whose weighted sum reaches exactly k thresholds
	effort int     // the remaining effort: the number of times that the search may process a record
}

const (
	descentEffort = 1 << 24 // the effort of a search
	descentKicks  = 64      // the maximum number of starts of a search
)

// newDescent returns a search that starts at the weights of least absolute value, which are within the class's
// limits.
func newDescent(c *Class, charge Charge, records []record) *descent {
	d := &descent{
		class: c, charge: charge, records: records, effort: descentEffort,
		place: make([]int, len(c.columns)), total: make([]int64, len(records)), trial: make([]int64, len(records)),
		bucket: make([]int64, len(c.thresholds)+1),
	}
	for j, col := range c.columns {
		d.place[j] = slices.Index(col.Weights, col.smallest())
	}
	d.sum()
	return d
}

// best runs the local search and returns the halfspace of least cost that it finds.
func (d *descent) best() Halfspace {
	rng := rand.New(rand.NewPCG(1, 1))
	best := slices.Clone(d.place)
	threshold, least := 0, int64(math.MaxInt64)
	for range descentKicks {
		if t, cost := d.descend(); cost < least {
			best, threshold, least = slices.Clone(d.place), t, cost
		}
		if d.effort <= 0 {
			break
		}
		copy(d.place, best)
		for range 3 {
			j := rng.IntN(len(d.place))
			if to := rng.IntN(len(d.class.columns[j].Weights)); d.allowed(j, to) {
				d.place[j] = to
			}
		}
		d.sum()
	}
	h := Halfspace{Threshold: d.class.thresholds[threshold]}
	for j, at := range best {
		h.Weights = append(h.Weights, d.class.columns[j].Weights[at])
	}
	return h
}

// descend changes single weights until no such change reduces the cost. It returns the index of the best threshold,
// and the resulting cost minus the cost of predicting 0 on all records.
func (d *descent) descend() (threshold int, cost int64) {
	threshold, cost = d.threshold(d.total, 0)
	fixed := int64(0)
	for j, at := range d.place {
		fixed += d.charge.Weight[j][at]
	}
	norm := d.norm()
	fixed += d.charge.norm(norm)
	cost += fixed
	for better := true; better && d.effort > 0; {
		better = false
		for j, col := range d.class.columns {
			for to := range col.Weights {
				at := d.place[j]
				if to == at || !d.allowed(j, to) {
					continue
				}
				by := col.Weights[to] - col.Weights[at]
				for i, r := range d.records {
					d.trial[i] = d.total[i] + by*r.x[j]
				}
				moved := norm + col.Weights[to]*col.Weights[to] - col.Weights[at]*col.Weights[at]
				change := d.charge.Weight[j][to] - d.charge.Weight[j][at] + d.charge.norm(moved) - d.charge.norm(norm)
				if t, c := d.threshold(d.trial, fixed+change); c < cost {
					threshold, cost, better = t, c, true
					fixed += change
					norm = moved
					d.place[j] = to
					d.total, d.trial = d.trial, d.total
				}
			}
		}
	}
	return threshold, cost
}

// threshold returns the index of the best threshold for the current weights. The slice total holds the weighted sum
// of each record, and fixed is the cost of the weights and of the norm. The result cost is the cost of the halfspace
// minus the cost of predicting 0 on all records.
func (d *descent) threshold(total []int64, fixed int64) (best int, cost int64) {
	d.effort -= len(d.records) + 1
	clear(d.bucket)
	for i, r := range d.records {
		reached := sort.Search(len(d.class.thresholds), func(t int) bool { return d.class.thresholds[t] > total[i] })
		d.bucket[reached] += r.d
	}
	cost = math.MaxInt64
	sum := fixed
	for t := len(d.class.thresholds) - 1; t >= 0; t-- {
		sum += d.bucket[t+1]
		if c := sum + d.charge.Threshold[t]; c < cost {
			best, cost = t, c
		}
	}
	return best, cost
}

// sum sets d.total to the weighted sum of each record with the current weights.
func (d *descent) sum() {
	for i, r := range d.records {
		d.total[i] = 0
		for j, at := range d.place {
			d.total[i] += d.class.columns[j].Weights[at] * r.x[j]
		}
	}
}

// norm returns the squared norm of the current weights of the search.
func (d *descent) norm() int64 {
	norm := int64(0)
	for j, at := range d.place {
		w := d.class.columns[j].Weights[at]
		norm += w * w
	}
	return norm
}

// allowed reports whether the halfspace stays within the class's limits if column j gets its possible weight with the
// index to.
func (d *descent) allowed(j, to int) bool {
	h := Halfspace{Weights: make([]int64, len(d.place))}
	for i, at := range d.place {
		h.Weights[i] = d.class.columns[i].Weights[at]
	}
	h.Weights[j] = d.class.columns[j].Weights[to]
	return h.Used() <= d.class.most() && h.Norm() <= d.class.norm()
}
