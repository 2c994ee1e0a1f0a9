package oracle

// A Floating oracle reports whether its answers rely on a lower bound that was computed in floating
// point and is not verified. A guarantee that uses such an oracle must state the assumption
// privacy.FloatBound.
type Floating interface {
	FloatBound() bool
}

// FloatBound reports whether o is a Floating oracle and its FloatBound returns true.
func FloatBound(o any) bool {
	f, ok := o.(Floating)
	return ok && f.FloatBound()
}
