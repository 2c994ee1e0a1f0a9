package oracle

// A Floating oracle can state that its answers rely on a lower bound that was computed in floating point and is not
// verified. If FloatBound returns true, a mechanism that uses the oracle must list the assumption privacy.FloatBound
// in its guarantee.
type Floating interface {
	FloatBound() bool
}

// FloatBound reports whether o is a Floating oracle whose method FloatBound returns true.
func FloatBound(o any) bool {
	f, ok := o.(Floating)
	return ok && f.FloatBound()
}
