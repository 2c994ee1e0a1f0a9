package scorecard

import "slices"

// A Card is a scorecard. Points[j][c] is the number of points of category c of attribute j. The
// card predicts 1 for a record if and only if the sum of the points of the record's categories
// reaches the threshold of the class.
type Card struct {
	Points [][]int
}

// Total returns the total points of record x, which has one category code for each attribute.
func (h Card) Total(x []uint16) int {
	total := 0
	for j, c := range x {
		total += h.Points[j][c]
	}
	return total
}

// Used reports whether the card uses attribute j: some category of the attribute has points other
// than 0.
func (h Card) Used(j int) bool {
	for _, v := range h.Points[j] {
		if v != 0 {
			return true
		}
	}
	return false
}

// Offset returns the sum of the points that every record gets, whatever its categories: those of
// the attributes whose categories all have the same points. If these points are set to 0 and the
// threshold is lowered by Offset, the predictions stay the same.
func (h Card) Offset() int {
	offset := 0
	for _, points := range h.Points {
		if slices.Min(points) == slices.Max(points) {
			offset += points[0]
		}
	}
	return offset
}

// clone returns a deep copy of the card h.
func (h Card) clone() Card {
	points := make([][]int, len(h.Points))
	for j := range points {
		points[j] = append([]int(nil), h.Points[j]...)
	}
	return Card{points}
}
