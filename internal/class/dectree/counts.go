package dectree

// A plan determines how tables and matrices store the cost differences of sets of records. A cost
// difference belongs to an outcome o > 0: it is the cost of predicting o for the set minus the cost
// of predicting 0. The differences suffice to compare trees, because the costs of predicting 0 sum
// to the same value over the leaves of every tree.
//
// A table is indexed by columns. Attributes are combined into groups, and there is one column for
// each category of each group. A table has the differences of all records, of the records in each
// column, and of the records in each pair of columns from different groups. Counting a record into
// a table takes the same number of additions for every record.
//
// A matrix is indexed by tests and is computed from a table. Entry (t, u) is the difference of the
// records for which tests t and u are both true. Test i of the class has index i+1. Index 0 stands
// for a test that is always true.
type plan struct {
	attributes    []Attribute
	tests         []Test
	otherOutcomes int // the number of outcomes minus one

	groups      []group
	firstColumn []int // [group]: its first column; followed by the number of columns
	pairStart   []int // [column]: the index in a table of its pairs with the columns of later groups, minus the number of the first of these columns
	tableSize   int   // the number of entries of a table by columns, for one outcome

	firstTest  []int // [attribute]: its first test; followed by the number of tests
	matrixSide int   // the number of rows of a matrix, one more than the number of tests
}

// A group is one attribute, or several adjacent attributes with few categories. The categories of a
// group are the combinations of the categories of its attributes. Grouping attributes reduces the
// number of pairs of columns to count.
type group struct {
	from, to   int // attributes from..to-1
	categories int
	masks      []uint8 // for a group of several attributes, for each test on them: the set of the group's categories that the test accepts
}

// mostGroupCategories is the maximum number of categories of a group of several attributes.
const mostGroupCategories = 8

func newPlan(c *Class) *plan {
	p := &plan{attributes: c.attributes, tests: c.tests, otherOutcomes: c.outcomes - 1, firstColumn: []int{0}, firstTest: []int{0}, matrixSide: 1 + len(c.tests)}
	for j, a := range c.attributes {
		p.firstTest = append(p.firstTest, p.firstTest[j]+a.equalTests()+a.belowTests())
		if last := len(p.groups) - 1; last >= 0 && p.groups[last].categories*a.Categories <= mostGroupCategories {
			p.groups[last].to++
			p.groups[last].categories *= a.Categories
		} else {
			p.groups = append(p.groups, group{from: j, to: j + 1, categories: a.Categories})
		}
	}
	for i := range p.groups {
		g := &p.groups[i]
		p.firstColumn = append(p.firstColumn, p.firstColumn[i]+g.categories)
		if g.to-g.from > 1 {
			for _, t := range p.tests[p.firstTest[g.from]:p.firstTest[g.to]] {
				g.masks = append(g.masks, p.mask(*g, t))
			}
		}
	}
	columns := p.firstColumn[len(p.groups)]
	at := 1 + columns
	for i, g := range p.groups {
		later := p.firstColumn[i+1]
		for range g.categories {
			p.pairStart = append(p.pairStart, at-later)
			at += columns - later
		}
	}
	p.tableSize = at
	return p
}

// category returns the category of group g for a record with the categories x.
func (p *plan) category(g group, x []uint16) int {
	c := 0
	for j := g.from; j < g.to; j++ {
		c = c*p.attributes[j].Categories + int(x[j])
	}
	return c
}

// attributeCategory returns the category of attribute j in category c of its group g, which is a
// combination of categories of the group's attributes.
func (p *plan) attributeCategory(g group, c, j int) int {
	for last := g.to - 1; last > j; last-- {
		c /= p.attributes[last].Categories
	}
	return c % p.attributes[j].Categories
}

// mask returns the categories of group g for which test t is true, as a bit set: bit c is 1 if it
// is true for category c.
func (p *plan) mask(g group, t Test) (mask uint8) {
	for c := range g.categories {
		if t.Accepts(uint16(p.attributeCategory(g, c, t.Attribute))) {
			mask |= 1 << c
		}
	}
	return mask
}

// width returns the length of a row of a matrix: for each outcome but 0, one entry for index 0 and
// one for each test.
func (p *plan) width() int { return p.otherOutcomes * p.matrixSide }

// A cell is the type of an entry of a table: a cost difference.
type cell interface{ int32 | int64 }

// A matrix holds one cost difference for each pair of tests and each outcome other than 0: that of
// the records for which both tests are true (see plan).
type matrix[T cell] struct {
	entries []T
	width   int
}

func newMatrix[T cell](p *plan) matrix[T] {
	return matrix[T]{make([]T, p.matrixSide*p.width()), p.width()}
}

// row returns row t of the matrix: the cost differences of the records for which test t and each other test are
// true.
func (m matrix[T]) row(t int) []T { return m.entries[t*m.width:][:m.width] }

// newTable returns a table of cost differences by columns (see plan) whose entries are 0.
func newTable[T cell](p *plan) []T { return make([]T, p.otherOutcomes*p.tableSize) }

// count adds a record to a table by columns (see plan). The parameter columns holds the record's
// column in each group, and differences the cost differences of the record.
func count[T cell](p *plan, table []T, columns []int32, differences []T) {
	for _, c := range differences {
		table[0] += c
		for j, e := range columns {
			table[1+e] += c
			row := table[p.pairStart[e]:]
			for _, f := range columns[j+1:] {
				row[f] += c
			}
		}
		table = table[p.tableSize:]
	}
}

// fillMatrix computes a matrix by tests from a table by columns (see plan), and stores it in the
// parameter out. The parameter sums is scratch memory for one row of the table.
func fillMatrix[T cell](p *plan, out matrix[T], table, sums []T) {
	for o := range p.otherOutcomes {
		fillOutcome(p, out, o*p.matrixSide, table[o*p.tableSize:][:p.tableSize], sums)
	}
}

// fillOutcome fills those entries of a matrix that belong to one outcome (see fillMatrix). In each
// row of the matrix, they start at the index from.
func fillOutcome[T cell](p *plan, out matrix[T], from int, table, sums []T) {
	columns := p.firstColumn[len(p.groups)]
	all := out.row(0)[from:][:p.matrixSide]
	all[0] = table[0]
	expand(p, all[1:], table[1:1+columns], 0)
	for i, g := range p.groups {
		later := p.firstColumn[i+1]
		row := func(c int) []T {
			at := p.pairStart[p.firstColumn[i]+c] + later
			return table[at : at+columns-later]
		}
		own := table[1+p.firstColumn[i] : 1+later]
		sum := sums[:columns-later]
		clear(sum)
		to := 0 // the number of categories that sum contains
		first, last := p.firstTest[g.from], p.firstTest[g.to]
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
			numbers := out.row(1 + t)[from:][:p.matrixSide]
			numbers[0], numbers[1+t] = all[1+t], all[1+t]
			for u := t + 1; u < last; u++ {
				switch {
				case g.masks != nil:
					numbers[1+u] = maskedSum(own, g.masks[t-first]&g.masks[u-first])
				case implies(p.tests[t], p.tests[u]):
					numbers[1+u] = all[1+t]
				default:
					numbers[1+u] = 0
				}
			}
			expand(p, numbers[1+last:], pairs, i+1)
			at := (1+t)*out.width + from + 1 + t
			for _, x := range numbers[1+t:] {
				out.entries[at] = x
				at += out.width
			}
		}
	}
}

// maskedSum returns the sum of those elements of columns whose bits are 1 in the mask. Bit i is for
// element i.
func maskedSum[T cell](columns []T, mask uint8) (sum T) {
	for c, x := range columns {
		if mask>>c&1 == 1 {
			sum += x
		}
	}
	return sum
}

// implies reports whether test u is true whenever test t is true. Both tests must belong to the
// same attribute, and u must come after t. If t does not imply u, u is false whenever t is true.
func implies(t, u Test) bool { return u.Below && t.Category < u.Category }

// expand converts cost differences by column to cost differences by test, for the attributes in the
// groups from i on, and stores them in out. The parameter columns holds the differences of each
// column of these groups.
func expand[T cell](p *plan, out, columns []T, i int) {
	at := 0
	for _, g := range p.groups[i:] {
		own := columns[:g.categories]
		columns = columns[g.categories:]
		if g.masks != nil {
			for _, mask := range g.masks {
				out[at] = maskedSum(own, mask)
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
		if n := a.belowTests(); n > 0 {
			sum := own[0]
			for _, c := range own[1 : n+1] {
				sum += c
				out[at] = sum
				at++
			}
		}
	}
}

// add adds the entries of a table to those of the table to.
func add[T cell](to, table []T) {
	to = to[:len(table)]
	for i, c := range table {
		to[i] += c
	}
}
