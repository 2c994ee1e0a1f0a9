package class

import "math/big"

// An Embedding maps the hypotheses of a class to integer points on a sphere around the origin.
// Objective perturbation in the form of Neel, Roth, Vietri and Wu (2019) adds a random linear
// function of these points to the costs.
type Embedding[H any] interface {
	// Sphere returns the dimension of the points, their squared norm R, and a proved gap h ≥ 1. The inner product of
	// ψ(q) and ψ(q') is at most R - h for any two distinct hypotheses q and q'.
	Sphere() Sphere
	// Embed returns ψ(q), which has Dim coordinates.
	Embed(q H) []int64
	// Linear returns one term for each bit of the class's separator φ. For each q, the terms of the
	// bits that φ(q) sets sum to the inner product of k and ψ(q), up to a constant that is the same
	// for all q.
	Linear(k []*big.Int) []*big.Int
}

// A Sphere describes the sphere on which an Embedding places the hypotheses of a class.
type Sphere struct {
	Dim    int   // the dimension of the points
	Square int64 // R, the squared norm of every point
	Gap    int64 // h, a lower bound on R minus the inner product of two distinct points
}

// An Embedded class may have an embedding of its own, in place of the one that EmbeddingOf derives
// from the separator. The method Embedding returns nil if the class has none.
type Embedded[H any] interface {
	Embedding() Embedding[H]
}

// EmbeddingOf returns the class's own embedding if it has one. Otherwise it derives an embedding
// from the separator φ of the class, or returns nil if there is no separator either.
//
// The derived embedding maps a hypothesis q to ψ(q) = 2φ(q) - 1, a vector of m entries ±1 with
// squared norm m. Any two of these vectors differ in at least Distance(c) entries, so the gap of
// the embedding is 2·Distance(c).
func EmbeddingOf[X, H any](c Class[X, H]) Embedding[H] {
	if e, ok := c.(Embedded[H]); ok {
		if own := e.Embedding(); own != nil {
			return own
		}
	}
	if SeparatorBits(c) < 0 {
		return nil
	}
	return &signs[X, H]{c}
}

// A signs embedding maps a hypothesis q to ψ(q) = 2φ(q) - 1, where φ is the separator of the class.
type signs[X, H any] struct{ class Class[X, H] }

func (s *signs[X, H]) Sphere() Sphere {
	m := SeparatorBits(s.class)
	return Sphere{Dim: m, Square: int64(m), Gap: 2 * int64(Distance(s.class))}
}

func (s *signs[X, H]) Embed(q H) []int64 {
	out := make([]int64, SeparatorBits(s.class))
	for i, set := range Separate(s.class, q) {
		out[i] = -1
		if set {
			out[i] = 1
		}
	}
	return out
}

func (s *signs[X, H]) Linear(k []*big.Int) []*big.Int {
	out := make([]*big.Int, len(k))
	for i, v := range k {
		out[i] = new(big.Int).Lsh(v, 1)
	}
	return out
}
