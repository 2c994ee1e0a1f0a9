package rule

import "slices"

// A Condition tests one attribute. A record satisfies it if its code of Attribute is in Accepts, which is a list
// in increasing order. If the condition is on an interval, the codes are consecutive. A missing value has the code
// of the category that the schema calls other.
type Condition struct {
	Attribute int
	Accepts   []uint16
}

// Holds reports whether a record satisfies the condition.
func (c Condition) Holds(record []uint16) bool { return c.accepts(record[c.Attribute]) }

func (c Condition) accepts(code uint16) bool {
	_, found := slices.BinarySearch(c.Accepts, code)
	return found
}

// Divide divides codes into those that the condition accepts (yes) and all others (no).
func (c Condition) Divide(codes []uint16) (yes, no []uint16) {
	for _, code := range codes {
		if c.accepts(code) {
			yes = append(yes, code)
		} else {
			no = append(no, code)
		}
	}
	return yes, no
}

// Complement returns the negation of a condition on an attribute that has n categories.
func (c Condition) Complement(n int) Condition {
	out := Condition{Attribute: c.Attribute}
	for code := range n {
		if !c.accepts(uint16(code)) {
			out.Accepts = append(out.Accepts, uint16(code))
		}
	}
	return out
}

// Bits returns the conditions that encode the attributes with the given numbers of categories as bits, in the order of
// the attributes. If digits is true, the bits of an attribute are the binary digits of its code, lowest first. Otherwise
// they are "the code is c" for every code c except 0.
func Bits(sizes []int, digits bool) (all []Condition) {
	for j, size := range sizes {
		for c := 1; c < size && !digits; c++ {
			all = append(all, Condition{Attribute: j, Accepts: []uint16{uint16(c)}})
		}
		for d := 0; (size-1)>>d > 0 && digits; d++ {
			b := Condition{Attribute: j}
			for c := range size {
				if c>>d&1 == 1 {
					b.Accepts = append(b.Accepts, uint16(c))
				}
			}
			all = append(all, b)
		}
	}
	return all
}

// A Formula is a Boolean function of records: a Condition, or a combination of formulas by All, Any, Odd, AtLeast or
// Not.
type Formula interface {
	// Holds reports whether a record satisfies the formula.
	Holds(record []uint16) bool
}

// All holds if all of its formulas hold. An empty All holds for every record.
type All []Formula

// Any holds if at least one of its formulas holds.
type Any []Formula

// Odd holds if the number of its formulas that hold is odd.
type Odd []Formula

// AtLeast holds if at least Count of the formulas in Of hold.
type AtLeast struct {
	Count int
	Of    []Formula
}

// Not holds if its formula does not hold.
type Not struct{ Formula }

// Holds reports whether a record satisfies all formulas.
func (f All) Holds(record []uint16) bool {
	for _, part := range f {
		if !part.Holds(record) {
			return false
		}
	}
	return true
}

// Holds reports whether a record satisfies at least one formula.
func (f Any) Holds(record []uint16) bool {
	for _, part := range f {
		if part.Holds(record) {
			return true
		}
	}
	return false
}

// Holds reports whether a record satisfies an odd number of the formulas.
func (f Odd) Holds(record []uint16) bool { return count(f, record)%2 == 1 }

// Holds reports whether a record satisfies at least Count of the formulas.
func (f AtLeast) Holds(record []uint16) bool { return count(f.Of, record) >= f.Count }

// Holds reports whether a record does not satisfy the formula.
func (f Not) Holds(record []uint16) bool { return !f.Formula.Holds(record) }

func count(parts []Formula, record []uint16) (n int) {
	for _, part := range parts {
		if part.Holds(record) {
			n++
		}
	}
	return n
}

// Parts returns the formulas that f combines, in order. It returns nil if f is a condition.
func Parts(f Formula) []Formula {
	switch f := f.(type) {
	case All:
		return f
	case Any:
		return f
	case Odd:
		return f
	case AtLeast:
		return f.Of
	case Not:
		return []Formula{f.Formula}
	}
	return nil
}

// Conditions returns the conditions in a formula from left to right. The formula nil has none.
func Conditions(f Formula) (all []Condition) {
	if c, ok := f.(Condition); ok {
		return []Condition{c}
	}
	for _, part := range Parts(f) {
		all = append(all, Conditions(part)...)
	}
	return all
}
