package parity

import (
	"math/bits"
	"slices"
)

// jointBits is the number of bits that the local search of descend optimizes jointly. A transform
// over this number of bits takes about a millisecond.
const jointBits = 16

// descend searches for a parity of low cost by local search. It takes jointBits consecutive bits of
// the given order and computes by a transform which values of these bits are best if all other bits
// stay as they are. Then it moves on by half as many bits. It makes passes over all bits until a
// pass does not lower the cost. For at most jointBits bits, including the constant, the result is
// optimal.
func (c *Class) descend(order []int, base int64, others []weight, spread int64) (Parity, int64) {
	all := slices.Clone(order)
	if c.options.Affine {
		all = append(all, c.bits)
	}
	size := min(jointBits, len(all))
	key, best := uint64(0), base
	for _, x := range others {
		best += x.w
	}
	best /= 2
	for better := true; better; {
		better = false
		for from := 0; from == 0 || from < len(all)-jointBits/2; from += jointBits / 2 {
			chosen := all[min(from, len(all)-size):][:size]
			if k, cost := c.bestOfBits(chosen, key, base, others, spread); cost < best {
				key, best, better = k, cost, true
			}
		}
	}
	return c.parity(key), best
}

// bestOfBits finds a parity of least cost among the parities of the class whose keys differ from
// the given key at most in the chosen bits. It returns the key and the cost of this parity.
func (c *Class) bestOfBits(chosen []int, key uint64, base int64, others []weight, spread int64) (uint64, int64) {
	fixed := key &^ spreadOut(1<<len(chosen)-1, chosen)
	seen := make([]weight, len(others))
	for i, x := range others {
		seen[i] = weight{gather(x.word, chosen), signed(x.w, x.word&fixed)}
	}
	best := gather(key, chosen)
	costs := table(len(chosen), base, seen, spread)
	for k, cost := range costs {
		if cost < costs[best] && bits.OnesCount64((fixed|spreadOut(uint64(k), chosen))&^c.constantBit()) <= c.most {
			best = uint64(k)
		}
	}
	return fixed | spreadOut(best, chosen), costs[best]
}

// gather collects the chosen bits of word: bit i of the result is bit chosen[i] of word.
func gather(word uint64, chosen []int) (low uint64) {
	for i, bit := range chosen {
		low |= word >> bit & 1 << i
	}
	return low
}

// spreadOut is the inverse of gather: bit chosen[i] of the result is bit i of low, and all other
// bits are 0.
func spreadOut(low uint64, chosen []int) (word uint64) {
	for i, bit := range chosen {
		word |= low >> i & 1 << bit
	}
	return word
}
