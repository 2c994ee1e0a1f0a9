package loglinear

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/synth/portable"
)

// An operator is a symmetric matrix of which only products with vectors are computed.
type operator interface {
	size() int
	times(x, out []float64) // adds the product of the matrix and x to out
}

// leading runs the given number of steps of orthogonal iteration on orthonormal vectors, in place. The
// vectors converge to the eigenvectors of m whose eigenvalues have the largest absolute values. leading
// returns estimates of these eigenvalues. It returns the context's error if the context ends.
func leading(ctx context.Context, threads int, m operator, vectors [][]float64, steps int) ([]float64, error) {
	for range steps {
		products, err := multiply(ctx, threads, m, vectors)
		if err != nil {
			return nil, err
		}
		copy(vectors, products)
		orthonormal(vectors)
	}
	products, err := multiply(ctx, threads, m, vectors)
	if err != nil {
		return nil, err
	}
	return ritz(products, vectors), nil
}

// multiply returns the product of the operator with each vector.
func multiply(ctx context.Context, threads int, m operator, vectors [][]float64) ([][]float64, error) {
	products := make([][]float64, len(vectors))
	err := parallel.Do(ctx, max(1, threads), len(vectors), func() func(int) {
		return func(k int) {
			products[k] = make([]float64, m.size())
			m.times(vectors[k], products[k])
		}
	})
	return products, err
}

// ritz replaces orthonormal vectors by the Ritz vectors of an operator: the best approximations of its
// eigenvectors in the span of the given vectors. It returns their approximate eigenvalues (Ritz values). The
// slices products hold the products of the operator with the given vectors.
func ritz(products, vectors [][]float64) []float64 {
	q := len(vectors)
	within := make([]float64, q*q)
	for k := range vectors {
		for l := range k + 1 {
			x := dot(vectors[l], products[k])
			within[k*q+l], within[l*q+k] = x, x
		}
	}
	values, turn := portable.Symmetric(within, q)
	turned := make([][]float64, q)
	for k := range turned {
		turned[k] = make([]float64, len(vectors[k]))
		for l, v := range vectors {
			plus(turned[k], v, turn[k][l])
		}
	}
	copy(vectors, turned)
	return values
}

// orthonormal orthonormalizes vectors by the Gram-Schmidt process. It repeats each projection to limit rounding
// errors. A vector in the span of earlier vectors becomes 0.
func orthonormal(vectors [][]float64) {
	for k, v := range vectors {
		before := math.Sqrt(dot(v, v))
		for range 2 {
			for _, u := range vectors[:k] {
				x := dot(u, v)
				for i := range v {
					v[i] -= float64(x * u[i])
				}
			}
		}
		norm := math.Sqrt(dot(v, v))
		for i := range v {
			if norm > 1e-9*before {
				v[i] /= norm
			} else {
				v[i] = 0
			}
		}
	}
}

// scattered returns random orthonormal vectors of length size. The parameter many is the number of vectors.
func scattered(size, many int, random *rand.Rand) [][]float64 {
	vectors := make([][]float64, many)
	for k := range vectors {
		vectors[k] = signs(size, random)
	}
	orthonormal(vectors)
	return vectors
}

// signs returns n independent random numbers, each 1 or -1.
func signs(n int, random *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(1 - 2*int(random.Uint64()>>63))
	}
	return x
}
