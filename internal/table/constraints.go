package table

import (
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// Constraints are the rules of a flat schema (see Flat), prepared for checking records. Some rules define a column as
// a function of other columns; such a column is called derived, and all other columns are free. The other rules
// forbid combinations of categories of free columns. Several goroutines may use Constraints at the same time.
type Constraints struct {
	sizes     []int
	functions []function // in an order in which each function follows the functions that compute its arguments
	derived   []bool     // whether each column is a function of others
	forbidden []Forbidden
	orders    []order
	witness   []uint16 // a record that satisfies all rules
}

// A Forbidden is a set of combinations of categories, of a few free columns, that no record may have. A column is
// free if no rule derives it from other columns.
type Forbidden struct {
	Columns      []int  // in the flat schema, increasing
	Combinations []bool // whether each combination is forbidden; row-major, the last column varies fastest
	sizes        []int
}

// mostCombinations is the maximum number of combinations of the categories of all columns that one rule names.
const mostCombinations = 1 << 22

// of reports whether the record has one of the forbidden combinations.
func (f *Forbidden) of(record []uint16) bool {
	at := 0
	for k, j := range f.Columns {
		at = at*f.sizes[k] + int(record[j])
	}
	return f.Combinations[at]
}

// A function computes the category of a derived column from the categories of other columns, its arguments.
type function struct {
	column int
	of     []int    // the columns of the arguments
	sizes  []int    // the numbers of categories of the arguments
	values []uint16 // the value for each combination of arguments; row-major, the last argument varies fastest
}

// fill computes the category of the derived column from the other columns of a record, and stores it in the record.
func (f *function) fill(record []uint16) {
	at := 0
	for k, j := range f.of {
		at = at*f.sizes[k] + int(record[j])
	}
	record[f.column] = f.values[at]
}

// An order is the constraint that the number in one column (low) is less than or equal to the number in another
// (high). Both are indices of columns.
type order struct{ low, high int }

// Constraints returns the rules of a flat schema (see Flat), prepared for checking records. It returns an error if a
// rule is invalid, or if the search for a record that satisfies all rules fails.
func (s *Schema) Constraints() (*Constraints, error) {
	c, f := constrain(s)
	if f != nil {
		return nil, f
	}
	return c, nil
}

// Free returns the indices of the free columns. A column is free if no rule of the schema computes it from other
// columns.
func (c *Constraints) Free() (columns []int) {
	for j, derived := range c.derived {
		if !derived {
			columns = append(columns, j)
		}
	}
	return columns
}

// Forbidden returns the sets of combinations of categories that no record may have. The result must not be modified.
func (c *Constraints) Forbidden() []Forbidden { return c.forbidden }

// Complete computes the derived columns of a record, which rules define as functions of other columns, and stores
// them in the record.
func (c *Constraints) Complete(record []uint16) {
	for i := range c.functions {
		c.functions[i].fill(record)
	}
}

// Allows reports whether a record satisfies all rules. It reads only the free columns, which no rule computes from
// others.
func (c *Constraints) Allows(record []uint16) bool {
	for i := range c.forbidden {
		if c.forbidden[i].of(record) {
			return false
		}
	}
	return true
}

// Witness returns an example of a record that satisfies all rules; only its free columns, which no rule computes from
// others, have meaningful values. The result must not be modified.
func (c *Constraints) Witness() []uint16 { return c.witness }

// constrain converts the rules of a flat schema to Constraints. It returns a fault if a rule is invalid, or if it
// finds no record that satisfies all rules.
func constrain(flat *Schema) (*Constraints, *fault) {
	c := &Constraints{sizes: flat.Sizes(), derived: make([]bool, len(flat.Attributes))}
	names := newDomain(flat)
	for i := range flat.Rules {
		r, path := &flat.Rules[i], at("rule", i)
		if f := r.shape(path, names); f != nil {
			return nil, f
		}
		if r.Function != "" {
			if f := c.function(r, path, names); f != nil {
				return nil, f
			}
		}
	}
	if f := c.sortFunctions(names); f != nil {
		return nil, f
	}
	for i := range flat.Rules {
		r, path := &flat.Rules[i], at("rule", i)
		if len(r.Forbid) > 0 {
			if f := c.forbid(r, path, names); f != nil {
				return nil, f
			}
		}
	}
	if f := c.order(flat, names); f != nil {
		return nil, f
	}
	if !c.search() {
		return nil, faultf("rule", "no row was found that satisfies all rules; leave one of them out")
	}
	return c, nil
}

// function adds a rule that defines a derived column as a function of others. The parameter path is the position of
// the rule in the schema.
func (c *Constraints) function(r *Rule, path string, names domain) *fault {
	j, f := names.attribute(path+".function", r.Function)
	if f != nil {
		return f
	}
	if c.derived[j] {
		return faultf(path+".function", "two rules define %s as a function; leave one of them out", quote.Word(r.Function))
	}
	if len(r.Of) == 0 {
		return faultf(path, "a [[rule]] with the key \"function\" needs the key \"of\", the list of the attributes on which the function depends")
	}
	if f := names.distinct(path+".of", r.Of); f != nil {
		return f
	}
	fn := function{column: j}
	for _, name := range r.Of {
		k := names.column[name]
		fn.of = append(fn.of, k)
		fn.sizes = append(fn.sizes, c.sizes[k])
	}
	n, f := combinations(path, fn.sizes)
	if f != nil {
		return f
	}
	const unset = 1<<16 - 1 // not a code of a category
	fn.values = slices.Repeat([]uint16{unset}, n)
	if r.Otherwise != "" {
		other, f := names.code(path+".otherwise", j, r.Otherwise)
		if f != nil {
			return f
		}
		fn.values = slices.Repeat([]uint16{other}, n)
	}
	seen := make([]bool, n)
	for i, line := range r.Table {
		path := at(path+".table", i)
		if len(line) != len(fn.of)+1 {
			return faultf(path, "a line in \"table\" of [[rule]] has %d categories, but needs %d: one for each attribute in \"of\", and then the category of the function", len(line), len(fn.of)+1)
		}
		place := 0
		for k, of := range fn.of {
			code, f := names.code(path, of, line[k])
			if f != nil {
				return f
			}
			place = place*fn.sizes[k] + int(code)
		}
		if seen[place] {
			return faultf(path, "\"table\" of [[rule]] for %s has two lines for the same categories", quote.Word(r.Function))
		}
		seen[place] = true
		if fn.values[place], f = names.code(path, j, line[len(fn.of)]); f != nil {
			return f
		}
	}
	if slices.Contains(fn.values, unset) {
		return faultf(path, "\"table\" of [[rule]] does not define %s for all categories; add the missing lines, or the key \"otherwise\"", quote.Word(r.Function))
	}
	c.derived[j] = true
	c.functions = append(c.functions, fn)
	return nil
}

// combinations returns the number of combinations of categories, which is the product of the given numbers of
// categories. If it exceeds mostCombinations, combinations returns a fault at the given position in the schema
// (path).
func combinations(path string, sizes []int) (int, *fault) {
	n := uint64(1)
	for _, size := range sizes {
		high, low := bits.Mul64(n, uint64(size))
		if n = low; high != 0 || n > mostCombinations {
			return 0, faultf(path, "a [[rule]] has more than %d combinations of categories; put the categories into groups", mostCombinations)
		}
	}
	return int(n), nil
}

// sortFunctions sorts the functions of derived columns so that each function follows those that compute its
// arguments. It returns a fault if there is no such order.
func (c *Constraints) sortFunctions(names domain) *fault {
	known := make([]bool, len(c.derived))
	for j, derived := range c.derived {
		known[j] = !derived
	}
	var sorted []function
	for len(sorted) < len(c.functions) {
		i := slices.IndexFunc(c.functions, func(f function) bool {
			return !known[f.column] && !slices.ContainsFunc(f.of, func(j int) bool { return !known[j] })
		})
		if i < 0 {
			i = slices.IndexFunc(c.functions, func(f function) bool { return !known[f.column] })
			return faultf("rule", "the rules define %s as a function of itself; leave one of them out", quote.Word(names.attributes[c.functions[i].column].Name))
		}
		known[c.functions[i].column] = true
		sorted = append(sorted, c.functions[i])
	}
	c.functions = sorted
	return nil
}

// Roots returns the free columns that determine the given column. A free column, which no rule computes from others,
// determines itself.
func (c *Constraints) Roots(column int) []int { return c.roots([]int{column}) }

// roots returns the free columns that determine the given columns. A free column is one that no rule computes from
// others.
func (c *Constraints) roots(columns []int) []int {
	need := make([]bool, len(c.sizes))
	for _, j := range columns {
		need[j] = true
	}
	for i := len(c.functions) - 1; i >= 0; i-- {
		if f := &c.functions[i]; need[f.column] {
			for _, j := range f.of {
				need[j] = true
			}
		}
	}
	var free []int
	for j := range need {
		if need[j] && !c.derived[j] {
			free = append(free, j)
		}
	}
	return free
}

// exclude forbids all records for which the function wrong returns true. That function may read only the given
// columns of a record; those that are functions of other columns have been computed before it is called. The
// parameter path is the position of the rule in the schema.
func (c *Constraints) exclude(path string, columns []int, wrong func(record []uint16) bool) *fault {
	out := Forbidden{Columns: c.roots(columns)}
	for _, j := range out.Columns {
		out.sizes = append(out.sizes, c.sizes[j])
	}
	n, f := combinations(path, out.sizes)
	if f != nil {
		return f
	}
	out.Combinations = make([]bool, n)
	record := make([]uint16, len(c.sizes))
	some := false
	for at := range n {
		rest := at
		for k := len(out.Columns) - 1; k >= 0; k-- {
			record[out.Columns[k]] = uint16(rest % out.sizes[k])
			rest /= out.sizes[k]
		}
		c.Complete(record)
		if wrong(record) {
			out.Combinations[at], some = true, true
		}
	}
	if some {
		c.forbidden = append(c.forbidden, out)
	}
	return nil
}

// forbid adds a rule with the key "forbid", which lists forbidden combinations of categories. The parameter path is
// the position of the rule in the schema.
func (c *Constraints) forbid(r *Rule, path string, names domain) *fault {
	var columns []int
	var sets [][]uint16
	for i, g := range r.Forbid {
		codes, f := names.categories(at(path+".forbid", i), g.Name, g.Values)
		if f != nil {
			return f
		}
		columns, sets = append(columns, names.column[g.Name]), append(sets, codes)
	}
	return c.exclude(path, columns, func(record []uint16) bool {
		for k, j := range columns {
			if !slices.Contains(sets[k], record[j]) {
				return false
			}
		}
		return true
	})
}

// mostSteps is the maximum number of steps of the backtracking search for a record that satisfies all rules.
const mostSteps = 1 << 20

// search looks for a record that satisfies all rules, by backtracking. It reports whether it found such a record, and
// stores it in the field witness.
func (c *Constraints) search() bool {
	var columns []int // the columns of all rules
	for _, f := range c.forbidden {
		columns = append(columns, f.Columns...)
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	ends := make([][]*Forbidden, len(columns)) // by column, the forbidden sets whose last column is this one
	for i := range c.forbidden {
		f := &c.forbidden[i]
		k, _ := slices.BinarySearch(columns, f.Columns[len(f.Columns)-1])
		ends[k] = append(ends[k], f)
	}
	c.witness = make([]uint16, len(c.sizes))
	steps := 0
	var walk func(k int) bool
	walk = func(k int) bool {
		if k == len(columns) {
			return true
		}
		for code := range c.sizes[columns[k]] {
			if steps++; steps > mostSteps {
				return false
			}
			c.witness[columns[k]] = uint16(code)
			if !slices.ContainsFunc(ends[k], func(f *Forbidden) bool { return f.of(c.witness) }) && walk(k+1) {
				return true
			}
		}
		return false
	}
	return walk(0)
}
