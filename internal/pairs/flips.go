package pairs

import (
	"math/big"
	"slices"
)

// flips returns an upper bound on the weighted number of products of signs that change when a row is replaced: a
// product in a block of b sums has the weight 1/b. The slice u holds 1/m for each of the d columns, where m is the
// number of signs of the column.
//
// First consider the replacements that change the values of a given set T of columns. Let t be the number of these
// columns, U the sum of u over T, and u₁ the largest u of all columns. The weighted number of changed products is at
// most
//
//	(d+1-t)(t+U)/2 + (t(t-1) - U² + u₁U)/4.
//
// This bound is attained if all columns have the same number of signs. If every column has one sign, the bound is
// t(d+1-t). flips returns the maximum of the bound over all sets T (docs/explanation/proofs/pairs.md, theorem 2).
func flips(u []*big.Rat) *big.Rat {
	d := len(u)
	u = slices.Clone(u)
	slices.SortFunc(u, func(a, b *big.Rat) int { return b.Cmp(a) })
	least, most, greatest := new(big.Rat), new(big.Rat), new(big.Rat)
	for t := 1; t <= d; t++ {
		least.Add(least, u[d-t])
		most.Add(most, u[t-1])
		// The bound is concave in U, with its maximum at d+1-t + u₁/2.
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

// between returns x, clamped to the interval from least to most.
func between(least, x, most *big.Rat) *big.Rat {
	return slices.MinFunc([]*big.Rat{slices.MaxFunc([]*big.Rat{least, x}, (*big.Rat).Cmp), most}, (*big.Rat).Cmp)
}
