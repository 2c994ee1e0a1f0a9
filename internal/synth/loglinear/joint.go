package loglinear

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// The functions of shrink.go separate singular vectors from noise in each pair alone. But a common cause of many
// columns appears in all of their pairs. The residuals of all pairs together form a symmetric block matrix with
// one row and one column for each value of each table column. An eigenvector of this matrix to which many table
// columns contribute can be far stronger than the noise, even if it is weaker than the noise in each pair.

// A blockMatrix is the symmetric matrix of the residuals of all pairs of columns. Its rows and columns are the values
// of all columns of the table, so it has one block for each pair of columns. A cell of a pair may contain several
// combinations of values; its residual is then divided evenly among them. The blocks on the diagonal, for two values
// of the same column, are unknown. They are filled in from the eigenvectors that were found so far.
type blockMatrix struct {
	offset []int // index of the first value of each column; the last entry is the number of all values
	pairs  []*residuals
	many   [][2][]float64 // by pair and axis: the number of values in each cell
	found  [][]float64    // eigenvectors found so far
	values []float64      // the shrunk eigenvalues of found
	widest int            // maximum number of cells of an axis
}

func newBlockMatrix(sizes []int, pairs []*residuals) *blockMatrix {
	s := &blockMatrix{offset: []int{0}, pairs: pairs, many: make([][2][]float64, len(pairs))}
	for _, k := range sizes {
		s.offset = append(s.offset, s.size()+k)
	}
	for n, p := range pairs {
		for i, a := range p.axes {
			s.many[n][i] = make([]float64, a.Size)
			for v := range sizes[a.Column] {
				s.many[n][i][a.Cell(v)]++
			}
			s.widest = max(s.widest, a.Size)
		}
	}
	return s
}

func (s *blockMatrix) size() int { return s.offset[len(s.offset)-1] }

// of returns the part of the vector x that belongs to the values of the given column. The vector x has one entry for
// each value of each column.
func (s *blockMatrix) of(x []float64, column int) []float64 {
	return x[s.offset[column]:s.offset[column+1]]
}

// times adds the product of the block matrix and the vector x to out.
func (s *blockMatrix) times(x, out []float64) {
	var from, to [2][]float64
	for i := range from {
		from[i], to[i] = make([]float64, s.widest), make([]float64, s.widest)
	}
	for n, p := range s.pairs {
		for i, a := range p.axes {
			in, sums := s.of(x, a.Column), from[i][:a.Size]
			clear(sums)
			clear(to[i])
			for v, y := range in {
				sums[a.Cell(v)] += y
			}
			for k, many := range s.many[n][i] {
				sums[k] /= max(many, 1)
			}
		}
		c := p.axes[1].Size
		for k, y := range p.values {
			to[0][k/c] += float64(y * from[1][k%c])
			to[1][k%c] += float64(y * from[0][k/c])
		}
		for i, a := range p.axes {
			sums := s.of(out, a.Column)
			for v := range sums {
				k := a.Cell(v)
				sums[v] += to[i][k] / s.many[n][i][k]
			}
		}
	}
	for k, u := range s.found {
		for c := range len(s.offset) - 1 {
			own, sums := s.of(u, c), s.of(out, c)
			length := float64(s.values[k] * dot(s.of(x, c), own))
			for i, v := range own {
				sums[i] += float64(length * v)
			}
		}
	}
}

// noiseEdge returns the approximate largest eigenvalue of a block matrix that contains only noise.
func (s *blockMatrix) noiseEdge() float64 {
	variance, entries := 0.0, 0.0
	for n, p := range s.pairs {
		each, values := p.variance, 1.0
		for i, a := range p.axes {
			sum := 0.0
			for _, many := range s.many[n][i] {
				sum += 1 / max(many, 1)
			}
			each *= sum * float64(a.Size-1) / float64(a.Size)
			values *= float64(s.offset[a.Column+1] - s.offset[a.Column])
		}
		variance += each
		entries += values
	}
	return 2 * math.Sqrt(variance/max(entries, 1)*float64(s.size()))
}

// fromEigenvectors estimates the exact residuals of all pairs from the leading eigenvectors of their block matrix. It
// keeps the eigenvalues that are larger than noise can explain, and shrinks them optimally for squared error (Gavish
// and Donoho 2017).
func fromEigenvectors(ctx context.Context, threads int, sizes []int, pairs []*residuals, random *rand.Rand) ([][]float64, error) {
	s := newBlockMatrix(sizes, pairs)
	edge := s.noiseEdge()
	vectors := scattered(s.size(), min(s.size(), mostDirections), random)
	for t := range commonRounds {
		steps := laterSteps
		if t == 0 {
			steps = firstSteps
		}
		eigenvalues, err := leading(ctx, threads, s, vectors, steps)
		if err != nil {
			return nil, err
		}
		s.found, s.values = nil, nil
		for k, x := range eigenvalues {
			if math.Abs(x) > edge {
				s.found = append(s.found, slices.Clone(vectors[k]))
				s.values = append(s.values, math.Copysign(math.Sqrt(float64(x*x)-float64(edge*edge)), x))
			}
		}
	}
	parts := make([][]float64, len(pairs))
	for n, p := range pairs {
		a, b := p.axes[0], p.axes[1]
		parts[n] = make([]float64, len(p.values))
		for k, u := range s.found {
			to, across := sums(a, s.of(u, a.Column)), sums(b, s.of(u, b.Column))
			for i, x := range to {
				x = float64(x * s.values[k])
				for j, y := range across {
					parts[n][i*b.Size+j] += float64(x * y)
				}
			}
		}
		centre(parts[n], a.Size, b.Size)
	}
	return parts, nil
}

const (
	mostDirections = 64 // maximum number of eigenvectors
	commonRounds   = 6  // number of times that the diagonal blocks are filled in
	firstSteps     = 12 // steps of orthogonal iteration in the first round
	laterSteps     = 4  // steps in each later round
)

// An estimated holds estimates of the exact residuals of all pairs. It also holds the estimates that the same method
// computes from randomly perturbed residuals. The difference allows an unbiased estimate of the squared error (Stein
// 1981; Ramani, Blu and Unser 2008).
type estimated struct {
	values [][]float64 // by pair
	ranks  []int       // number of significant singular values of each pair by itself; at least 1 for a pair with large cells

	pairs, nudged []*residuals // the noisy residuals, as they are and after the perturbation
	moved         [][]float64  // the estimates from nudged
	size          float64      // of the perturbation of a cell, in rows
}

// risk estimates the squared error of the estimates x of the exact residuals of pair n, as a multiple of the variance
// of the noise. The result is unbiased up to a constant. The slice moved holds the estimates from the perturbed
// residuals.
func (e *estimated) risk(n int, x, moved []float64) float64 {
	p, sum := e.pairs[n], 0.0
	for k, y := range p.values {
		direction := (e.nudged[n].values[k] - y) / e.size
		sum += float64((x[k]-y)*(x[k]-y))/p.variance + float64(2*direction*(moved[k]-x[k]))/e.size
	}
	return sum
}

// shrinkJointly estimates the exact residuals of all pairs of columns from their noisy residuals. It returns weighted
// means of estimates. An estimator is applied to each pair separately, and also to what remains of each pair after
// fromEigenvectors has estimated a part of all pairs together. There are two estimators:
//
//   - shrink reduces the singular values.
//   - residuals.estimate does so after a smooth part is subtracted. It is left out if no column is ordered.
//
// The weights minimize an unbiased estimate of the squared error of the mean, for which all estimates are computed
// again from randomly perturbed residuals (see estimated). At the end, the estimates of large cells are clamped to an
// interval around their noisy residuals (translate.go).
func shrinkJointly(ctx context.Context, threads int, sizes []int, pairs []*residuals, random *rand.Rand) (*estimated, error) {
	if len(pairs) == 0 {
		return &estimated{}, nil
	}
	seed := random.Uint64()
	e := &estimated{pairs: pairs, nudged: make([]*residuals, len(pairs))}
	for _, p := range pairs {
		e.size += nudge * math.Sqrt(p.variance) / float64(len(pairs))
	}
	smooth := false
	for n, p := range pairs {
		moved := *p
		moved.values = signs(len(p.values), random)
		centre(moved.values, p.axes[0].Size, p.axes[1].Size)
		for k, direction := range moved.values {
			moved.values[k] = p.values[k] + float64(e.size*direction)
		}
		e.nudged[n] = &moved
		smooth = smooth || p.polynomials[0] != nil || p.polynomials[1] != nil
	}
	var common [2][][]float64 // the parts that all pairs explain together, for pairs and nudged
	for i, of := range [][]*residuals{pairs, e.nudged} {
		var err error
		if common[i], err = fromEigenvectors(ctx, threads, sizes, of, rand.New(rand.NewPCG(seed, 0))); err != nil {
			return nil, err
		}
	}
	best, err := e.mean(ctx, threads, (*residuals).shrink, common)
	if err != nil {
		return nil, err
	}
	if smooth {
		other, err := e.mean(ctx, threads, (*residuals).estimate, common)
		if err != nil {
			return nil, err
		}
		if e.move(best, other) >= .5 {
			best.ranks = other.ranks
		}
	}
	e.values, e.moved, e.ranks = best.values[0], best.values[1], best.ranks
	within := translation(pairs, e.nudged, e.values, e.moved, e.size)
	for n, p := range pairs {
		if p.translate(e.values[n], within) {
			e.ranks[n] = max(e.ranks[n], 1)
		}
		e.nudged[n].translate(e.moved[n], within)
	}
	return e, nil
}

// An estimator estimates the exact residuals of a pair from noisy ones, and returns the number of significant parts of
// the estimate (rank).
type estimator func(p *residuals, noisy []float64) (estimate []float64, rank int)

// A candidate holds estimates of the residuals of all pairs.
type candidate struct {
	values [2][][]float64 // by pair, for estimated.pairs and for estimated.nudged
	ranks  []int          // by pair, the rank of the estimate of the pair by itself
}

// mean returns the best weighted mean of two estimates: of each pair by itself, and of the sum of its common part and
// of what the estimator finds in the rest.
func (e *estimated) mean(ctx context.Context, threads int, by estimator, common [2][][]float64) (*candidate, error) {
	alone, joint := &candidate{ranks: make([]int, len(e.pairs))}, &candidate{}
	for i, of := range [][]*residuals{e.pairs, e.nudged} {
		alone.values[i], joint.values[i] = make([][]float64, len(of)), make([][]float64, len(of))
		err := parallel.Do(ctx, max(1, threads), len(of), func() func(int) {
			return func(n int) {
				p, rank := of[n], 0
				if alone.values[i][n], rank = by(p, p.values); i == 0 {
					alone.ranks[n] = rank
				}
				joint.values[i][n], _ = by(p, minus(p.values, common[i][n]))
				plus(joint.values[i][n], common[i][n], 1)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	e.move(alone, joint)
	return alone, nil
}

// move replaces the estimates of a by the weighted means of a and b with the least squared error over all pairs, by an
// unbiased estimate. It returns the weight of b.
func (e *estimated) move(a, b *candidate) (part float64) {
	gain, square := 0.0, 0.0
	for n, p := range e.pairs {
		for k, y := range p.values {
			d := b.values[0][n][k] - a.values[0][n][k]
			d2 := b.values[1][n][k] - a.values[1][n][k]
			direction := (e.nudged[n].values[k] - y) / e.size
			gain += float64((y-a.values[0][n][k])*d) - float64(p.variance*direction*(d2-d))/e.size
			square += float64(d * d)
		}
	}
	part = min(max(share(gain, square), 0), 1)
	for i, of := range a.values {
		for n := range of {
			plus(of[n], minus(b.values[i][n], of[n]), part)
		}
	}
	return part
}

const nudge = .1 // size of the perturbation in standard deviations of the noise

// plus adds the vector times·y to x.
func plus(x, y []float64, times float64) {
	for k := range x {
		x[k] += float64(times * y[k])
	}
}
