package copula

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// A Column holds the values of one column in all records. The values 0..Ordered-1 have an order; the others, such as
// the code of a missing number, have none.
type Column struct {
	Codes   []uint16 // by record
	Size    int      // number of values
	Ordered int
}

// Ranks puts the records that have the same value of a column into a plausible order, for each column. The result
// holds, by column and record, the number of records with the same value that come before this record. All columns
// must have the same number of records.
//
// Ranks models the columns as increasing functions of the components of a normal vector. So a record's value
// determines an interval that contains the component. Ranks estimates the correlations of the components from the
// records by stochastic EM, samples the components of each record by Gibbs sampling, and sorts the records with the
// same value by their components. A value without an order does not restrict its component.
//
// The result is a deterministic function of the columns. Ranks returns the context's error if the context ends.
func Ranks(ctx context.Context, threads int, columns []Column) ([][]int32, error) {
	l := newLatent(columns)
	if err := l.estimate(ctx); err != nil {
		return nil, err
	}
	n := len(columns[0].Codes)
	components := make([][]float32, len(columns))
	for j := range components {
		components[j] = make([]float32, n)
	}
	err := parallel.Do(ctx, threads, (n+block-1)/block, func() func(int) {
		z := make([]float64, len(columns))
		return func(b int) {
			random := rand.New(rand.NewPCG(uint64(b), sampling))
			for i := b * block; i < min(n, (b+1)*block); i++ {
				l.sample(i, z, l.start, random)
				for range sweeps {
					l.sample(i, z, l.given, random)
				}
				for j, x := range z {
					components[j][i] = float32(x)
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	ranks := make([][]int32, len(columns))
	err = parallel.Do(ctx, threads, len(columns), func() func(int) {
		return func(j int) { ranks[j] = columns[j].ranks(components[j]) }
	})
	return ranks, err
}

const (
	block      = 4096  // number of records that share a random number generator
	mostSample = 5_000 // the maximum number of records from which the correlations are estimated
	first      = 2     // sweeps of Gibbs sampling with the first estimate of the correlations
	rounds     = 12    // rounds of stochastic EM; the correlations are their mean over the second half of the rounds
	sweeps     = 3     // sweeps of Gibbs sampling with the final correlations
	ridge      = .001  // number that is added to the eigenvalues of the correlation matrix

	sampling, estimating = 1, 2 // streams of random numbers
)

// A latent is the model of Ranks: a normal vector, each component of which determines the value of one column.
type latent struct {
	*Normal
	columns []Column
	scores  [][]float64    // by column and value, the mean of the component
	between [][][2]float64 // by column and value, the range of the component
	start   []conditional  // of each component, given the components before it
	given   []conditional  // of each component, given all others
}

// A conditional is the normal distribution of one component, given other components. Its mean is the sum of these
// components multiplied by the coefficients, which are 0 for components without influence. Its standard deviation is
// the field deviation.
type conditional struct {
	coefficients []float64
	deviation    float64
}

// newLatent returns a model of the columns with independent components.
func newLatent(columns []Column) *latent {
	l := &latent{Normal: NewNormal(), columns: columns}
	for _, c := range columns {
		counts, total := make([]float64, c.Size), 0.0
		for _, v := range c.Codes {
			counts[v]++
		}
		for _, rows := range counts[:c.Ordered] {
			total += rows
		}
		between, below := make([][2]float64, c.Size), 0.0
		for v := range between {
			between[v] = [2]float64{-Most, Most}
			if v < c.Ordered && total > 0 {
				between[v][0], _ = l.quantile(below / total)
				below += counts[v]
				between[v][1], _ = l.quantile(below / total)
			}
		}
		l.between, l.scores = append(l.between, between), append(l.scores, l.Scores(counts, c.Ordered))
	}
	return l
}

// sample samples the components z of the normal vector for record i, one after the other. Each component has the
// conditional distribution in the slice of, restricted to the interval that belongs to the record's value.
func (l *latent) sample(i int, z []float64, of []conditional, random *rand.Rand) {
	for j, c := range l.columns {
		mean := 0.0
		for k, b := range of[j].coefficients {
			mean += float64(b * z[k])
		}
		z[j] = l.truncated(mean, of[j].deviation, l.between[j][c.Codes[i]], random)
	}
}

// truncated samples a normal variable with the given mean and standard deviation, restricted to the interval between.
func (l *latent) truncated(mean, deviation float64, between [2]float64, random *rand.Rand) float64 {
	low, high := l.probability((between[0]-mean)/deviation), l.probability((between[1]-mean)/deviation)
	u := random.Float64()
	if high-low < 1e-9 {
		return between[0] + float64(u*(between[1]-between[0]))
	}
	x, _ := l.quantile(low + float64(u*(high-low)))
	return min(max(mean+float64(deviation*x), between[0]), between[1])
}

// estimate estimates the correlations of the components by stochastic EM, and sets the conditional distributions to
// them.
func (l *latent) estimate(ctx context.Context) error {
	k, n := len(l.columns), len(l.columns[0].Codes)
	m := min(n, mostSample)
	all := make([][]float64, m)
	for s := range all {
		for j, c := range l.columns {
			all[s] = append(all[s], l.scores[j][c.Codes[s*n/m]])
		}
	}
	l.condition(correlations(all, k, Correlation))
	random := rand.New(rand.NewPCG(0, estimating))
	for s, z := range all {
		l.sample(s*n/m, z, l.start, random)
	}
	mean := make([]float64, k*k)
	for round := range first + rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		for s, z := range all {
			l.sample(s*n/m, z, l.given, random)
		}
		if round < first {
			continue
		}
		now := correlations(all, k, pearson)
		l.condition(now)
		if round >= first+rounds/2 {
			for i, x := range now {
				mean[i] += x / (rounds - rounds/2)
			}
		}
	}
	l.condition(mean)
	return nil
}

// correlations returns the k × k correlation matrix of k-dimensional vectors whose components have mean 0. It calls
// the function estimate to compute the correlation of two components from their covariance and their variances.
func correlations(all [][]float64, k int, estimate func(covariance, a, b float64) float64) []float64 {
	of := make([]float64, k*k)
	for _, z := range all {
		for i, x := range z {
			for j := range i + 1 {
				of[i*k+j] += float64(x*z[j]) / float64(len(all))
			}
		}
	}
	for i := range k {
		for j := range i {
			of[i*k+j] = estimate(of[i*k+j], of[i*k+i], of[j*k+j])
			of[j*k+i] = of[i*k+j]
		}
	}
	for i := range k {
		of[i*k+i] = 1
	}
	return of
}

// pearson returns the Pearson correlation of two variables with the given covariance and the variances a and b, or 0
// if a variance is 0.
func pearson(covariance, a, b float64) float64 {
	if v := float64(a * b); v > 0 {
		return covariance / math.Sqrt(v)
	}
	return 0
}

// condition sets all conditional distributions of the model to those of a normal vector with the given correlation
// matrix.
func (l *latent) condition(correlations []float64) {
	k := len(l.columns)
	l.start, l.given = nil, nil
	precision := Inverse(correlations, k, ridge)
	for j := range k {
		l.given = append(l.given, conditionalOf(precision, k, j))
		var before []float64 // the correlations of the components up to j
		for i := range j + 1 {
			before = append(before, correlations[i*k:i*k+j+1]...)
		}
		l.start = append(l.start, conditionalOf(Inverse(before, j+1, ridge), j+1, j))
	}
}

// conditionalOf returns the distribution of component j of a k-dimensional normal vector, given all other components.
// The matrix precision is the inverse of the correlation matrix.
func conditionalOf(precision []float64, k, j int) conditional {
	c := conditional{make([]float64, k), math.Sqrt(1 / precision[j*k+j])}
	for i := range k {
		if i != j {
			c.coefficients[i] = -precision[j*k+i] / precision[j*k+j]
		}
	}
	return c
}

// ranks returns the rank of each record among the records with the same value, ordered by component and then by
// index: the number of records that come before it.
func (c Column) ranks(components []float32) []int32 {
	starts := make([]int, c.Size+1)
	for _, v := range c.Codes {
		starts[v+1]++
	}
	for v := range c.Size {
		starts[v+1] += starts[v]
	}
	order, next := make([]int32, len(c.Codes)), slices.Clone(starts)
	for i, v := range c.Codes {
		order[next[v]] = int32(i)
		next[v]++
	}
	ranks := make([]int32, len(c.Codes))
	for v := range c.Size {
		same := order[starts[v]:starts[v+1]]
		slices.SortFunc(same, func(a, b int32) int {
			return cmp.Or(cmp.Compare(components[a], components[b]), cmp.Compare(a, b))
		})
		for r, i := range same {
			ranks[i] = int32(r)
		}
	}
	return ranks
}
