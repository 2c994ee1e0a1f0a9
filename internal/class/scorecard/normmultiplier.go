package scorecard

import "math"

// A multiplier λ of a record moves λ times its total from what the contributions
// of its categories are charged to what the record costs. That changes the cost
// of no card, but the bounds: those of a record and of its categories, each the
// best by itself, then agree better on what the total should be. Which
// multipliers are good is found in floating point, by the subgradient method on
// the bound at the root (Lagrangian decomposition); any are right.

// multipliers looks for multipliers that make the bound at the root as high as
// it gets; target is the cost of some card, base that of predicting 0
// everywhere, and of charges taken off.
func (l *normLimit) multipliers(records []record, reaches []reach, threshold int, base, target int64) []int64 {
	d := newDual(l, records, reaches, threshold)
	best, bestValue := make([]float64, len(records)), math.Inf(-1)
	share, idle := 1.0, 0
	for range dualRounds {
		value, square := d.step()
		value += float64(base)
		if value > bestValue {
			bestValue, idle = value, 0
			copy(best, d.multiplier)
		} else if idle++; idle == dualPatience {
			share, idle = share/2, 0
			copy(d.multiplier, best)
			continue
		}
		if square == 0 {
			break
		}
		by := share * max(float64(target)-value, 1) / square
		for i, slope := range d.slope {
			d.multiplier[i] += by * slope
		}
	}
	out := make([]int64, len(records))
	for i, m := range best {
		if math.Abs(m) < mostMultiplier { // as is no NaN
			out[i] = int64(math.Round(m))
		}
	}
	return out
}

// dualRounds is how many steps the subgradient method takes; after dualPatience
// without a better bound it takes half as long ones.
const (
	dualRounds   = 300
	dualPatience = 12
)

// A dual is the bound at the root as a function of the multipliers.
type dual struct {
	limit      *normLimit
	records    []record
	reaches    []reach // of each record, within the limit on the norm
	threshold  int
	places     []place
	number     [][]int // of each category, its place
	multiplier []float64
	slope      []float64   // of the bound, in each multiplier
	moved      []float64   // of each place: the multipliers of its records
	cheapest   [][]float64 // as of a normLimit
	pick       [][]int
	points     []int // of each place, at the bound
}

func newDual(l *normLimit, records []record, reaches []reach, threshold int) *dual {
	d := &dual{
		limit: l, records: records, reaches: reaches, threshold: threshold,
		multiplier: make([]float64, len(records)), slope: make([]float64, len(records)),
	}
	for j, levels := range l.lists {
		d.number = append(d.number, nil)
		for cat := range levels {
			d.number[j] = append(d.number[j], len(d.places))
			d.places = append(d.places, place{j, cat})
		}
	}
	n := len(d.places)
	d.moved, d.points = make([]float64, n), make([]int, n)
	for range n + 1 {
		d.cheapest = append(d.cheapest, make([]float64, l.norm+1))
		d.pick = append(d.pick, make([]int, l.norm+1))
	}
	for r := range d.cheapest[n] {
		d.cheapest[n][r] = math.Inf(1)
		if cost := l.least[l.norm-r]; cost < none {
			d.cheapest[n][r] = float64(cost)
		}
	}
	return d
}

// step returns the bound, and the squared length of its slope.
func (d *dual) step() (value, square float64) {
	clear(d.moved)
	for i, r := range d.records {
		for j, cat := range r.x {
			d.moved[d.number[j][cat]] += d.multiplier[i]
		}
	}
	value = d.card()
	for i, r := range d.records {
		m := d.multiplier[i]
		least, at := math.Inf(1), 0
		reach := d.reaches[i]
		for _, t := range [4]int{reach.lo, d.threshold - 1, d.threshold, reach.hi} {
			t = max(reach.lo, min(t, reach.hi))
			cost := m * float64(t)
			if t >= d.threshold {
				cost += float64(r.d)
			}
			if cost < least {
				least, at = cost, t
			}
		}
		value += least
		for j, cat := range r.x {
			at -= d.points[d.number[j][cat]]
		}
		d.slope[i] = float64(at)
		square += float64(at * at)
	}
	return value, square
}

// card finds the points that are charged least, and returns their charge.
func (d *dual) card() float64 {
	norm := d.limit.norm
	for i := len(d.places) - 1; i >= 0; i-- {
		now, after, pick := d.cheapest[i], d.cheapest[i+1], d.pick[i]
		for r := range now {
			now[r] = math.Inf(1)
		}
		at := d.places[i]
		for _, v := range d.limit.lists[at.attribute][at.category] {
			own := float64(d.limit.charge(at, v)) - d.moved[i]*float64(v)
			for r := v * v; r <= norm; r++ {
				if cost := own + after[r-v*v]; cost < now[r] {
					now[r], pick[r] = cost, v
				}
			}
		}
	}
	r := norm
	for i := range d.places {
		d.points[i] = d.pick[i][r]
		r -= d.points[i] * d.points[i]
	}
	return d.cheapest[0][norm]
}
