package mip

// A program is an integer program: minimise the total cost of the variables, all of them integers,
// subject to the rows.
type program struct {
	variables []variable
	rows      []row
}

// A variable is an integer in lo..hi, with a cost per unit.
type variable struct {
	name         string
	lo, hi, cost int64
}

// A row is a constraint: the sum is at least least, or equal to it if exact is true.
type row struct {
	sum   []term
	exact bool
	least int64
}

// A term is the variable with that number, multiplied by times.
type term struct {
	variable int
	times    int64
}

// add adds a variable and returns its number.
func (p *program) add(v variable) int {
	p.variables = append(p.variables, v)
	return len(p.variables) - 1
}

// atLeast adds the row sum ≥ least.
func (p *program) atLeast(sum []term, least int64) {
	p.rows = append(p.rows, row{sum: sum, least: least})
}

// mostNumber bounds the numbers of a program and the range of its objective. A float64 represents
// them exactly and can still resolve a solver's tolerances.
const mostNumber = 1 << 31

// moderate reports whether all numbers are within mostNumber.
func (p *program) moderate() bool {
	spread := int64(0)
	small := func(v int64) bool { return -mostNumber <= v && v <= mostNumber }
	for _, v := range p.variables {
		if !small(v.cost) || !small(v.lo) || !small(v.hi) {
			return false
		}
		reach := max(v.lo, -v.lo, v.hi, -v.hi)
		if v.cost != 0 && reach > mostNumber/max(v.cost, -v.cost) {
			return false
		}
		if spread += reach * max(v.cost, -v.cost); spread > mostNumber {
			return false
		}
	}
	for _, r := range p.rows {
		if !small(r.least) {
			return false
		}
		for _, t := range r.sum {
			if !small(t.times) {
				return false
			}
		}
	}
	return true
}
