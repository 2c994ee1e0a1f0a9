package mip

import "strconv"

// These constants are values of options that all integer-programming solvers have.
const (
	tolerance = "1e-9"    // the tolerance of integrality and of constraints
	mostNodes = 1<<31 - 1 // the maximum limit on nodes; solvers read it as a number of 32 bits
)

// A point collects the values of a program's variables while a solution file is being read.
type point struct {
	number map[string]int // for each variable that has no value yet, its index by its name
	value  []float64
}

func newPoint(p *program) *point {
	pt := &point{number: map[string]int{}, value: make([]float64, len(p.variables))}
	for i, v := range p.variables {
		pt.number[v.name] = i
	}
	return pt
}

// set sets the value of the variable with the given name. It returns false if the value is not a number,
// if no variable has this name, or if the variable already has a value.
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

// answer returns the values of all variables, together with the given bound. It returns errFormat if a variable has no
// value.
func (p *point) answer(bound float64) (answer, error) {
	if len(p.number) > 0 {
		return answer{}, errFormat
	}
	return answer{p.value, bound}, nil
}
