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
	if lambda.Sign() <= 0 {
		return nil, fmt.Errorf("union: a rate of %v balances nothing; it must be positive", lambda)
	}
	if len(classes) == 0 {
		return nil, fmt.Errorf("union: a union needs at least one member")
	}
	var sizes []*big.Int
	for _, c := range classes {
		sizes = append(sizes, c.Size())
	}
	var members []Member[X, H]
	for i, p := range class.Charges(lambda, sizes) {
		if !p.IsInt64() || p.Int64() > mostPenalty {
			return nil, fmt.Errorf("union: class %d needs a penalty of %v at rate %v, more than %d", i+1, p, lambda, int64(mostPenalty))
		}
		members = append(members, Member[X, H]{Class: classes[i], Penalty: p.Int64()})
	}
	return members, nil
}
