package scorecard

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// PredictPartial returns the prediction of h on all records that agree with x on the known
// attributes, if it is the same for all of them. The totals of these records range from the sum
// with the least points of the unknown attributes to the sum with the greatest, and both occur.
// PredictPartial takes time proportional to the number of categories.
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
