package dectree

// A plan says where in a table the differences of sets of records stand: for each
// outcome o > 0, what predicting o costs them more than predicting 0. That is all that
// trees are told apart by, since what predicting 0 costs adds up to the same over the
// leaves of any tree.
//
// Records are counted into tables by columns, one column for each category of each
// attribute: the differences of all records, of each column, and of each pair of columns
// of different attributes. That takes as many additions for any record as for any other.
// Matrices by tests follow from them: entry t, u is of the records that tests t and u are
// both true of. Number 0 is true of all records, and the class's tests follow from 1 on.
type plan struct {
	attributes []Attribute
	tests      []Test
	more       int // outcomes but one

	base []int // of each attribute, its first column; then the number of columns
	row  []int // of each column, where the pairs with the columns of later attributes stand, less the first of these
	cols int   // size of a table by columns, for one outcome

	first []int // of each attribute, its first test; then the number of tests
	side  int   // of a matrix, one more than the number of tests
}

func newPlan(c *Class) *plan {
	p := &plan{attributes: c.attributes, tests: c.tests, more: c.outcomes - 1, base: []int{0}, first: []int{0}, side: 1 + len(c.tests)}
	for j, a := range c.attributes {
		p.base = append(p.base, p.base[j]+a.Categories)
		p.first = append(p.first, p.first[j]+a.equal()+a.below())
	}
	columns := p.base[len(p.attributes)]
	at := 1 + columns
	for j, a := range c.attributes {
		later := p.base[j+1]
		for range a.Categories {
			p.row = append(p.row, at-later)
			at += columns - later
		}
	}
	p.cols = at
	return p
}

// table returns an empty table by columns.
func (p *plan) table() []int64 { return make([]int64, p.more*p.cols) }

// width returns the size of a row of a matrix: for each outcome but 0, the entries of
// number 0 and of all tests.
func (p *plan) width() int { return p.more * p.side }

// A matrix is one by tests.
type matrix struct {
	entries []int64
	width   int
}

func (p *plan) matrix() matrix { return matrix{make([]int64, p.side*p.width()), p.width()} }

// row returns that of number t.
func (m matrix) row(t int) []int64 { return m.entries[t*m.width:][:m.width] }

// count adds a record, by its columns and its differences, to a table by columns.
func (p *plan) count(table []int64, columns []int32, differences []int64) {
	for _, c := range differences {
		table[0] += c
		for j, e := range columns {
			table[1+e] += c
			row := table[p.row[e]:]
			for _, f := range columns[j+1:] {
				row[f] += c
			}
		}
		table = table[p.cols:]
	}
}

// byTests makes a matrix of a table by columns. sums has room for a row of that.
func (p *plan) byTests(out matrix, table, sums []int64) {
	for o := range p.more {
		p.plane(out, o*p.side, table[o*p.cols:][:p.cols], sums)
	}
}

// plane makes that part of a matrix which is for one outcome, from a place in each row
// on.
func (p *plan) plane(out matrix, from int, table, sums []int64) {
	all := out.row(0)[from:][:p.side]
	all[0] = table[0]
	p.spread(all[1:], table[1:1+p.base[len(p.attributes)]], 0)
	for j := range p.attributes {
		later := p.base[j+1]
		row := func(c int) []int64 {
			at := p.row[p.base[j]+c] + later
			return table[at : at+p.base[len(p.attributes)]-later]
		}
		tests := p.tests[p.first[j]:p.first[j+1]]
		sum := sums[:p.base[len(p.attributes)]-later]
		clear(sum)
		to := 0 // categories that sum adds up
		for i, t := range tests {
			pairs := sum
			if t.Below {
				for ; to < t.Category; to++ {
					add(sum, row(to))
				}
			} else {
				pairs = row(t.Category)
			}
			number := 1 + p.first[j] + i
			own, single := out.row(number)[from:][:p.side], all[number]
			own[0], own[number] = single, single
			for k, u := range tests[i+1:] {
				own[number+1+k] = 0
				if nested(t, u) {
					own[number+1+k] = single
				}
			}
			p.spread(own[1+p.first[j+1]:], pairs, j+1)
			for u := number; u < p.side; u++ {
				out.entries[u*out.width+from+number] = own[u]
			}
		}
	}
}

// nested tells that test u, a later one of t's attribute, is true where t is. If it
// is not, it is false there.
func nested(t, u Test) bool { return u.Below && t.Category < u.Category }

// spread writes the differences of all tests of the attributes from j on, given those
// of the columns.
func (p *plan) spread(out, columns []int64, j int) {
	at := 0
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
				sum += c
				out[at] = sum
				at++
			}
		}
	}
}

// add adds a table to another.
func add(to, table []int64) {
	to = to[:len(table)]
	for i, c := range table {
		to[i] += c
	}
}

// subtract writes the difference of two tables.
func subtract(out, table, less []int64) {
	out, less = out[:len(table)], less[:len(table)]
	for i, c := range table {
		out[i] = c - less[i]
	}
}
