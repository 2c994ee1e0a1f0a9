package scorecard

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// PredictPartial predicts a record of which only some attributes are known. If card h has the same
// prediction for all records that agree with x on the known attributes, PredictPartial returns it;
// otherwise ok is false. It compares the threshold with the least and the greatest total of these
// records, in time proportional to the number of categories.
func (c *Class) PredictPartial(h Card, x []uint16, known []bool) (label, ok bool) {
	least, most := 0, 0
	for j, points := range h.Points {
		if known[j] {
			least, most = least+points[x[j]], most+points[x[j]]
		} else {
			least, most = least+slices.Min(points), most+slices.Max(points)
		}
	}
	label = least >= c.options.Threshold
	return label, label || most < c.options.Threshold
}

var _ class.Partial[Card] = (*Class)(nil)
