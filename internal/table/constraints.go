package table

import (
	"math/bits"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// Constraints are the rules of a flat schema, laid over its records. Columns that are
// functions of others are filled in; all others are free, and combinations of these are
// forbidden. It may be used by several goroutines at once.
type Constraints struct {
	sizes     []int
	functions []function // each after those that it is of
	derived   []bool
	forbidden []Forbidden
	orders    []order
	witness   []uint16 // a record that keeps all rules
}

// A Forbidden says which combinations of the categories of a few free columns no row has.
type Forbidden struct {
	Columns      []int  // in the flat schema, increasing
	Combinations []bool // row-major, the last column fastest
	sizes        []int
}

// mostCombinations bounds the combinations that a rule is about.
const mostCombinations = 1 << 22

// of tells whether a record's combination is forbidden.
func (f *Forbidden) of(record []uint16) bool {
	at := 0
	for k, j := range f.Columns {
		at = at*f.sizes[k] + int(record[j])
	}
	return f.Combinations[at]
}

// a function fills in a column.
type function struct {
	column int
	of     []int
	sizes  []int
	values []uint16
}

func (f *function) fill(record []uint16) {
	at := 0
	for k, j := range f.of {
		at = at*f.sizes[k] + int(record[j])
	}
	record[f.column] = f.values[at]
}

// An order says that the number of a column is at most that of another.
type order struct{ low, high int }

// Constraints returns the rules of a flat schema.
func (s *Schema) Constraints() (*Constraints, error) {
	c, f := constrain(s)
	if f != nil {
		return nil, f
	}
	return c, nil
}

// Free lists the columns that are no functions of others.
func (c *Constraints) Free() (columns []int) {
	for j, derived := range c.derived {
		if !derived {
			columns = append(columns, j)
		}
	}
	return columns
}

// Forbidden lists what no row may have; read only.
func (c *Constraints) Forbidden() []Forbidden { return c.forbidden }

// Complete fills in the columns that are functions of others.
func (c *Constraints) Complete(record []uint16) {
	for i := range c.functions {
		c.functions[i].fill(record)
	}
}

// Allows tells whether the free columns of a record keep all rules.
func (c *Constraints) Allows(record []uint16) bool {
	for i := range c.forbidden {
		if c.forbidden[i].of(record) {
			return false
		}
	}
	return true
}

// Witness returns a record whose free columns keep all rules; read only.
func (c *Constraints) Witness() []uint16 { return c.witness }

// constrain lays out the rules.
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
		return nil, faultf("rule", "no row was found that keeps all rules; leave one of them out")
	}
	return c, nil
}

// function lays out a rule of that kind.
func (c *Constraints) function(r *Rule, path string, names domain) *fault {
	j, f := names.attribute(path+".function", r.Function)
	if f != nil {
		return f
	}
	if c.derived[j] {
		return faultf(path+".function", "two rules say what %s is a function of", quote.Word(r.Function))
	}
	if len(r.Of) == 0 {
		return faultf(path, "a [[rule]] with function needs of, the attributes that it is a function of")
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
	const unset = 1<<16 - 1 // no category has it
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
			return faultf(path, "a line in table of [[rule]] has %d categories, but must have one for each attribute in of and then its own, %d", len(line), len(fn.of)+1)
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
			return faultf(path, "table of [[rule]] for %s has a line for the same categories before", quote.Word(r.Function))
		}
		seen[place] = true
		if fn.values[place], f = names.code(path, j, line[len(fn.of)]); f != nil {
			return f
		}
	}
	if slices.Contains(fn.values, unset) {
		return faultf(path, "table of [[rule]] lacks lines, so that %s is not known for all categories; list them, or give otherwise", quote.Word(r.Function))
	}
	c.derived[j] = true
	c.functions = append(c.functions, fn)
	return nil
}

// combinations counts those of columns of these sizes, unless they are too many.
func combinations(path string, sizes []int) (int, *fault) {
	n := uint64(1)
	for _, size := range sizes {
		high, low := bits.Mul64(n, uint64(size))
		if n = low; high != 0 || n > mostCombinations {
			return 0, faultf(path, "a [[rule]] is about more than %d combinations of categories; make groups of them", mostCombinations)
		}
	}
	return int(n), nil
}

// sortFunctions puts each function after those that it is of.
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
			return faultf("rule", "the rules make %s a function of itself", quote.Word(names.attributes[c.functions[i].column].Name))
		}
		known[c.functions[i].column] = true
		sorted = append(sorted, c.functions[i])
	}
	c.functions = sorted
	return nil
}

// Roots lists the free columns that a column is a function of, or the column itself if it is free.
func (c *Constraints) Roots(column int) []int { return c.roots([]int{column}) }

// roots lists the free columns that columns are functions of, these if they are free.
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

// exclude forbids the records that are wrong, by these columns.
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

// mostSteps bounds the search for a record that keeps all rules.
const mostSteps = 1 << 20

// search looks for a record that keeps all rules.
func (c *Constraints) search() bool {
	var columns []int // that some rule is about
	for _, f := range c.forbidden {
		columns = append(columns, f.Columns...)
	}
	slices.Sort(columns)
	columns = slices.Compact(columns)
	ends := make([][]*Forbidden, len(columns)) // the rules whose last column this is
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
