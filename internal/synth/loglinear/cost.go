package loglinear

import "math"

// Cost estimates upper bounds on the steps of one thread and the bytes of a fit to all pairs of
// columns with these sizes, for any counts. cells is the total number of cells of all pairs, total
// the number of rows, made the number of sampled rows, and added the number of marginals that are
// added one after the other.
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
	sweep := float64(values*columns) + pairs // steps of a sweep over one row
	steps = float64(sweeps*particles*sweep) + float64(meanRounds*particles*float64(pairs+triples)) + float64(shrinkSteps*cells)
	row := float64(2*sweep) + float64(10*pairs) + float64(18*triples)
	steps += float64(made * (float64(apartSweeps*sweep) + float64(passesOver(made, pairs+triples)*row)))
	bytes = float64(4*columns*(particles+made)) + float64(32*cells) + float64(tripleBytes*triples)
	bytes += float64(24 * min(float64(triples*math.Pow(values/max(1, columns), 3)), tripleCells))
	return steps, bytes
}

const (
	shrinkSteps = 5000 // steps for each cell of a pair, once
	tripleBytes = 2000 // bytes of a triple without its cells
)

// Particles returns the default number of particles of a fit to pairs with that total number of
// cells, if all pairs have factors.
func Particles(cells, total float64) float64 {
	return min(max(total, cells, fewParticles), manyParticles)
}
