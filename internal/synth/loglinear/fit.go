package loglinear

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Fit moves rows until their marginals are those of a log-linear model fitted to
// noisy marginals. It is not to be used by two goroutines at once, nor after an error.
type Fit struct {
	sizes   []int
	total   float64
	ones    []*factor // of each column
	pairs   []*factor
	wide    []*factor // of three columns and more
	triples *triples  // that rows are brought near to; nil before any are asked for
	rules   []barrier
	options Options
	rows    *rows
	steps   uint64 // made so far; the generators of a step follow from its number
	ran     bool
	settled bool
}

// How long a fit takes, and how far factors move in a pass: of the way that is best for
// each alone.
const (
	firstRounds  = 16
	addedRounds  = 8 // after a marginal was added
	settleRounds = 12
	meanRounds   = 16
	apartSweeps  = 3 // that move rows apart which came of one particle
	firstRate    = .5
	laterRate    = .25
	meanRate     = .05
	singleRate   = .7 // of single columns, which are known best
)

// New starts a fit: it estimates what each marginal is worth and draws rows from the tree of
// pairs that tells most. An ill-formed problem is an error.
func New(p Problem, o Options) (*Fit, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	f := &Fit{sizes: p.Sizes, total: max(0, p.Total), options: o}
	ones := combine(p.Sizes, f.total, p.Marginals)
	for c, k := range p.Sizes {
		one := newFactor([]table.Axis{{Column: c, Size: k}})
		one.target, one.mean = ones[c], ones[c]
		for v, n := range ones[c] {
			one.theta[v] = log(max(n, fewest) / max(f.total, 1))
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
	if f.pairs, err = f.pairsOf(context.Background(), two, ones); err != nil {
		return nil, err
	}
	n := o.Particles
	if n <= 0 {
		cells := 0
		for _, g := range f.moving() {
			cells += len(g.theta)
		}
		n = int(Particles(float64(cells), f.total))
	}
	if err := f.start(n, p.Rules, p.Witness); err != nil {
		return nil, err
	}
	for _, m := range later {
		f.add(m)
	}
	return f, nil
}

const (
	fewest        = .5 // of the rows of a value, below which its logarithm is not followed
	fewParticles  = 10_000
	manyParticles = 100_000
)

// Add gives the fit one more marginal, of three columns or more, or of two or one that it
// has none of; Run is to follow.
func (f *Fit) Add(m Marginal) error {
	if err := m.check(f.sizes); err != nil {
		return err
	}
	f.add(&m)
	f.settled = false
	return nil
}

// add makes the factor of a marginal, whose prior says how far rows are from its counts.
func (f *Fit) add(m *Marginal) {
	g := newFactor(m.Axes)
	copy(g.target, m.Counts)
	g.variance = max(1, m.noise())
	now, _ := f.count(context.Background(), g, nil)
	g.prior = interaction(minus(m.Counts, now), now, g.variance)
	f.wide = append(f.wide, g)
}

// Run fits the model to all marginals it was given. It fails with the context's error.
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

// slower lowers a rate where factors have many cells for so many rows, and returns how many
// more rounds there are then.
func (f *Fit) slower(rate *float64, rounds int) int {
	cells := 0
	for _, g := range f.moving() {
		cells += len(g.theta)
	}
	lower, more := slowed(*rate, float64(cells), float64(f.rows.n))
	*rate = lower
	return int(float64(rounds) * more)
}

// slowed is a rate at which so many rows bear factors of so many cells, and how many times as many
// rounds it takes. Each cell is moved by the noise of its count too, by rate/√q
// for q rows; over all factors a row's weight must not become mere noise.
func slowed(rate, cells, rows float64) (lower, more float64) {
	most := math.Sqrt(float64(mostNoise*rows) / max(1, cells))
	if most >= rate {
		return rate, 1
	}
	return most, min(rate/most, 4)
}

const mostNoise = .25 // of the logarithm of a weight, squared

// round draws all rows anew, then moves the factors.
func (f *Fit) round(ctx context.Context, rate float64) error {
	if err := f.sweep(ctx, f.tables(), f.rows); err != nil {
		return err
	}
	return f.pass(ctx, rate)
}

// settle takes the mean of log-interactions and of what rows they make, over rounds of
// small moves after rounds of moves that grow small.
func (f *Fit) settle(ctx context.Context, rounds int) error {
	if f.settled {
		return nil
	}
	rate := laterRate
	f.slower(&rate, settleRounds)
	for t := range settleRounds {
		if err := f.round(ctx, float64(rate*float64(settleRounds-t)/float64(settleRounds))); err != nil {
			return err
		}
		f.report(t+1, rounds)
	}
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
		if err := f.pass(ctx, min(rate, meanRate)); err != nil {
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

// factors are all that are fitted, but for those of single columns.
func (f *Fit) factors() []*factor {
	return append(append([]*factor(nil), f.pairs...), f.wide...)
}

// Rows returns so many rows, by column, whose marginals are as near to the model's as
// rows can be. It fails with the context's error.
func (f *Fit) Rows(ctx context.Context, n int) ([][]uint16, error) {
	apart := 0
	if n > f.rows.n {
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

// generator gives the draws of one part of a step.
func (f *Fit) generator(step uint64, part int) *rand.Rand {
	return rand.New(rand.NewPCG(f.options.Seed^(step+1)*0x9e3779b97f4a7c15, uint64(part)))
}

// share is n/of, and 0 of nothing.
func share(n, of float64) float64 {
	if of <= 0 || math.IsInf(n, 0) {
		return 0
	}
	return n / of
}
