package scorecard

// A Card is a scorecard: Points[j][c] is what category c of attribute j
// contributes to the total. It predicts 1 iff the total of a record's
// contributions reaches the threshold of its class.
type Card struct {
	Points [][]int
}

// Total returns the total of record x, one category code for each attribute.
func (h Card) Total(x []uint16) int {
	total := 0
	for j, c := range x {
		total += h.Points[j][c]
	}
	return total
}

// Used tells whether attribute j contributes anything but 0 to any record.
func (h Card) Used(j int) bool {
	for _, v := range h.Points[j] {
		if v != 0 {
			return true
		}
	}
	return false
}

// clone returns a copy that shares nothing with h.
func (h Card) clone() Card {
	points := make([][]int, len(h.Points))
	for j := range points {
		points[j] = append([]int(nil), h.Points[j]...)
	}
	return Card{points}
}
