package parity

// chooseOrder chooses the order in which the search tree decides the bits. A smaller sum of |F|
// over the patterns of undecided bits gives a better bound on the cost at a node (see tree, which
// defines F). So the next bit is always the one whose decision makes this sum smallest, on average
// over both children.
//
// If patterns with F = a and F = b merge, the merged pattern has F = a+b at one child and a-b at
// the other, up to sign. The average of |a+b| and |a-b| is max(|a|, |b|). All later steps use this
// average as the size of the merged pattern.
func (c *Class) chooseOrder(others []weight) []int {
	words, sizes := make([]uint64, len(others)), make([]int64, len(others))
	for i, x := range others {
		words[i], sizes[i] = x.word, magnitude(x.w)
	}
	left := make([]int, c.bits)
	for i := range left {
		left[i] = i
	}
	order := make([]int, 0, c.bits)
	for len(left) > 0 {
		best, most := 0, int64(-1)
		for k, bit := range left {
			if g := gain(words, sizes, 1<<bit); g > most {
				best, most = k, g
			}
		}
		bit := left[best]
		left = append(left[:best], left[best+1:]...)
		order = append(order, bit)
		words, sizes = mergeSizes(words, sizes, 1<<bit)
	}
	return order
}

// gain returns by how much the total size of all patterns decreases if the given bit is decided
// next, on average over both children. The parameter words holds the patterns, and sizes their
// sizes (see chooseOrder).
func gain(words []uint64, sizes []int64, bit uint64) int64 {
	sum := int64(0)
	for a, b := range pairsByBit(words, bit) {
		switch {
		case b < 0:
		case words[b] == bit:
			sum += sizes[b]
		case a >= 0:
			sum += min(sizes[a], sizes[b])
		}
	}
	return sum
}

// mergeSizes returns the patterns that remain after the given bit is decided, and their sizes (see
// chooseOrder).
func mergeSizes(words []uint64, sizes []int64, bit uint64) (after []uint64, left []int64) {
	l, after := decide(words, bit)
	for _, m := range l.merges {
		size := int64(0)
		if m.without > 0 {
			size = sizes[m.without-1]
		}
		if m.with > 0 {
			size = max(size, sizes[m.with-1])
		}
		left = append(left, size)
	}
	return after, left
}
