package declist

import "encoding/binary"

// A layout determines where sums of costs over records are stored. It uses these terms:
//
//   - A code represents all categories of an attribute that no literal distinguishes.
//   - A column is an attribute, or a constant (see column).
//   - A block holds the antecedents on two columns. It has a cell for each pair of codes of the two
//     columns, so every record belongs to one cell of each block.
//
// Records are first added up by cell, and then the cells are added up by antecedent. This is faster
// than adding records to antecedents directly, because a record may satisfy many antecedents of a
// block.
type layout struct {
	columns  []column
	blocks   []block
	cells    int  // the number of cells of all blocks
	identity bool // for all a, antecedent a accepts exactly the records of cell a
}

// A column is an attribute in a layout. There is one additional, constant column at the end, which
// has one code and one literal that is always true. The blocks of this column hold the antecedents
// with one literal.
type column struct {
	code      []uint16  // [category]: its code
	codes     int       // the number of codes
	literals  [][]int   // [literal of the column]: the codes that it accepts
	accepting [][]int32 // [code]: the literals of the column that accept it
}

// A block holds the antecedents that have one literal on each of two columns.
type block struct {
	first, second int
	width         int // the number of codes of the second column
	cell          int // the index of its first cell; cells are ordered by code of the first column, then of the second
	antecedent    int // the index of its first antecedent; antecedents are ordered by literal of the first column, then of the second
}

// newLayout returns the layout of class c. The antecedents of its blocks are in the order of their
// indices.
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

// newColumn returns the column of an attribute with the given number of categories and the literals
// ls. It assigns codes to categories in ascending order. Categories share a code if the same
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

// identity reports whether sums of costs by code of the column are also sums by literal: literal i
// accepts exactly the code i, for all i, or the column has no literal.
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

// A sum holds, for each of the two labels, the cost of predicting it, summed over some records.
type sum [2]int64

// add adds the costs of a record to one cell of each block, the cell to which the record belongs.
// The parameter x holds the record's code of each column.
func (l *layout) add(cells []sum, x []uint16, cost sum) {
	for i := range l.blocks {
		b := &l.blocks[i]
		s := &cells[b.cell+int(x[b.first])*b.width+int(x[b.second])]
		s[0] += cost[0]
		s[1] += cost[1]
	}
}

// fold computes, for each antecedent, the sum over the records that satisfy it, from the sums by
// cell. If every antecedent has exactly one cell, these are the same, and fold returns cells.
// Otherwise it stores the result in sums and returns sums. The parameter row is scratch memory.
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

// widest returns the length of the scratch memory row of the method fold.
func (l *layout) widest() int {
	n := 0
	for _, col := range l.columns {
		n = max(n, col.codes)
	}
	return n
}
