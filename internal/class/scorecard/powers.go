package scorecard

import (
	"math/big"
	"sync"
)

// Powers are those of a number, one after the other in a walk, each of which may
// be as long as a class has categories: so many that all of them at once would
// take the square of that. It may be used by several goroutines.
type powers struct {
	base *big.Int
	mu   sync.Mutex
	last map[int]*big.Int
}

// mostPowers is how many powers are kept.
const mostPowers = 64

func newPowers(base *big.Int) *powers { return &powers{base: base, last: map[int]*big.Int{}} }

// of returns the n-th power, n ≥ 0, which the caller must not change. It takes
// time in proportion to its length where the one before or behind is kept.
func (p *powers) of(n int) *big.Int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v, ok := p.last[n]; ok {
		return v
	}
	v := new(big.Int)
	if above, ok := p.last[n+1]; ok {
		v.Quo(above, p.base)
	} else if below, ok := p.last[n-1]; ok {
		v.Mul(below, p.base)
	} else {
		v.Exp(p.base, big.NewInt(int64(n)), nil)
	}
	if len(p.last) == mostPowers {
		clear(p.last)
	}
	p.last[n] = v
	return v
}
