package readonce

import (
	"fmt"
	"strings"
)

// A Formula is a complete tree whose inner nodes all have the same gate. In canonical form, the
// children of every gate are sorted by the least input that they read. So formulas that differ only
// in the order of children have the same canonical form.
type Formula struct {
	Gate   Gate
	Inputs []int // the inputs at the leaves from left to right, numbered from 0
}

// String returns the formula with inputs numbered from 1, such as
// MAJ(MAJ(x1,x2,x3),MAJ(x4,x6,x9),MAJ(x5,x7,x8)).
func (f Formula) String() string {
	var b strings.Builder
	var write func(inputs []int)
	write = func(inputs []int) {
		if len(inputs) == 1 {
			fmt.Fprintf(&b, "x%d", inputs[0]+1)
			return
		}
		b.WriteString(f.Gate.String())
		size := len(inputs) / f.Gate.arity()
		for i := 0; i < len(inputs); i += size {
			b.WriteByte("(,"[min(i, 1)])
			write(inputs[i : i+size])
		}
		b.WriteByte(')')
	}
	write(f.Inputs)
	return b.String()
}

// Value returns the formula's value on a point, a list of one bit for each input of the class.
func (f Formula) Value(point []bool) bool {
	return f.evaluate(func(i int) value { return valueOf(point[i]) }) == one
}

// A value is the value of a formula or an input in three-valued logic: 0, 1 or unknown.
type value uint8

const (
	zero value = iota
	one
	unknown
)

func valueOf(bit bool) value {
	if bit {
		return one
	}
	return zero
}

// evaluate returns the formula's value, where read(i) is the value of input i. The value of a gate
// is known if its known inputs determine it, and unknown otherwise.
func (f Formula) evaluate(read func(input int) value) value {
	var buffer [mostLeaves]value
	values := buffer[:len(f.Inputs)]
	for leaf, i := range f.Inputs {
		values[leaf] = read(i)
	}
	a := f.Gate.arity()
	for len(values) > 1 {
		for g := range len(values) / a {
			values[g] = f.Gate.value(values[g*a : (g+1)*a])
		}
		values = values[:len(values)/a]
	}
	return values[0]
}

// value returns the value of a gate for the given input values, which may be unknown.
func (g Gate) value(inputs []value) value {
	var count [3]int
	for _, v := range inputs {
		count[v]++
	}
	switch {
	case g == Majority && count[one] >= 2, g == Nand && count[zero] >= 1:
		return one
	case g == Majority && count[zero] >= 2, g == Nand && count[one] == 2:
		return zero
	}
	return unknown
}
