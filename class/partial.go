package class

import (
	"fmt"
	"slices"
)

// A Partial class can predict for records of which only some attributes are known, if the
// prediction is the same for all values of the other attributes. Dual classes, whose hypotheses are
// records, derive their bounds from it.
type Partial[H any] interface {
	// PredictPartial returns a label and true if it finds that h predicts this label on all records
	// that agree with x in the known attributes. Attribute j is known if known[j] is true. If all
	// attributes are known, ok is always true. Otherwise ok may be false even if the prediction is
	// the same on all these records.
	PredictPartial(h H, x []uint16, known []bool) (label, ok bool)
}

// PredictPartial calls the method PredictPartial of c, a class over records of category codes. For a
// class that is not Partial it predicts only if all attributes are known.
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
