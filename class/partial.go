package class

import (
	"fmt"
	"slices"
)

// A Partial class can tell what some hypotheses predict when only some
// attributes of a record are known. Dual classes, whose hypotheses are records,
// take their bounds from it.
type Partial[H any] interface {
	// PredictPartial returns the prediction of h on all records that agree
	// with x on the attributes that are known, if it says that they are the
	// same; ok may be false although they are, but not where every attribute
	// is known.
	PredictPartial(h H, x []uint16, known []bool) (label, ok bool)
}

// PredictPartial asks c, a class over records of categories, what h predicts
// on x as far as that is known, as Partial says. A class that is not Partial
// knows nothing before all is known.
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
