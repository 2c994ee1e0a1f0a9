package loglinear

import "math"

// Cost bounds what a fit to all pairs of columns of these sizes takes, whatever their counts say:
// about how many steps of one thread, and bytes. The pairs have so many cells in all, total is the
// number of rows, and so many marginals are added one after the other before so many rows are made.
func Cost(sizes []int, cells, total, made float64, added int) (steps, bytes float64) {
	columns, values := float64(len(sizes)), 0.0
	for _, k := range sizes {
		values += float64(k)
	}
	pairs := float64(columns * (columns - 1) / 2)
	particles := Particles(cells, total)
	rounds := func(n int, rate float64) float64 {
		_, more := slowed(rate, cells, particles)
		return float64(float64(n) * more)
	}
	sweeps := rounds(firstRounds, firstRate) + float64(float64(added)*rounds(addedRounds, laterRate)) + settleRounds + meanRounds
	triples := min(float64(pairs*(columns-2)/3), tripleWork/particles)
	sweep := float64(values*columns) + pairs // of a row
	steps = float64(sweeps*particles*sweep) + float64(meanRounds*particles*float64(pairs+triples)) + float64(shrinkSteps*cells)
	row := float64(2*sweep) + float64(10*pairs) + float64(18*triples)
	steps += float64(made * (float64(apartSweeps*sweep) + float64(passesOver(made, pairs+triples)*row)))
	bytes = float64(4*columns*(particles+made)) + float64(32*cells) + float64(tripleBytes*triples)
	bytes += float64(24 * min(float64(triples*math.Pow(values/max(1, columns), 3)), tripleCells))
	return steps, bytes
}

const (
	shrinkSteps = 5000 // a cell of a pair, once
	tripleBytes = 2000 // of one, beside its cells
)

// Particles is how many rows a fit moves, of pairs of so many cells that all have factors.
func Particles(cells, total float64) float64 {
	return min(max(total, cells, fewParticles), manyParticles)
}
