package rule

import "slices"

// A Condition tests one attribute of a record. It is satisfied if the record's code of Attribute is in Accepts, a list
// in increasing order. For a condition on an interval, the codes are consecutive. A missing value has the code of the
// category that the schema names under "other".
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

// Divide divides a list of codes into those that the condition accepts and all others.
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

// Complement returns the negation of the condition, whose attribute has n categories.
func (c Condition) Complement(n int) Condition {
	out := Condition{Attribute: c.Attribute}
	for code := range n {
		if !c.accepts(uint16(code)) {
			out.Accepts = append(out.Accepts, uint16(code))
		}
	}
	return out
}

// Bits returns the conditions that encode the attributes as bits, in the order of the attributes. The parameter sizes
// holds the number of categories of each attribute. If digits is true, the bits of an attribute are the binary digits
// of its code, the least significant first. Otherwise there is a bit "the code is c" for every code c except 0.
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

// A Formula is a Boolean function of a record: a Condition, or a combination of formulas by All, Any, Odd, AtLeast or
// Not.
type Formula interface {
	// Holds reports whether a record satisfies the formula.
	Holds(record []uint16) bool
}

// All is the conjunction of formulas: it holds if all of them hold. An empty All holds for every record.
type All []Formula

// Any is the disjunction of formulas: it holds if at least one of them holds.
type Any []Formula

// Odd is the parity of formulas: it holds if an odd number of them hold.
type Odd []Formula

// AtLeast is a threshold function of formulas: it holds if at least Count of the formulas in Of hold.
type AtLeast struct {
	Count int
	Of    []Formula
}

// Not is the negation of a formula: it holds if the formula does not hold.
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

// Parts returns the formulas that the formula f combines, in order. It returns nil if f is a single condition.
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

// Conditions returns the conditions in a formula, from left to right. It returns nil for a nil formula.
func Conditions(f Formula) (all []Condition) {
	if c, ok := f.(Condition); ok {
		return []Condition{c}
	}
	for _, part := range Parts(f) {
		all = append(all, Conditions(part)...)
	}
	return all
}
