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
	least := classes[0].Size()
	for _, c := range classes[1:] {
		if size := c.Size(); size.Cmp(least) < 0 {
			least = size
		}
	}
	var members []Member[X, H]
	for i, c := range classes {
		m := Member[X, H]{Class: c}
		if size := c.Size(); size.Cmp(least) > 0 {
			penalty := new(big.Rat).Quo(logRatio(size, least), lambda)
			p := ceil(penalty)
			if !p.IsInt64() || p.Int64() > mostPenalty {
				return nil, fmt.Errorf("union: class %d needs a penalty of %v at rate %v, more than %d", i+1, p, lambda, int64(mostPenalty))
			}
			m.Penalty = p.Int64()
		}
		members = append(members, m)
	}
	return members, nil
}

// ceil returns the least integer that is at least r, for positive r.
func ceil(r *big.Rat) *big.Int {
	p := new(big.Int).Add(r.Num(), r.Denom())
	return p.Sub(p, big.NewInt(1)).Quo(p, r.Denom())
}

// places is the number of binary places of a logarithm, and slack bounds the
// error of a difference of two, in these units: see lnFloor.
const (
	places = 128
	slack  = 48
)

// logRatio returns a number that is at least ln(n/d), and less than 2^-80 above.
func logRatio(n, d *big.Int) *big.Rat {
	v := new(big.Int).Sub(lnFloor(n), lnFloor(d))
	v.Add(v, new(big.Int).Lsh(big.NewInt(1), slack-1))
	return new(big.Rat).SetFrac(v, new(big.Int).Lsh(big.NewInt(1), places))
}

// lnFloor returns ln n in units of 2^-places, too low by less than
// 2^(slack-1) units if n has at most 2^32 bits. With n = 2^k·x and x in [1,2),
//
//	ln n = k ln 2 + ln x,   ln x = 2 artanh((x-1)/(x+1)),   ln 2 = 2 artanh(1/3).
func lnFloor(n *big.Int) *big.Int {
	k := n.BitLen() - 1
	x := new(big.Int).Lsh(n, places)
	x.Rsh(x, uint(k))
	unit := new(big.Int).Lsh(big.NewInt(1), places)
	z := new(big.Int).Sub(x, unit)
	z.Lsh(z, places).Quo(z, x.Add(x, unit))
	third := new(big.Int).Quo(unit, big.NewInt(3))
	ln := artanhFloor(third)
	ln.Mul(ln, big.NewInt(int64(k)))
	ln.Add(ln, artanhFloor(z))
	return ln.Lsh(ln, 1)
}

// artanhFloor returns z + z³/3 + z⁵/5 + ... for z in [0, 1/3], both in units of
// 2^-places. Every term is rounded down; those of less than a unit are left
// out: there are about 40 terms, each too low by less than two units.
func artanhFloor(z *big.Int) *big.Int {
	sum, power := new(big.Int), new(big.Int).Set(z)
	square := new(big.Int).Mul(z, z)
	square.Rsh(square, places)
	for i := int64(1); power.Sign() > 0; i += 2 {
		sum.Add(sum, new(big.Int).Quo(power, big.NewInt(i)))
		power.Mul(power, square).Rsh(power, places)
	}
	return sum
}
