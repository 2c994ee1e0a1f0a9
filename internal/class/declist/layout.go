package declist

import "encoding/binary"

// A layout determines the positions of sums over records. Categories that no literal distinguishes
// share a code. A cell is a pair of codes of two attributes, and every record falls into one cell
// of each block. Sums over antecedents are computed from sums over cells, since a record may
// satisfy many antecedents of a block.
type layout struct {
	columns  []column
	blocks   []block
	cells    int
	identity bool // antecedent a accepts exactly cell a, for all a
}

// A column is an attribute. The last column represents no attribute: it has one code and one
// literal, which is always true.
type column struct {
	code      []uint16 // the code of each category
	codes     int
	literals  [][]int   // the codes that each literal accepts
	accepting [][]int32 // for each code, the literals that accept it
}

// A block holds the antecedents on two columns.
type block struct {
	first, second int
	width         int // number of codes of the second column
	cell          int // its first cell; cells are ordered by the first column's code, then by the second's
	antecedent    int // its first antecedent; ordered by the first column's literal, then by the second's
}

// newLayout returns the layout of a class, with antecedents in the order of their numbers.
func newLayout(c *Class) layout {
	l := layout{identity: true}
	byColumn := make([][]Literal, len(c.attributes))
	for _, literal := range c.literals {
		byColumn[literal.Attribute] = append(byColumn[literal.Attribute], literal)
	}
	for j, a := range c.attributes {
		l.columns = append(l.columns, newColumn(a.Categories(), byColumn[j]))
	}
	always := len(l.columns)
	l.columns = append(l.columns, column{codes: 1, literals: [][]int{{0}}})
	for _, col := range l.columns {
		l.identity = l.identity && col.identity()
	}
	antecedents := 0
	add := func(first, second int) {
		f, s := l.columns[first], l.columns[second]
		if len(f.literals) == 0 || len(s.literals) == 0 {
			return
		}
		l.blocks = append(l.blocks, block{first, second, s.codes, l.cells, antecedents})
		l.cells += f.codes * s.codes
		antecedents += len(f.literals) * len(s.literals)
	}
	for j := range always {
		add(j, always)
	}
	if c.options.Literals == 2 {
		for j := range always {
			for k := j + 1; k < always; k++ {
				add(j, k)
			}
		}
	}
	return l
}

// newColumn assigns codes to categories in ascending order. Categories share a code if the same
// literals accept them.
func newColumn(categories int, ls []Literal) column {
	col := column{code: make([]uint16, categories), literals: make([][]int, len(ls))}
	holding := make([][]int32, categories)
	for i, l := range ls {
		for _, c := range l.Accepts {
			holding[c] = append(holding[c], int32(i))
		}
	}
	numbers := map[string]int{}
	var key []byte
	for c, own := range holding {
		key = key[:0]
		for _, i := range own {
			key = binary.BigEndian.AppendUint32(key, uint32(i))
		}
		n, known := numbers[string(key)]
		if !known {
			n = col.codes
			numbers[string(key)] = n
			col.codes++
			col.accepting = append(col.accepting, own)
			for _, i := range own {
				col.literals[i] = append(col.literals[i], n)
			}
		}
		col.code[c] = uint16(n)
	}
	return col
}

// identity reports whether literal i of the column accepts exactly code i for all codes, or the
// column has no literal.
func (c column) identity() bool {
	if len(c.literals) > 0 && len(c.literals) != c.codes {
		return false
	}
	for i, l := range c.literals {
		if len(l) != 1 || l[0] != i {
			return false
		}
	}
	return true
}

// A sum holds a sum of costs for each label.
type sum [2]int64

// add adds the costs of a record, given by its codes, to its cell of each block.
func (l *layout) add(cells []sum, x []uint16, cost sum) {
	for i := range l.blocks {
		b := &l.blocks[i]
		s := &cells[b.cell+int(x[b.first])*b.width+int(x[b.second])]
		s[0] += cost[0]
		s[1] += cost[1]
	}
}

// fold returns the sums over antecedents, given those over cells. If the layout is the identity it
// returns cells; otherwise it writes to sums, with row as scratch memory.
func (l *layout) fold(cells, sums, row []sum) []sum {
	if l.identity {
		return cells
	}
	at := 0
	for _, b := range l.blocks {
		for _, accepts := range l.columns[b.first].literals {
			row = row[:b.width]
			clear(row)
			for _, code := range accepts {
				for i, s := range cells[b.cell+code*b.width:][:b.width] {
					row[i][0] += s[0]
					row[i][1] += s[1]
				}
			}
			for _, accepts := range l.columns[b.second].literals {
				var total sum
				for _, code := range accepts {
					total[0] += row[code][0]
					total[1] += row[code][1]
				}
				sums[at] = total
				at++
			}
		}
	}
	return sums
}

// widest returns the length of row that fold needs.
func (l *layout) widest() int {
	n := 0
	for _, col := range l.columns {
		n = max(n, col.codes)
	}
	return n
}
