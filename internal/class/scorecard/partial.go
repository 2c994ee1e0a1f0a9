package scorecard

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// PredictPartial returns the prediction of h if it is the same for all records that agree with x on
// the known attributes. Otherwise ok is false. It compares the threshold with the least and the
// greatest total of these records. They are obtained with the least or the greatest points of each
// unknown attribute. PredictPartial takes time proportional to the number of categories.
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
