package loglinear

import "math"

// particles holds the numbers of particles in the stages of a fit, and the effort of the fit.
type particles struct {
	early int // while marginals are added and log-interactions change much
	late  int // for the priors of pairs, and for the means of log-interactions and counts (settle)
	most  int // maximum of late for any noise, which limits the number of triples (newTriples)

	// effort is a factor, at most 1, of the minimum numbers of particles, and of the numbers of triples and last passes.
	effort float64
}

// particles returns the numbers of particles (rows sampled from the model) in the stages of the fit. By default they
// depend on the noise of the pairs: they are multiples of the result of balanced, at least the number of cells of the
// model's factors, and at most the result of the function Particles. If an option sets the number, or in the first
// file format, all stages have the same number, and the effort is 1.
func (f *Fit) particles() particles {
	if n := f.options.Particles; n > 0 {
		return particles{n, n, n, 1}
	}
	cells := f.size()
	most := Particles(cells, f.total)
	if f.options.First {
		return particles{int(most), int(most), int(most), 1}
	}
	p := f.balanced()
	effort := f.effort(p)
	few := max(float64(effort*fewParticles), leastParticles)
	late := min(max(float64(lateBalance*p), cells, few), most)
	early := min(max(float64(earlyBalance*p), float64(max(float64(earlyCells*effort), 1)*cells), few), late)
	return particles{int(early), int(late), int(most), effort}
}

// effort returns the factor, between leastEffort and 1, by which the fit reduces its work. It is proportional to the
// sampling error of as many independent rows as the table has (a standard deviation), relative to the errors of the
// targets. So a fit to noisier counts takes less time. The parameter balanced is the result of the method balanced.
// If there are no pairs, effort returns 1.
func (f *Fit) effort(balanced float64) float64 {
	if len(f.pairs) == 0 {
		return 1
	}
	return min(max(float64(effortScale*math.Sqrt(share(balanced, f.total))), leastEffort), 1)
}

const (
	leastParticles = 5_000
	fewParticles   = 10_000
	manyParticles  = 100_000
	earlyBalance   = 2  // least ratio of the early particles to balanced
	lateBalance    = 20 // least ratio of the late particles to balanced
	earlyCells     = 2  // least ratio of the early particles to the cells of factors, if the effort is 1
	effortScale    = 5
	leastEffort    = .25
)

// balanced returns the number P of particles for which the sampling errors of the pairs are about equal to the errors
// of their targets. In a cell with the target q, the sampling error is about √(q·total/P) rows. The sum of these
// errors over all cells of all pairs equals the sum of the standard deviations σ of the targets if P =
// total·(Σ√q/Σσ)².
func (f *Fit) balanced() float64 {
	root, deviation := 0.0, 0.0
	for _, g := range f.pairs {
		for _, q := range g.target {
			root += math.Sqrt(max(q, 0))
		}
		deviation += float64(math.Sqrt(g.variance) * float64(len(g.target)))
	}
	ratio := share(root, deviation)
	return float64(f.total * float64(ratio*ratio))
}

// size returns the total number of cells of the factors that are not dropped from the model.
func (f *Fit) size() float64 {
	cells := 0
	for _, g := range f.moving() {
		cells += len(g.theta)
	}
	return float64(cells)
}

// Particles returns the default maximum of the number of particles, the rows that are sampled from the model during a
// fit. The parameter total is the number of rows of the table, and cells is the total number of cells of the model's
// factors, without those that are dropped.
func Particles(cells, total float64) float64 {
	return min(max(total, cells, fewParticles), manyParticles)
}
