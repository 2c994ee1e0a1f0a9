package union

import (
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// Balanced returns the classes as members with penalties under which the
// exponential mechanism at rate lambda, for each unit of penalty, gives them
// about the same mass before it sees data: ⌈(ln|Q_i| - ln|Q_min|)/λ⌉. Without
// them a class outweighs a smaller one by its size. The masses differ by a
// factor below e^λ. The penalties are a function of the sizes and λ, computed
// in integers: the same on every machine.
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

// Charges returns the penalties that balance members whose hypotheses weigh so much
// together, as Balanced does: as many as there are, or 1 for a summed class, whose prior
// adds up to 1.
func Charges(lambda *big.Rat, weights ...*big.Int) ([]int64, error) {
	if lambda.Sign() <= 0 {
		return nil, fmt.Errorf("union: a rate of %v balances nothing; it must be positive", lambda)
	}
	if len(weights) == 0 {
		return nil, fmt.Errorf("union: a union needs at least one member")
	}
	var charges []int64
	for i, p := range class.Charges(lambda, weights) {
		if !p.IsInt64() || p.Int64() > mostPenalty {
			return nil, fmt.Errorf("union: class %d needs a penalty of %v at rate %v, more than %d", i+1, p, lambda, int64(mostPenalty))
		}
		charges = append(charges, p.Int64())
	}
	return charges, nil
}
