package dectree

// Records are laid out once more while trees are drawn, by what is counted of them, and a table
// of many rows has many. So a record is a row of bytes: the low byte of its category of each
// group, and behind these, of groups of more than 256 categories, the high bytes. That is a byte
// for most groups, which are fewer than attributes.

// A layout says where a row has what.
type layout struct {
	base   []int32 // of each group, its first column
	wide   []int   // the groups that have a high byte
	stride int     // bytes of a record
	of     []where // of each attribute
}

// A where is how an attribute's category follows from a row.
type where struct {
	low, high int      // bytes of its group's category; high is 0 where there is none
	category  []uint16 // of the attribute, by that of its group
}

func newLayout(p *plan) *layout {
	l := &layout{stride: len(p.groups)}
	for i, g := range p.groups {
		l.base = append(l.base, int32(p.base[i]))
		high := 0
		if g.categories > 1<<8 {
			high = l.stride
			l.wide = append(l.wide, i)
			l.stride++
		}
		for j := g.from; j < g.to; j++ {
			of := where{i, high, make([]uint16, g.categories)}
			for c := range of.category {
				of.category[c] = uint16(p.own(g, c, j))
			}
			l.of = append(l.of, of)
		}
	}
	return l
}

// set writes a category of group i into a row.
func (l *layout) set(row []byte, i, category int) {
	row[i] = byte(category)
	for k, w := range l.wide {
		if w == i {
			row[len(l.base)+k] = byte(category >> 8)
		}
	}
}

// columns writes those of a row.
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
	where
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
