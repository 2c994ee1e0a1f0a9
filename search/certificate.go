package search

// A Certificate proves that no hypothesis costs less than Cost: it says which
// nodes of the tree, in depth-first order, are split into their children and
// which are closed because their bound is at least Cost. The closed nodes
// cover the class. A bit is spent on each node.
type Certificate struct {
	Cost  int64
	Plan  []int  // of the tree
	Nodes int64  // marked
	Bits  []byte // 1: split; of node i: Bits[i/8]>>(i%8)&1
}

// A cover records a certificate as a search goes; nil records nothing.
type cover struct {
	nodes int64
	bits  []byte
}

// mark records the next node in depth-first order.
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
