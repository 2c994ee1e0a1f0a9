package mip

// A program is an integer program: it minimizes the total cost of its variables subject to the constraints in the
// field rows. All variables are integers.
type program struct {
	variables []variable
	rows      []row
}

// A variable is an integer in lo..hi. It adds its value times its cost to the objective.
type variable struct {
	name         string
	lo, hi, cost int64
}

// A row is a constraint on a sum of terms: the sum must be at least the number least or, if exact is true, equal to it.
type row struct {
	sum   []term
	exact bool
	least int64
}

// A term is the product of a coefficient and the variable with the given index.
type term struct {
	variable    int
	coefficient int64
}

// add adds the variable v to the integer program and returns the index of v.
func (p *program) add(v variable) int {
	p.variables = append(p.variables, v)
	return len(p.variables) - 1
}

// atLeast adds a constraint: the sum of the terms must be at least the number least.
func (p *program) atLeast(sum []term, least int64) {
	p.rows = append(p.rows, row{sum: sum, least: least})
}

// mostNumber is the maximum absolute value of every number in a program, and of the objective. A float64 represents
// such integers exactly, with enough additional precision for a solver's tolerances.
const mostNumber = 1 << 31

// moderate reports whether every number in the integer program, and every value of its objective, is at most
// mostNumber in absolute value.
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
			if !small(t.coefficient) {
				return false
			}
		}
	}
	return true
}
