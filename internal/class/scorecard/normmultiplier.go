package scorecard

import "math"

// The multiplier λ of a record adds λ·total to the record's cost, and subtracts λ·points from the
// charge of each of the record's categories. The cost of a card does not change, so all multipliers
// are valid. But the bounds change, because they minimize the cost of each record, and the charge
// of each category, independently. With good multipliers, these minimizers agree better on the
// total, and the bounds are higher. The subgradient method on the bound at the root (Lagrangian
// decomposition) finds good multipliers, in floating-point arithmetic.

// multipliers searches for Lagrange multipliers of the records that maximize the bound at the root.
// multipliers searches for Lagrange multipliers of the records that maximize the lower bound at the
// root of the tree. The parameter reaches holds the range of totals of each record, within the
// limit on the norm. The parameter base is the cost of predicting 0 for all records, plus the
// numbers that were subtracted from the charges of the categories to make their least charges 0.
// The parameter target is the cost of some card, which no bound exceeds.
func (l *normLimit) multipliers(records []record, reaches []totalRange, threshold int, base, target int64) []int64 {
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
		if math.Abs(m) < mostMultiplier { // false for NaN
			out[i] = int64(math.Round(m))
		}
	}
	return out
}

// dualRounds is the number of steps of the subgradient method that searches for multipliers. If
// dualPatience steps bring no improvement, the step size is halved.
const (
	dualRounds   = 300
	dualPatience = 12
)

// A dual evaluates the lower bound at the root as a function of the Lagrange multipliers of the
// records. The search for multipliers maximizes this function, the Lagrangian dual.
type dual struct {
	limit          *normLimit
	records        []record
	ranges         []totalRange // [record]: the range of its total, within the limit on the norm
	threshold      int
	coordinates    []coordinate
	number         [][]int // [attribute][category]: the index of the category in coordinates
	multiplier     []float64
	slope          []float64   // [record]: the subgradient of the bound
	multiplierSums []float64   // [coordinate]: the sum of the multipliers of the records with this category
	cheapest       [][]float64 // as in normLimit, including the multipliers
	pick           [][]int     // [coordinate][remaining norm]: the contribution of least charge
	points         []int       // [coordinate]: the points of least charge
}

func newDual(l *normLimit, records []record, reaches []totalRange, threshold int) *dual {
	d := &dual{
		limit: l, records: records, ranges: reaches, threshold: threshold,
		multiplier: make([]float64, len(records)), slope: make([]float64, len(records)),
	}
	for j, levels := range l.lists {
		d.number = append(d.number, nil)
		for cat := range levels {
			d.number[j] = append(d.number[j], len(d.coordinates))
			d.coordinates = append(d.coordinates, coordinate{j, cat})
		}
	}
	n := len(d.coordinates)
	d.multiplierSums, d.points = make([]float64, n), make([]int, n)
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

// step evaluates the lower bound and its subgradient at the current Lagrange multipliers. It
// returns the bound and the squared length of the subgradient.
func (d *dual) step() (value, square float64) {
	clear(d.multiplierSums)
	for i, r := range d.records {
		for j, cat := range r.x {
			d.multiplierSums[d.number[j][cat]] += d.multiplier[i]
		}
	}
	value = d.minimizeCard()
	for i, r := range d.records {
		m := d.multiplier[i]
		least, at := math.Inf(1), 0
		reach := d.ranges[i]
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

// minimizeCard finds the card of least charge within the limit on the norm, where the charge
// consists of the costs by terms and multipliers. It stores the card in d.points and returns its
// charge.
func (d *dual) minimizeCard() float64 {
	norm := d.limit.norm
	for i := len(d.coordinates) - 1; i >= 0; i-- {
		now, after, pick := d.cheapest[i], d.cheapest[i+1], d.pick[i]
		for r := range now {
			now[r] = math.Inf(1)
		}
		at := d.coordinates[i]
		for _, v := range d.limit.lists[at.attribute][at.category] {
			own := float64(d.limit.charge(at, v)) - d.multiplierSums[i]*float64(v)
			for r := v * v; r <= norm; r++ {
				if cost := own + after[r-v*v]; cost < now[r] {
					now[r], pick[r] = cost, v
				}
			}
		}
	}
	r := norm
	for i := range d.coordinates {
		d.points[i] = d.pick[i][r]
		r -= d.points[i] * d.points[i]
	}
	return d.cheapest[0][norm]
}
