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

// width returns the size of a row of a matrix: for each outcome but 0, the entries of
// number 0 and of all tests.
func (p *plan) width() int { return p.more * p.side }

// A cell is an entry of a table.
type cell interface{ int32 | int64 }

// A matrix is one by tests.
type matrix[T cell] struct {
	entries []T
	width   int
}

func newMatrix[T cell](p *plan) matrix[T] {
	return matrix[T]{make([]T, p.side*p.width()), p.width()}
}

// row returns that of number t.
func (m matrix[T]) row(t int) []T { return m.entries[t*m.width:][:m.width] }

// newTable returns an empty table by columns.
func newTable[T cell](p *plan) []T { return make([]T, p.more*p.cols) }

// count adds a record, by its columns and its differences, to a table by columns.
func count[T cell](p *plan, table []T, columns []int32, differences []T) {
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
func byTests[T cell](p *plan, out matrix[T], table, sums []T) {
	for o := range p.more {
		plane(p, out, o*p.side, table[o*p.cols:][:p.cols], sums)
	}
}

// plane makes that part of a matrix which is for one outcome, from a place in each row
// on.
func plane[T cell](p *plan, out matrix[T], from int, table, sums []T) {
	columns := p.base[len(p.attributes)]
	all := out.row(0)[from:][:p.side]
	all[0] = table[0]
	spread(p, all[1:], table[1:1+columns], 0)
	for j := range p.attributes {
		later := p.base[j+1]
		row := func(c int) []T {
			at := p.row[p.base[j]+c] + later
			return table[at : at+columns-later]
		}
		tests := p.tests[p.first[j]:p.first[j+1]]
		sum := sums[:columns-later]
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
			spread(p, own[1+p.first[j+1]:], pairs, j+1)
			at := number*out.width + from + number
			for _, x := range own[number:] {
				out.entries[at] = x
				at += out.width
			}
		}
	}
}

// nested tells that test u, a later one of t's attribute, is true where t is. If it
// is not, it is false there.
func nested(t, u Test) bool { return u.Below && t.Category < u.Category }

// spread writes the differences of all tests of the attributes from j on, given those
// of the columns.
func spread[T cell](p *plan, out, columns []T, j int) {
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
func add[T cell](to, table []T) {
	to = to[:len(table)]
	for i, c := range table {
		to[i] += c
	}
}
