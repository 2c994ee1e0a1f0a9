package mip

import "strconv"

// Parameters for all solvers: the tolerance of integrality and of constraints, and the maximum
// limit on nodes, which must fit 32 bits.
const (
	tolerance = "1e-9"
	mostNodes = 1<<31 - 1
)

// A point collects the values of variables while a solution is read.
type point struct {
	number map[string]int // the indices of the variables without a value, by name
	value  []float64
}

func newPoint(p *program) *point {
	pt := &point{number: map[string]int{}, value: make([]float64, len(p.variables))}
	for i, v := range p.variables {
		pt.number[v.name] = i
	}
	return pt
}

// set sets the value of a variable. It returns false if the value is not a number, or if the
// variable is unknown or already has a value.
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

// answer returns the point with the given bound. It fails with errFormat if a variable has no value.
func (p *point) answer(bound float64) (answer, error) {
	if len(p.number) > 0 {
		return answer{}, errFormat
	}
	return answer{p.value, bound}, nil
}
