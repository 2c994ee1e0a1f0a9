package dectree

// A plan says where in a table the differences of sets of records stand: for each
// outcome o > 0, what predicting o costs them more than predicting 0. That is all that
// trees are told apart by, since what predicting 0 costs adds up to the same over the
// leaves of any tree.
//
// Records are counted into tables by columns, one column for each category of each group
// of attributes: the differences of all records, of each column, and of each pair of
// columns of different groups. That takes as many additions for any record as for any
// other. Matrices by tests follow from them: entry t, u is of the records that tests t and
// u are both true of. Number 0 is true of all records, and the class's tests follow from 1
// on.
type plan struct {
	attributes []Attribute
	tests      []Test
	more       int // outcomes but one

	groups []group
	base   []int // of each group, its first column; then the number of columns
	row    []int // of each column, where the pairs with the columns of later groups stand, less the first of these
	cols   int   // size of a table by columns, for one outcome

	first []int // of each attribute, its first test; then the number of tests
	side  int   // of a matrix, one more than the number of tests
}

// A group is one attribute, or several neighbours of few categories, whose combinations
// are its categories: pairs of groups are fewer than pairs of attributes.
type group struct {
	from, to   int // attributes, the last not among them
	categories int
	masks      []uint8 // of several attributes: for each test, the categories that it is true of
}

// mostTogether is the greatest number of categories of a group of several attributes.
const mostTogether = 8

func newPlan(c *Class) *plan {
	p := &plan{attributes: c.attributes, tests: c.tests, more: c.outcomes - 1, base: []int{0}, first: []int{0}, side: 1 + len(c.tests)}
	for j, a := range c.attributes {
		p.first = append(p.first, p.first[j]+a.equal()+a.below())
		if last := len(p.groups) - 1; last >= 0 && p.groups[last].categories*a.Categories <= mostTogether {
			p.groups[last].to++
			p.groups[last].categories *= a.Categories
		} else {
			p.groups = append(p.groups, group{from: j, to: j + 1, categories: a.Categories})
		}
	}
	for i := range p.groups {
		g := &p.groups[i]
		p.base = append(p.base, p.base[i]+g.categories)
		if g.to-g.from > 1 {
			for _, t := range p.tests[p.first[g.from]:p.first[g.to]] {
				g.masks = append(g.masks, p.mask(*g, t))
			}
		}
	}
	columns := p.base[len(p.groups)]
	at := 1 + columns
	for i, g := range p.groups {
		later := p.base[i+1]
		for range g.categories {
			p.row = append(p.row, at-later)
			at += columns - later
		}
	}
	p.cols = at
	return p
}

// category returns a group's category of a record of categories of attributes.
func (p *plan) category(g group, x []uint16) int {
	c := 0
	for j := g.from; j < g.to; j++ {
		c = c*p.attributes[j].Categories + int(x[j])
	}
	return c
}

// own returns the category of attribute j of a group's category.
func (p *plan) own(g group, c, j int) int {
	for last := g.to - 1; last > j; last-- {
		c /= p.attributes[last].Categories
	}
	return c % p.attributes[j].Categories
}

// mask returns the categories of a group that a test is true of.
func (p *plan) mask(g group, t Test) (mask uint8) {
	for c := range g.categories {
		if t.Accepts(uint16(p.own(g, c, t.Attribute))) {
			mask |= 1 << c
		}
	}
	return mask
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
	columns := p.base[len(p.groups)]
	all := out.row(0)[from:][:p.side]
	all[0] = table[0]
	spread(p, all[1:], table[1:1+columns], 0)
	for i, g := range p.groups {
		later := p.base[i+1]
		row := func(c int) []T {
			at := p.row[p.base[i]+c] + later
			return table[at : at+columns-later]
		}
		own := table[1+p.base[i] : 1+later]
		sum := sums[:columns-later]
		clear(sum)
		to := 0 // categories that sum adds up
		first, last := p.first[g.from], p.first[g.to]
		for t := first; t < last; t++ {
			pairs := sum
			switch test := p.tests[t]; {
			case g.masks != nil:
				clear(sum)
				for c := range own {
					if g.masks[t-first]>>c&1 == 1 {
						add(sum, row(c))
					}
				}
			case test.Below:
				for ; to < test.Category; to++ {
					add(sum, row(to))
				}
			default:
				pairs = row(test.Category)
			}
			numbers := out.row(1 + t)[from:][:p.side]
			numbers[0], numbers[1+t] = all[1+t], all[1+t]
			for u := t + 1; u < last; u++ {
				switch {
				case g.masks != nil:
					numbers[1+u] = masked(own, g.masks[t-first]&g.masks[u-first])
				case nested(p.tests[t], p.tests[u]):
					numbers[1+u] = all[1+t]
				default:
					numbers[1+u] = 0
				}
			}
			spread(p, numbers[1+last:], pairs, i+1)
			at := (1+t)*out.width + from + 1 + t
			for _, x := range numbers[1+t:] {
				out.entries[at] = x
				at += out.width
			}
		}
	}
}

// masked adds up the columns of a group that a mask names.
func masked[T cell](columns []T, mask uint8) (sum T) {
	for c, x := range columns {
		if mask>>c&1 == 1 {
			sum += x
		}
	}
	return sum
}

// nested tells that test u, a later one of t's attribute, is true where t is. If it
// is not, it is false there.
func nested(t, u Test) bool { return u.Below && t.Category < u.Category }

// spread writes the differences of all tests of the groups from i on, given those of the
// columns.
func spread[T cell](p *plan, out, columns []T, i int) {
	at := 0
	for _, g := range p.groups[i:] {
		own := columns[:g.categories]
		columns = columns[g.categories:]
		if g.masks != nil {
			for _, mask := range g.masks {
				out[at] = masked(own, mask)
				at++
			}
			continue
		}
		a := p.attributes[g.from]
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
