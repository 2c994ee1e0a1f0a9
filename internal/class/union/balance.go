package union

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// Balanced returns the classes as members of a union, with penalties that compensate for their
// sizes. The penalty of class Q_i is ⌈(ln|Q_i| - ln|Q_min|)/λ⌉. Here Q_min is the smallest class,
// and λ = lambda is the rate of the exponential mechanism for one unit of penalty.
//
// Without penalties, the total weight of a class in the exponential mechanism is proportional to
// its size. With them, the classes have nearly equal total weights on an empty table: they differ
// by a factor below e^λ. The penalties are computed with integers from the sizes and λ, so they are
// the same on every machine.
func Balanced[X, H any](lambda *big.Rat, classes ...class.Class[X, H]) ([]Member[X, H], error) {
	var sizes []*big.Int
	for _, c := range classes {
		sizes = append(sizes, c.Size())
	}
	charges, err := Charges(lambda, sizes...)
	if err != nil {
		return nil, err
	}
	var members []Member[X, H]
	for i, charge := range charges {
		members = append(members, Member[X, H]{Class: classes[i], Penalty: charge})
	}
	return members, nil
}

// Charges returns the penalties of Balanced for members with the given total weights at the rate
// lambda, without penalties. The total weight of a searched class is its size, and that of a
// tractable class is 1, the sum of its prior.
func Charges(lambda *big.Rat, weights ...*big.Int) ([]int64, error) {
	if lambda.Sign() <= 0 {
		return nil, fmt.Errorf("union: the rate is %v, but must be positive", lambda)
	}
	if len(weights) == 0 {
		return nil, fmt.Errorf("union: at least one member is required")
	}
	var charges []int64
	for i, p := range class.Charges(lambda, weights) {
		if !p.IsInt64() || p.Int64() > mostPenalty {
			return nil, fmt.Errorf("union: class %d would need a penalty of %v to balance the union at rate %v, and the limit is %d; use a greater rate", i+1, p, lambda, int64(mostPenalty))
		}
		charges = append(charges, p.Int64())
	}
	return charges, nil
}
