package scorecard

import (
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// PredictPartial returns the prediction of h if it is the same for all records that agree with x on
// the known attributes. Otherwise ok is false. The least total of these records takes the least
// points of each unknown attribute, and the greatest total takes the greatest points; there are
// records with both totals. PredictPartial takes time proportional to the number of categories.
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
