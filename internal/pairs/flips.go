package pairs

import (
	"math/big"
	"slices"
)

// flips bounds, over all sets T of columns of which a row's values change, how many of its
// products of signs change theirs, those of a block of b counted 1/b each. For t columns
// in T, U the sum of their u, that is at most
//
//	(d+1-t)(t+U)/2 + (t(t-1) - U² + uU)/4
//
// with u the largest of all, and equal to it where all columns have as many signs. Signs
// alone give t(d+1-t), at most D²/4 (docs/explanation/proofs/pairs.md, theorem 2).
func flips(u []*big.Rat) *big.Rat {
	d := len(u)
	u = slices.Clone(u)
	slices.SortFunc(u, func(a, b *big.Rat) int { return b.Cmp(a) })
	least, most, greatest := new(big.Rat), new(big.Rat), new(big.Rat)
	for t := 1; t <= d; t++ {
		least.Add(least, u[d-t])
		most.Add(most, u[t-1])
		// The bound is concave in U, with its top at d+1-t + u/2.
		at := new(big.Rat).Mul(u[0], big.NewRat(1, 2))
		at = between(least, at.Add(at, big.NewRat(int64(d+1-t), 1)), most)
		f := new(big.Rat).Add(at, big.NewRat(int64(t), 1))
		f.Mul(f, big.NewRat(int64(d+1-t), 2))
		rest := new(big.Rat).Sub(u[0], at)
		rest.Mul(rest, at).Add(rest, big.NewRat(int64(t)*int64(t-1), 1))
		f.Add(f, rest.Mul(rest, big.NewRat(1, 4)))
		if f.Cmp(greatest) > 0 {
			greatest = f
		}
	}
	return greatest
}

// between is the number nearest to x from least to most.
func between(least, x, most *big.Rat) *big.Rat {
	return slices.MinFunc([]*big.Rat{slices.MaxFunc([]*big.Rat{least, x}, (*big.Rat).Cmp), most}, (*big.Rat).Cmp)
}
