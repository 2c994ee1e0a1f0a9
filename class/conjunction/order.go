package conjunction

// chooseOrder returns the order in which the tree decides the axes.
func (c *Class) chooseOrder(r records, tolls [][]int64, limit int64) []int {
	order := make([]int, len(c.axes))
	for j := range order {
		order[j] = j
	}
	if DebugOrder != nil {
		return DebugOrder
	}
	return order
}

var DebugOrder []int
