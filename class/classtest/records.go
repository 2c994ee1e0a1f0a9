package classtest

// Records returns all possible records over some attributes. The parameter categories lists the
// number of categories of each attribute.
func Records(categories []int) [][]uint16 {
	out := [][]uint16{{}}
	for _, n := range categories {
		var longer [][]uint16
		for _, x := range out {
			for c := range n {
				longer = append(longer, append(x[:len(x):len(x)], uint16(c)))
			}
		}
		out = longer
	}
	return out
}
