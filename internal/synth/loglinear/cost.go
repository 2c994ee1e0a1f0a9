package loglinear

import "math"

// Cost returns upper bounds, for all possible counts, on the number of steps and the memory in bytes that a fit to
// all pairs of columns takes on one thread. The parameters are
//
//   - sizes, the number of values of each column;
//   - cells, the total number of cells of all pairs;
//   - total, the number of rows of the table;
//   - made, the number of sampled rows;
//   - added, the number of marginals that are added later, one after the other, by Fit.Add.
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
	passes := passesOver(made, pairs+triples, 1)
	whole, apart := sweep+float64(3*pairs)+float64(5*triples), sweep+float64(7*pairs)+float64(13*triples)
	steps += float64(made * (float64(apartSweeps*sweep) + float64(wholePasses(passes)*whole) + float64(passes*apart)))
	bytes = float64(4*columns*(particles+made)) + float64(32*cells) + float64(tripleBytes*triples)
	bytes += float64(24 * min(float64(triples*math.Pow(values/max(1, columns), 3)), tripleCells))
	return steps, bytes
}

const (
	shrinkSteps = 8000 // steps of the estimates of pairs, for each cell of a pair
	tripleBytes = 2000 // bytes of a triple of columns without its cells
)
