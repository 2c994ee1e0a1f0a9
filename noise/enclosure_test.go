package noise

import (
	"fmt"
	"math/big"
)

// This file contains interval arithmetic for the tests. An enclosure is a lower and an upper bound,
// as integers in units of 2^-unitBits, rounded outward.

const unitBits = 160

type enclosure struct{ lo, hi *big.Int }

func exact(n int64) enclosure { return fromRat(big.NewRat(n, 1)) }

func fromRat(x *big.Rat) enclosure {
	q, r := new(big.Int), new(big.Int)
	q.DivMod(new(big.Int).Lsh(x.Num(), unitBits), x.Denom(), r)
	hi := new(big.Int).Set(q)
	if r.Sign() != 0 {
		hi.Add(hi, one)
	}
	return enclosure{q, hi}
}

func expNeg(x *big.Rat) enclosure {
	lo, hi := ExpInterval(x, unitBits)
	return enclosure{lo, hi}
}

func (e enclosure) plus(f enclosure) enclosure {
	return enclosure{new(big.Int).Add(e.lo, f.lo), new(big.Int).Add(e.hi, f.hi)}
}

func (e enclosure) minus(f enclosure) enclosure {
	return enclosure{new(big.Int).Sub(e.lo, f.hi), new(big.Int).Sub(e.hi, f.lo)}
}

// times and over require enclosures of non-negative numbers.
func (e enclosure) times(f enclosure) enclosure {
	lo, hi := new(big.Int).Mul(e.lo, f.lo), new(big.Int).Mul(e.hi, f.hi)
	lo, hi = widen(lo, hi, unitBits)
	return enclosure{lo, hi}
}

func (e enclosure) over(f enclosure) enclosure {
	lo := new(big.Int).Lsh(e.lo, unitBits)
	hi := new(big.Int).Lsh(e.hi, unitBits)
	return enclosure{lo.Div(lo, f.hi), hi.Div(hi, f.lo).Add(hi, one)}
}

func (e enclosure) width() float64 { return toFloat(new(big.Int).Sub(e.hi, e.lo)) }

func (e enclosure) String() string {
	return fmt.Sprintf("[%.12g, %.12g]", toFloat(e.lo), toFloat(e.hi))
}

func toFloat(n *big.Int) float64 {
	f, _ := new(big.Rat).SetFrac(n, new(big.Int).Lsh(one, unitBits)).Float64()
	return f
}
