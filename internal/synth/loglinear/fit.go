package loglinear

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/sibyl-dp/sibyl/internal/synth/portable"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Fit fits a log-linear model to noisy marginals. It represents the model by its log-interactions and by particles,
// which are weighted rows sampled from it. A Fit must not be used by several goroutines at once, nor after an error.
type Fit struct {
	sizes   []int
	total   float64
	ones    []*factor // the factor of each column
	pairs   []*factor
	wide    []*factor // the factors of three or more columns
	triples *triples  // three-way counts that sampled rows match; nil before the first call of Rows
	rules   []barrier
	options Options
	number  particles
	rows    *rows   // the particles
	cells   []int32 // the cell of each particle in the factor that was counted last
	steps   uint64  // number of steps so far, which determines the generators of the next step
	ran     bool    // whether Run was called
	settled bool    // whether settle was called since the last change
}

// These constants are numbers of rounds of a fit, and rates. A rate is the fraction of the way that a round moves the
// log-interactions of a factor towards those that are optimal if all other factors are fixed.
const (
	firstRounds   = 16
	addedRounds   = 8 // after a marginal was added
	settleRounds  = 12
	lateRounds    = 4 // number of the last settleRounds that have all particles
	meanRounds    = 16
	apartSweeps   = 3 // sweeps that make rows different that were resampled from the same particle
	firstRate     = .5
	laterRate     = .25
	meanRate      = .1
	meanRateFirst = .05 // of the first file format
	singleRate    = .7  // for single columns, whose counts are the most precise
)

// New starts a fit. It estimates the contingency tables of all pairs, and samples the first particles from the tree
// of pairs with the maximum total mutual information. It returns an error if the problem is invalid.
func New(p Problem, o Options) (*Fit, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	f := &Fit{sizes: p.Sizes, total: max(0, p.Total), options: o}
	f.forbid(p.Rules)
	ones := combine(p.Sizes, f.total, p.Marginals)
	for c, k := range p.Sizes {
		one := newFactor([]table.Axis{{Column: c, Size: k}})
		one.target, one.mean = ones[c], ones[c]
		for v, n := range ones[c] {
			one.theta[v] = portable.Log(max(n, fewest) / max(f.total, 1))
		}
		f.ones = append(f.ones, one)
	}
	var two, later []*Marginal
	for i := range p.Marginals {
		switch m := &p.Marginals[i]; len(m.Axes) {
		case 1:
		case 2:
			two = append(two, m)
		default:
			later = append(later, m)
		}
	}
	var err error
	scores := normalScores(ones, p.Ordered)
	if f.pairs, err = f.pairsOf(context.Background(), two, ones, scores, p.Ordered); err != nil {
		return nil, err
	}
	f.orders(scores)
	f.number = f.particles()
	// The priors of pairs need small sampling errors.
	if err := f.start(f.number.late, p.Witness); err != nil {
		return nil, err
	}
	if !o.First {
		for n, g := range f.pairs {
			f.reprior(g, two[n])
		}
	}
	if f.number.early < f.number.late {
		f.rows = f.rows.resample(f.number.early, .5)
	}
	for _, m := range later {
		f.add(m)
	}
	return f, nil
}

const fewest = .5 // smaller counts are replaced by this number before taking logarithms

// Add adds a marginal to the fit. If m has one or two columns, the fit must not have a marginal of
// these columns yet. Call Run afterwards.
func (f *Fit) Add(m Marginal) error {
	if err := m.check(f.sizes); err != nil {
		return err
	}
	f.add(&m)
	f.settled = false
	return nil
}

// add adds the marginal m to the model, as a factor (a table of log-interactions). It estimates the factor's prior
// from the differences between the marginal and the current counts of the particles, which are rows sampled from the
// model.
func (f *Fit) add(m *Marginal) {
	g := newFactor(m.Axes)
	copy(g.target, m.Counts)
	g.variance = max(1, m.noise())
	now, _ := f.count(context.Background(), g, nil)
	g.prior = interaction(minus(m.Counts, now), now, g.variance)
	f.wide = append(f.wide, g)
}

// reprior sets the prior of the log-interactions of a pair of columns, the factor g with the marginal m, after start
// has sampled particles from a tree of pairs. It changes the prior only if the dependence of the pair is much
// stronger than the noise explains:
//
//   - If the pair is in the tree, its new prior has nearly no effect, because its target is an estimate that is
//     already shrunk.
//   - If the pair is not in the tree, its columns may still depend on each other through pairs of the tree. The new
//     prior is that of the interactions that the tree does not explain: their estimated mean square, plus two standard
//     deviations of this estimate.
//
// For example, if all columns are copies of one column, only the pairs of the tree need log-interactions. With the
// prior of the tree's pairs, the other log-interactions would be fitted to noise.
func (f *Fit) reprior(g *factor, m *Marginal) {
	switch {
	case !g.clear || g.dropped:
	case g.started:
		g.prior = treePrior
	default:
		now, _ := f.count(context.Background(), g, nil)
		x := &residuals{axes: m.Axes, values: minus(m.Counts, now), variance: max(m.noise(), 1)}
		centre(x.values, m.Axes[0].Size, m.Axes[1].Size)
		mean, deviation := meanSquare(x.values, now, x.ofCell())
		g.prior = clearer * min(g.prior, direct*(max(mean, leastPrior)+float64(2*deviation)))
	}
}

// Run fits the model to all marginals of the fit. It returns the context's error if the context ends.
func (f *Fit) Run(ctx context.Context) error {
	rounds, rate := firstRounds, firstRate
	if f.ran {
		rounds, rate = addedRounds, laterRate
	}
	f.ran = true
	rounds = f.slower(&rate, rounds)
	for t := range rounds {
		if err := f.round(ctx, rate+float64((min(rate, laterRate)-rate)*float64(t)/float64(rounds))); err != nil {
			return err
		}
		f.report(t+1, rounds)
	}
	return nil
}

// slower lowers the rate, the size of the steps of the fit, if the model has many cells for the number of particles
// (rows sampled from it). It returns the number of rounds that the fit needs at this rate, given the number at the
// initial rate.
func (f *Fit) slower(rate *float64, rounds int) int {
	lower, more := slowed(*rate, f.size(), float64(f.rows.n))
	*rate = lower
	return int(float64(rounds) * more)
}

// slowed returns a rate (the size of the steps of a fit), at most the given one, and the factor by which the number
// of rounds must increase for it (more). The parameter cells is the total number of cells of the model's factors, and
// rows is the number of particles, which are rows sampled from the model.
//
// If a cell has q particles, its count has sampling noise, which changes its log-interaction by about rate/√q. The
// sum of these changes over all factors is the noise of the logarithm of a particle's weight. slowed lowers the rate
// until the variance of this noise is at most mostNoise.
func slowed(rate, cells, rows float64) (lower, more float64) {
	most := math.Sqrt(float64(mostNoise*rows) / max(1, cells))
	if most >= rate {
		return rate, 1
	}
	return most, min(rate/most, 4)
}

const mostNoise = .25 // maximum variance of the logarithm of a weight

// round runs one round of the fit: it samples all values of the particles again by a sweep of Gibbs sampling, and
// then moves the log-interactions of all factors (see pass).
func (f *Fit) round(ctx context.Context, rate float64) error {
	if err := f.sweep(ctx, f.tables(), f.rows); err != nil {
		return err
	}
	return f.pass(ctx, rate)
}

// settle completes the fit before rows are sampled. It runs settleRounds rounds with a decreasing rate, and then
// meanRounds rounds with a small rate. The final log-interactions and counts are their means over these last
// meanRounds rounds. For the last lateRounds of the settleRounds, the number of particles increases to f.number.late.
// The parameter rounds is the planned number of steps of Rows, for the progress report.
func (f *Fit) settle(ctx context.Context, rounds int) error {
	if f.settled {
		return nil
	}
	rate := laterRate
	f.slower(&rate, settleRounds)
	for t := range settleRounds {
		if t == settleRounds-lateRounds && f.rows.n < f.number.late {
			f.rows = f.rows.resample(f.number.late, .5)
		}
		if err := f.round(ctx, float64(rate*float64(settleRounds-t)/float64(settleRounds))); err != nil {
			return err
		}
		f.report(t+1, rounds)
	}
	if f.options.First {
		rate = min(rate, meanRateFirst)
	}
	rate = min(rate, meanRate)
	all := f.factors()
	theta, mean := make([][]float64, len(all)), make([][]float64, len(all))
	for i, g := range all {
		theta[i], mean[i] = make([]float64, len(g.theta)), make([]float64, len(g.theta))
	}
	for t := range meanRounds {
		if err := f.sweep(ctx, f.tables(), f.rows); err != nil {
			return err
		}
		if err := f.triples.add(ctx, f); err != nil {
			return err
		}
		for i, g := range all {
			now, err := f.count(ctx, g, nil)
			if err != nil {
				return err
			}
			for k, q := range now {
				mean[i][k] += float64(q / meanRounds)
				theta[i][k] += float64(g.theta[k] / meanRounds)
			}
		}
		if err := f.pass(ctx, rate); err != nil {
			return err
		}
		f.report(settleRounds+t+1, rounds)
	}
	for i, g := range all {
		g.theta, g.mean = theta[i], mean[i]
	}
	f.triples.expect(f.total)
	f.settled = true
	return nil
}

// factors returns the factors (tables of log-interactions) of all pairs and larger sets of columns, but not those of
// single columns.
func (f *Fit) factors() []*factor {
	return append(append([]*factor(nil), f.pairs...), f.wide...)
}

// Rows samples n rows from the model and returns them by column. The marginals of these rows are closer to those of
// the model than the marginals of n independent samples would be (see last). If the context ends, Rows returns the
// context's error.
func (f *Fit) Rows(ctx context.Context, n int) ([][]uint16, error) {
	apart := 0
	if n > f.number.late {
		apart = apartSweeps
	}
	if !f.settled {
		f.triples = f.newTriples()
	}
	passes := f.passes(n)
	steps := settleRounds + meanRounds + apart + passes
	if err := f.settle(ctx, steps); err != nil {
		return nil, err
	}
	r := f.rows.resample(max(0, n), .5)
	t := f.tables()
	for range apart {
		if err := f.sweep(ctx, t, r); err != nil {
			return nil, err
		}
	}
	if err := f.last(ctx, r, passes, steps); err != nil {
		return nil, err
	}

	return r.column, nil
}

func (f *Fit) report(done, of int) {
	if f.options.Progress != nil {
		f.options.Progress(int64(done), int64(of))
	}
}

// generator returns the random number generator for one purpose within a step of the fit. The parameter part is the
// number of a column or of a block of rows, or a negative constant for another purpose, such as denoising.
func (f *Fit) generator(step uint64, part int) *rand.Rand {
	return rand.New(rand.NewPCG(f.options.Seed^(step+1)*0x9e3779b97f4a7c15, uint64(part)))
}

// share returns n divided by of. It returns 0 if the divisor is not positive or if n is infinite.
func share(n, of float64) float64 {
	if of <= 0 || math.IsInf(n, 0) {
		return 0
	}
	return n / of
}
