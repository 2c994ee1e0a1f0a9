package search

import (
	"encoding/binary"
	"math"
)

// A blocks divides the nodes of a frontier (see frontier) into blocks of consecutive nodes, in
// depth-first order. For each block it stores only the path of the first node and the total weight
// of the nodes. All blocks have the same number of nodes, the field size, except the last one,
// which may have fewer.
//
// Memory is bounded for any number and depth of nodes: if the number of blocks or the total length
// of the paths reaches its limit (see scale), neighbouring blocks are joined in pairs.
type blocks struct {
	scale
	size  int
	sums  []uint64 // partial sums of the weights of the blocks
	ends  []int    // for each block, the end of its first node's path in paths
	paths []byte   // paths of the first nodes, as varints
	open  int      // number of nodes in the last block
}

// reset removes all blocks.
func (b *blocks) reset() {
	*b = blocks{scale: b.scale, size: b.block, sums: b.sums[:0], ends: b.ends[:0], paths: b.paths[:0]}
}

// add appends a node of the frontier with the given path and weight, an integer in the unit of the
// frontier. It returns false if the weight is 0, or if the total weight does not fit into 63 bits.
func (b *blocks) add(units uint64, path []int) bool {
	total := b.total()
	if units == 0 || units > math.MaxInt64-total {
		return false
	}
	if b.open == b.size && len(b.sums)%2 == 0 && (len(b.sums) >= b.blocks || len(b.paths) > b.bytes) {
		b.pair()
	}
	if len(b.sums) == 0 || b.open == b.size {
		for _, c := range path {
			b.paths = binary.AppendUvarint(b.paths, uint64(c))
		}
		b.ends = append(b.ends, len(b.paths))
		b.sums = append(b.sums, total)
		b.open = 0
	}
	b.sums[len(b.sums)-1] = total + units
	b.open++
	return true
}

// pair halves the number of blocks of nodes by joining neighbouring blocks. Their number must be
// even, and all of them must be full.
func (b *blocks) pair() {
	to, end := 0, 0
	for i := 0; i < len(b.sums); i += 2 {
		from := 0
		if i > 0 {
			from = b.ends[i-1]
		}
		end += copy(b.paths[end:], b.paths[from:b.ends[i]])
		b.ends[to] = end
		b.sums[to] = b.sums[i+1]
		to++
	}
	b.size *= 2
	b.open = b.size
	b.sums, b.ends, b.paths = b.sums[:to], b.ends[:to], b.paths[:end]
}

// total returns the total weight of the nodes in all blocks.
func (b *blocks) total() uint64 {
	if len(b.sums) == 0 {
		return 0
	}
	return b.sums[len(b.sums)-1]
}

// weight returns the total weight of the nodes in block i.
func (b *blocks) weight(i int) uint64 {
	if i == 0 {
		return b.sums[0]
	}
	return b.sums[i] - b.sums[i-1]
}

// start returns the path of the first node of block i.
func (b *blocks) start(i int) []int {
	from := 0
	if i > 0 {
		from = b.ends[i-1]
	}
	var path []int
	for rest := b.paths[from:b.ends[i]]; len(rest) > 0; {
		c, n := binary.Uvarint(rest)
		path = append(path, int(c))
		rest = rest[n:]
	}
	return path
}
