package search

// A Certificate proves that no hypothesis costs less than Cost. For the nodes of the tree in
// depth-first order, one bit says whether the node is split into its children or closed because its
// bound is at least Cost. The closed nodes cover the class.
type Certificate struct {
	Cost  int64
	Plan  []int  // the tree's Plan
	Nodes int64  // number of nodes
	Bits  []byte // node i is split if Bits[i/8]>>(i%8)&1 is 1
}

// A cover records a certificate during a search. A nil cover records nothing.
type cover struct {
	nodes int64
	bits  []byte
}

// mark records whether the next node in depth-first order is split.
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
