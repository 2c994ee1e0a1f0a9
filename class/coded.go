package class

// A Coded class has a separator that is a code: φ of any two hypotheses differ
// in at least Distance bits, which is proved or was verified in full when the
// class was made.
type Coded interface {
	Distance() int
}

// Distance returns in how many bits of φ any two hypotheses of the class differ
// at least: 1 where the class promises no more.
func Distance(c any) int {
	if coded, ok := c.(Coded); ok {
		return coded.Distance()
	}
	return 1
}
