package scorecard

import (
	"math/big"
	"sync"
)

// A powers computes powers of an integer, the base. It is safe for concurrent use. It caches only
// the latest powers, because consecutive calls usually have neighbouring exponents. A power may
// have as many digits as a class has categories, so storing all powers would take quadratic memory.
type powers struct {
	base *big.Int
	mu   sync.Mutex
	kept map[int]*big.Int
}

// mostPowers is the maximum number of powers of one base that are stored for reuse.
const mostPowers = 64

func newPowers(base *big.Int) *powers { return &powers{base: base, kept: map[int]*big.Int{}} }

// of returns the base to the power n, for n ≥ 0. The caller must not change the result. If the
// power with exponent n-1 or n+1 is cached, computing the result takes time proportional to its
// length.
func (p *powers) of(n int) *big.Int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v, ok := p.kept[n]; ok {
		return v
	}
	v := new(big.Int)
	if above, ok := p.kept[n+1]; ok {
		v.Quo(above, p.base)
	} else if below, ok := p.kept[n-1]; ok {
		v.Mul(below, p.base)
	} else {
		v.Exp(p.base, big.NewInt(int64(n)), nil)
	}
	if len(p.kept) == mostPowers {
		clear(p.kept)
	}
	p.kept[n] = v
	return v
}
