package class

import "math/big"

// Charges returns penalties that compensate for the sizes of several sets of hypotheses. The
// penalty of a set is added to the cost of each of its hypotheses. Then the exponential mechanism
// gives all sets about the same total weight, so it does not favour a set for its size.
//
// The parameter numbers holds the sizes n_i of the sets. The penalty of set i is ⌈(ln n_i - ln
// n_min)/λ⌉, where n_min is the smallest size and λ, the parameter lambda, is the rate of the
// mechanism. With these penalties, the total weights n_i·e^{-λ·penalty} of any two sets differ by a
// factor below e^λ. All sizes and lambda must be positive. The computation uses integers only, so
// its result is the same on every machine.
func Charges(lambda *big.Rat, numbers []*big.Int) []*big.Int {
	least := numbers[0]
	for _, n := range numbers[1:] {
		if n.Cmp(least) < 0 {
			least = n
		}
	}
	of := map[string]*big.Int{string(least.Bytes()): new(big.Int)}
	charges := make([]*big.Int, len(numbers))
	for i, n := range numbers {
		charge, known := of[string(n.Bytes())]
		if !known {
			charge = ceil(new(big.Rat).Quo(logRatio(n, least), lambda))
			of[string(n.Bytes())] = charge
		}
		charges[i] = charge
	}
	return charges
}

// ceil returns r, which must be positive, rounded up to an integer.
func ceil(r *big.Rat) *big.Int {
	p := new(big.Int).Add(r.Num(), r.Denom())
	return p.Sub(p, big.NewInt(1)).Quo(p, r.Denom())
}

// logPlaces is the number of fractional bits of the logarithms that lnFloor computes. logSlack
// bounds their rounding error: the difference of two logarithms is off by at most
// 2^(logSlack-logPlaces).
const (
	logPlaces = 128
	logSlack  = 48
)

// logRatio returns an upper bound on ln(n/d). The bound exceeds ln(n/d) by less than 2^-80.
func logRatio(n, d *big.Int) *big.Rat {
	v := new(big.Int).Sub(lnFloor(n), lnFloor(d))
	v.Add(v, new(big.Int).Lsh(big.NewInt(1), logSlack-1))
	return new(big.Rat).SetFrac(v, new(big.Int).Lsh(big.NewInt(1), logPlaces))
}

// lnFloor returns ln n, rounded down, as an integer in units of 2^-logPlaces. The result is too low
// by less than 2^(logSlack-1) units if n has at most 2^32 bits. lnFloor writes n as 2^k·x with x in
// [1,2) and uses
//
//	ln n = k ln 2 + ln x,   ln x = 2 artanh((x-1)/(x+1)),   ln 2 = 2 artanh(1/3).
func lnFloor(n *big.Int) *big.Int {
	k := n.BitLen() - 1
	x := new(big.Int).Lsh(n, logPlaces)
	x.Rsh(x, uint(k))
	unit := new(big.Int).Lsh(big.NewInt(1), logPlaces)
	z := new(big.Int).Sub(x, unit)
	z.Lsh(z, logPlaces).Quo(z, x.Add(x, unit))
	third := new(big.Int).Quo(unit, big.NewInt(3))
	ln := artanhFloor(third)
	ln.Mul(ln, big.NewInt(int64(k)))
	ln.Add(ln, artanhFloor(z))
	return ln.Lsh(ln, 1)
}

// artanhFloor returns artanh z = z + z³/3 + z⁵/5 + ... for z in [0, 1/3]. The argument and the
// result are integers in units of 2^-logPlaces. Every term is rounded down, and terms of less than
// one unit are omitted. There are about 40 terms, and each is too low by less than two units.
func artanhFloor(z *big.Int) *big.Int {
	sum, power := new(big.Int), new(big.Int).Set(z)
	square := new(big.Int).Mul(z, z)
	square.Rsh(square, logPlaces)
	for i := int64(1); power.Sign() > 0; i += 2 {
		sum.Add(sum, new(big.Int).Quo(power, big.NewInt(i)))
		power.Mul(power, square).Rsh(power, logPlaces)
	}
	return sum
}
