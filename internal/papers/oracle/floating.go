package oracle

// A Floating oracle can say that its answers rest on a bound that was found in
// floating point and that nothing checks. That is an assumption of every
// guarantee built on it.
type Floating interface {
	FloatBound() bool
}

// FloatBound tells whether the answers of an oracle rest on such a bound.
func FloatBound(o any) bool {
	f, ok := o.(Floating)
	return ok && f.FloatBound()
}
