package scorecard

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// PredictPartial returns the prediction of h on all records that agree with x
// on the known attributes, if it is the same on all of them: the total then
// lies between the sum of the least points of the unknown attributes and that
// of their greatest, and both occur. It takes time in proportion to the
// categories.
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
