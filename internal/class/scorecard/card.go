package scorecard

import "slices"

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

// Offset returns what is in every total: the points of the attributes that give all
// their categories the same. Without them, and with a threshold lower by as much, a card
// predicts the same.
func (h Card) Offset() int {
	offset := 0
	for _, points := range h.Points {
		if slices.Min(points) == slices.Max(points) {
			offset += points[0]
		}
	}
	return offset
}

// clone returns a copy that shares nothing with h.
func (h Card) clone() Card {
	points := make([][]int, len(h.Points))
	for j := range points {
		points[j] = append([]int(nil), h.Points[j]...)
	}
	return Card{points}
}
