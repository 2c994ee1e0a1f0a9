package search

// A Certificate proves that no hypothesis of the class costs less than Cost. It has one bit for
// each node that the search visited, in depth-first order. The bit is 1 if the node is split into
// its children, and 0 if it is closed because its bound is at least Cost. Every hypothesis is below
// a closed node.
type Certificate struct {
	Cost  int64
	Plan  []int  // the tree's Plan
	Nodes int64  // number of nodes
	Bits  []byte // node i is split if Bits[i/8]>>(i%8)&1 is 1
}

// A cover collects the bits of a certificate (see Certificate) during a search. A nil cover
// collects nothing, for a search without a certificate.
type cover struct {
	nodes int64
	bits  []byte
}

// mark appends the bit for the next node in depth-first order: 1 if the search splits this node,
// the parameter split, and 0 otherwise.
func (c *cover) mark(split bool) {
	if c == nil {
		return
	}
	if c.nodes%8 == 0 {
		c.bits = append(c.bits, 0)
	}
	if split {
		c.bits[c.nodes/8] |= 1 << (c.nodes % 8)
	}
	c.nodes++
}

func (c *cover) certificate(cost int64, plan []int) *Certificate {
	return &Certificate{Cost: cost, Plan: plan, Nodes: c.nodes, Bits: c.bits}
}
