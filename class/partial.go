package class

import (
	"fmt"
	"slices"
)

// A Partial class can predict for a record of which only some attributes are known, if the
// prediction is the same for all values of the unknown attributes. A dual class, in which records
// take the role of hypotheses, derives its bounds from these predictions.
type Partial[H any] interface {
	// PredictPartial returns a label and true if it finds that h predicts this label on all records
	// that agree with x in the known attributes. Attribute j is known if known[j] is true. If all
	// attributes are known, ok is always true. Otherwise ok may be false even if the prediction is
	// the same on all these records.
	PredictPartial(h H, x []uint16, known []bool) (label, ok bool)
}

// PredictPartial returns the prediction of the hypothesis h for a record of category codes of which
// only some attributes are known. The result ok is false if there is no prediction. If the class c
// is not Partial, there is a prediction only if all attributes are known.
func PredictPartial[X, H any](c Class[X, H], h H, x []uint16, known []bool) (label, ok bool) {
	if p, is := any(c).(Partial[H]); is {
		return p.PredictPartial(h, x, known)
	}
	if slices.Contains(known, false) {
		return false, false
	}
	full, is := any(x).(X)
	if !is {
		panic(fmt.Sprintf("class: %v reads no records of categories", c))
	}
	return c.Predict(h, full), true
}
