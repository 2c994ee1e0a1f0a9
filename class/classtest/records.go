package classtest

// Records returns all possible records of attributes, where attribute j has categories[j] categories.
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
