package dectree

// A mass stores a second copy of the records, as rows of bytes, in which groups of attributes
// replace attributes (see group), so that fewer bytes are read. A row holds the low byte of the
// record's category of each group, followed by a high byte for each group with more than 256
// categories. A row is short, because most groups need one byte, and there are fewer groups than
// attributes.

// A layout describes the format of the row of bytes that stores the categories of a record.
type layout struct {
	base      []int32    // [group]: its first column
	wide      []int      // the groups that have a high byte
	stride    int        // the number of bytes of a row
	positions []position // [attribute]: how its category is read
}

// A position identifies the bytes of a row from which the category of an attribute is read.
type position struct {
	low, high int      // the indices of the low and the high byte of the category of its group; high is 0 if there is no high byte
	category  []uint16 // [category of the group]: the category of the attribute
}

func newLayout(p *plan) *layout {
	l := &layout{stride: len(p.groups)}
	for i, g := range p.groups {
		l.base = append(l.base, int32(p.firstColumn[i]))
		high := 0
		if g.categories > 1<<8 {
			high = l.stride
			l.wide = append(l.wide, i)
			l.stride++
		}
		for j := g.from; j < g.to; j++ {
			of := position{i, high, make([]uint16, g.categories)}
			for c := range of.category {
				of.category[c] = uint16(p.attributeCategory(g, c, j))
			}
			l.positions = append(l.positions, of)
		}
	}
	return l
}

// set writes the category of the group of attributes with index i into a row.
func (l *layout) set(row []byte, i, category int) {
	row[i] = byte(category)
	for k, w := range l.wide {
		if w == i {
			row[len(l.base)+k] = byte(category >> 8)
		}
	}
}

// columns reads, from the row of bytes that stores a record, the column of the record in each group
// of attributes (see plan). It writes the column in group i to into[i].
func (l *layout) columns(row []byte, into []int32) {
	base := l.base[:len(into)]
	for i, c := range row[:len(into)] {
		into[i] = base[i] + int32(c)
	}
	for k, i := range l.wide {
		into[i] += int32(row[len(into)+k]) << 8
	}
}

// A column reads the categories of one attribute from the rows of the records.
type column struct {
	position
	rows   []byte
	stride int
}

// at returns the category of the attribute for the record with the given index.
func (c column) at(record int32) uint16 {
	row := c.rows[int(record)*c.stride:][:c.stride]
	group := int(row[c.low])
	if c.high > 0 {
		group |= int(row[c.high]) << 8
	}
	return c.category[group]
}
