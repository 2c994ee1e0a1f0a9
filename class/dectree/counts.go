package dectree

// A cost is what a set of records costs under either label: predicting 0, and 1.
type cost struct{ zero, one int64 }

func (c cost) plus(d cost) cost  { return cost{c.zero + d.zero, c.one + d.one} }
func (c cost) minus(d cost) cost { return cost{c.zero - d.zero, c.one - d.one} }

// A plan says where in a table the costs of sets of records stand.
//
// Records are counted into tables by columns, one column for each category of each
// attribute: the cost of all records, of each column, and of each pair of columns of
// different attributes. That takes as many additions for any record as for any other.
// Tables by tests follow from them: the cost of all records, of each test, and of
// each pair of tests t < u.
type plan struct {
	attributes []Attribute
	tests      []Test

	base []int // of each attribute, its first column; then the number of columns
	row  []int // of each column, where the pairs with the columns of later attributes stand, less the first of these
	cols int   // size of a table by columns

	first []int // of each attribute, its first test; then the number of tests
	size  int   // size of a table by tests
}

func newPlan(c *Class) *plan {
	p := &plan{attributes: c.attributes, tests: c.tests, base: []int{0}, first: []int{0}}
	for j, a := range c.attributes {
		p.base = append(p.base, p.base[j]+a.Categories)
		p.first = append(p.first, p.first[j]+a.equal()+a.below())
	}
	columns, tests := p.base[len(p.attributes)], len(p.tests)
	at := 1 + columns
	for j, a := range c.attributes {
		later := p.base[j+1]
		for range a.Categories {
			p.row = append(p.row, at-later)
			at += columns - later
		}
	}
	p.cols, p.size = at, 1+tests+tests*(tests-1)/2
	return p
}

// count adds a record, by its columns, to a table by columns.
func (p *plan) count(table []cost, columns []int32, c cost) {
	table[0] = table[0].plus(c)
	for j, e := range columns {
		table[1+e] = table[1+e].plus(c)
		row := table[p.row[e]:]
		for _, f := range columns[j+1:] {
			row[f].zero += c.zero
			row[f].one += c.one
		}
	}
}

// byTests makes a table by tests of one by columns. sums has room for a row.
func (p *plan) byTests(out, table, sums []cost) {
	out[0] = table[0]
	at := 1 + len(p.tests)
	for j := range p.attributes {
		own := table[1+p.base[j] : 1+p.base[j+1]]
		later := p.base[j+1]
		row := func(c int) []cost {
			from := p.row[p.base[j]+c] + later
			return table[from : from+p.base[len(p.attributes)]-later]
		}
		tests := p.tests[p.first[j]:p.first[j+1]]
		below, sum := cost{}, sums[:p.base[len(p.attributes)]-later]
		clear(sum)
		to := 0 // categories that below and sum add up
		for i, t := range tests {
			pairs, single := []cost(nil), cost{}
			if t.Below {
				for ; to < t.Category; to++ {
					below = below.plus(own[to])
					add(sum, row(to))
				}
				pairs, single = sum, below
			} else {
				pairs, single = row(t.Category), own[t.Category]
			}
			out[1+p.first[j]+i] = single
			for _, u := range tests[i+1:] {
				out[at] = cost{}
				if nested(t, u) {
					out[at] = single
				}
				at++
			}
			at = p.spread(out, at, pairs, j+1)
		}
	}
}

// nested tells that test u, a later one of t's attribute, is true where t is. If it
// is not, it is false there.
func nested(t, u Test) bool { return u.Below && t.Category < u.Category }

// spread writes the costs of all tests of the attributes from j on, given those of
// the columns.
func (p *plan) spread(out []cost, at int, columns []cost, j int) int {
	for _, a := range p.attributes[j:] {
		own := columns[:a.Categories]
		columns = columns[a.Categories:]
		switch a.Categories {
		case 1:
		case 2:
			out[at] = own[1]
			at++
		default:
			at += copy(out[at:], own)
		}
		if n := a.below(); n > 0 {
			sum := own[0]
			for _, c := range own[1 : n+1] {
				sum = sum.plus(c)
				out[at] = sum
				at++
			}
		}
	}
	return at
}

// add adds a table to another.
func add(to, table []cost) {
	for i, c := range table {
		to[i].zero += c.zero
		to[i].one += c.one
	}
}

// subtract writes the difference of two tables.
func subtract(out, table, less []cost) {
	out, less = out[:len(table)], less[:len(table)]
	for i, c := range table {
		out[i] = cost{c.zero - less[i].zero, c.one - less[i].one}
	}
}
