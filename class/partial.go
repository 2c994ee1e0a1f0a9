package class

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
