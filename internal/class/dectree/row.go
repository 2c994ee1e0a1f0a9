package dectree

// While trees are sampled, records are stored a second time, as categories of groups. A record is a
// row of bytes: the low byte of its category of each group, followed by the high bytes for groups
// with more than 256 categories. Most groups need one byte, and there are fewer groups than
// attributes.

// A layout describes the format of a row.
type layout struct {
	base      []int32    // the first column of each group
	wide      []int      // the groups that have a high byte
	stride    int        // bytes per record
	positions []position // for each attribute
}

// A position describes how an attribute's category is read from a row.
type position struct {
	low, high int      // the bytes of its group's category; high is 0 if there is none
	category  []uint16 // the attribute's category for each category of its group
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

// set writes the category of group i into a row.
func (l *layout) set(row []byte, i, category int) {
	row[i] = byte(category)
	for k, w := range l.wide {
		if w == i {
			row[len(l.base)+k] = byte(category >> 8)
		}
	}
}

// columns computes the columns of a row.
func (l *layout) columns(row []byte, into []int32) {
	base := l.base[:len(into)]
	for i, c := range row[:len(into)] {
		into[i] = base[i] + int32(c)
	}
	for k, i := range l.wide {
		into[i] += int32(row[len(into)+k]) << 8
	}
}

// A column reads an attribute's categories.
type column struct {
	position
	rows   []byte
	stride int
}

// at returns the category of a record.
func (c column) at(record int32) uint16 {
	row := c.rows[int(record)*c.stride:][:c.stride]
	group := int(row[c.low])
	if c.high > 0 {
		group |= int(row[c.high]) << 8
	}
	return c.category[group]
}
