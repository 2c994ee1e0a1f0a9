package classtest

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// Embedding tests three properties of the embedding of a class:
//
//   - Every hypothesis is mapped to a point on the sphere.
//   - Points are at least as far apart as the Gap of the sphere says. Each of the first 100 points
//     is compared with every other point.
//   - For a random vector k, the terms that Linear returns give each hypothesis the inner product
//     of k and its point, apart from a constant that is the same for all hypotheses.
func Embedding[X, H any](t T, c Case[X, H], draw Draw) {
	t.Helper()
	e := class.EmbeddingOf(c.Class)
	s := e.Sphere()
	k := make([]*big.Int, s.Dim)
	for i := range k {
		k[i] = big.NewInt(int64(draw(-1000, 1000)))
	}
	terms := e.Linear(k)
	if len(terms) != class.SeparatorBits(c.Class) {
		t.Fatalf("%v: %d terms for %d bits", c.Class, len(terms), class.SeparatorBits(c.Class))
	}
	var points [][]int64
	var constant *big.Int
	for h := range c.Class.All() {
		point := e.Embed(h)
		if len(point) != s.Dim || dot(point, point) != s.Square {
			t.Fatalf("%v: %v at %v is not on the sphere %+v", c.Class, h, point, s)
		}
		for _, other := range points {
			if dot(point, other) > s.Square-s.Gap {
				t.Fatalf("%v: %v at %v and %v are too close for a gap of %d", c.Class, h, point, other, s.Gap)
			}
		}
		if len(points) < 100 {
			points = append(points, point)
		}
		rest := new(big.Int)
		for i, v := range point {
			rest.Add(rest, new(big.Int).Mul(k[i], big.NewInt(v)))
		}
		for i, set := range class.Separate(c.Class, h) {
			if set {
				rest.Sub(rest, terms[i])
			}
		}
		if constant == nil {
			constant = rest
		}
		if rest.Cmp(constant) != 0 {
			t.Fatalf("%v: the terms of %v miss its linear cost by %v, not %v", c.Class, h, rest, constant)
		}
	}
}

func dot(a, b []int64) int64 {
	sum := int64(0)
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
