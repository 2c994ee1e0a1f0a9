package declist

import "encoding/binary"

// A layout says where sums over records stand. Categories that no literal tells
// apart share a code. A cell is a pair of codes of two attributes, and every
// record falls into one cell of each block. Sums over antecedents are made of
// sums over cells, since a record may satisfy many antecedents of a block.
type layout struct {
	columns []column
	blocks  []block
	cells   int
	plain   bool // every antecedent is one cell, in the same order
}

// A column is an attribute. The last column stands for no attribute: it has one
// code and one literal, which is always true.
type column struct {
	code     []uint16 // of each category
	codes    int
	literals [][]int   // the codes that each literal accepts
	holding  [][]int32 // of each code: the literals that accept it
}

// A block holds the antecedents over two columns.
type block struct {
	first, second int
	width         int // codes of the second
	cell          int // where its cells begin, the first column's code before the second's
	antecedent    int // where its antecedents begin, the first column's literal before the second's
}

// newLayout lays the antecedents of a class out in the order of their numbers.
func newLayout(c *Class) layout {
	l := layout{plain: true}
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
		l.plain = l.plain && col.plain()
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

// newColumn gives codes to categories in order, a new one to each that the
// literals tell from those before.
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
			col.holding = append(col.holding, own)
			for _, i := range own {
				col.literals[i] = append(col.literals[i], n)
			}
		}
		col.code[c] = uint16(n)
	}
	return col
}

// plain tells whether literal i of the column is code i, or there is none.
func (c column) plain() bool {
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

// A sum holds a sum of costs for either label.
type sum [2]int64

// add adds the costs of a record, given by its codes, to its cells.
func (l *layout) add(cells []sum, x []uint16, cost sum) {
	for i := range l.blocks {
		b := &l.blocks[i]
		s := &cells[b.cell+int(x[b.first])*b.width+int(x[b.second])]
		s[0] += cost[0]
		s[1] += cost[1]
	}
}

// fold returns the sums over antecedents that those over cells make up. Where
// the layout is plain they are the same; otherwise they are written to sums.
func (l *layout) fold(cells, sums, row []sum) []sum {
	if l.plain {
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

// widest returns how long a row is that fold needs.
func (l *layout) widest() int {
	n := 0
	for _, col := range l.columns {
		n = max(n, col.codes)
	}
	return n
}
