package mip

import "strconv"

// What all solvers are told: how far from an integer a variable, and from
// feasible a row, may be, and a number of nodes that fits 32 bits.
const (
	tolerance = "1e-9"
	mostNodes = 1<<31 - 1
)

// A point collects the values of variables by name.
type point struct {
	number map[string]int // of the variables without a value
	value  []float64
}

func newPoint(p *program) *point {
	pt := &point{number: map[string]int{}, value: make([]float64, len(p.variables))}
	for i, v := range p.variables {
		pt.number[v.name] = i
	}
	return pt
}

// set takes the value of a variable; it fails on what is no number, no
// variable, or given twice.
func (p *point) set(name, value string) bool {
	i, ok := p.number[name]
	v, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil {
		return false
	}
	delete(p.number, name)
	p.value[i] = v
	return true
}

// answer returns the point with a bound, if all variables have a value.
func (p *point) answer(bound float64) (answer, error) {
	if len(p.number) > 0 {
		return answer{}, errFormat
	}
	return answer{p.value, bound}, nil
}
