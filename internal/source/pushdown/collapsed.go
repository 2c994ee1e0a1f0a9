package pushdown

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
)

// A Key is a result column that combines the category codes of several attributes into one integer. The codes are the
// digits of this integer in a mixed radix, where the last attribute is the least significant digit. The key is NULL if
// one of the values is outside its domain.
type Key struct {
	Attributes []int
	sizes      []int64
}

// Codes decodes a value of the key. It stores the code of each attribute that the key combines in the slice codes, at
// the index of the attribute.
func (k Key) Codes(key int64, codes []uint16) {
	for i := len(k.Attributes) - 1; i >= 0; i-- {
		codes[k.Attributes[i]] = uint16(key % k.sizes[i])
		key /= k.sizes[i]
	}
}

// A Collapsed is a statement that returns each distinct record of the data with its number of units (see table.Counts).
// Its result has three groups of columns:
//
//   - the keys, which combine the codes of attributes,
//   - the columns in Columns, whose codes the caller must compute because SQL cannot,
//   - the number of units.
type Collapsed struct {
	Statement string
	Keys      []Key
	Columns   []string // columns of the query that SQL cannot code

	// Ungrouped is a statement whose rows are the keys of each row of the relation, without a number of units. It is ""
	// if the engine runs on a server, SQL cannot code all columns, or rows have weights.
	Ungrouped string
}

// Collapsed returns the statement that returns each distinct record of the relation with its number of units (see
// table.Counts). If the schema has a Person, the caller must have checked that r.Bounds() is true.
func (r *Relation) Collapsed() Collapsed {
	from := r.records()
	var c Collapsed
	for j := range r.attributes {
		if r.coded[j] {
			c.enter(j, int64(r.attributes[j].Len()))
		} else if a := r.attributes[j].Column; !slices.Contains(c.Columns, a) {
			c.Columns = append(c.Columns, a)
		}
	}
	var inner, outer, groups []string
	for i, k := range c.Keys {
		name := fmt.Sprintf("k%d", i)
		inner = append(inner, from.packed(k.Attributes, k.sizes)+" AS "+name)
		outer, groups = append(outer, name), append(groups, name)
	}
	for i, column := range c.Columns {
		name := fmt.Sprintf("x%d", i)
		t := r.types[column]
		inner = append(inner, database.In(t.Value, r.operand(column).value)+" AS "+name)
		outer, groups = append(outer, name), append(groups, name)
		if t.Finer != "" {
			groups = append(groups, database.In(t.Finer, name))
		}
	}
	if r.dialect.Embedded && len(c.Columns) == 0 && from.weight == "" {
		c.Ungrouped = "SELECT " + strings.Join(inner, ", ") + " FROM " + from.from
	}
	if from.weight != "" {
		inner = append(inner, from.weight)
	}
	c.Statement = fmt.Sprintf("SELECT %s, %s FROM (SELECT %s FROM %s) AS b GROUP BY %s",
		strings.Join(outer, ", "), from.units(), strings.Join(inner, ", "), from.from, strings.Join(groups, ", "))
	return c
}

// enter adds the attribute with index j, which has the given number of codes, to the last key. It begins a new key if
// values of the last one would exceed 64 bits.
func (c *Collapsed) enter(j int, size int64) {
	last := len(c.Keys) - 1
	if last >= 0 {
		records := int64(1)
		for _, s := range c.Keys[last].sizes {
			records *= s
		}
		if records <= math.MaxInt64/size {
			c.Keys[last].Attributes = append(c.Keys[last].Attributes, j)
			c.Keys[last].sizes = append(c.Keys[last].sizes, size)
			return
		}
	}
	c.Keys = append(c.Keys, Key{[]int{j}, []int64{size}})
}

// packed returns an expression that combines the codes of the given attributes into one integer, as described for Key.
func (r records) packed(attributes []int, sizes []int64) string {
	e := ""
	for i, j := range attributes {
		cell := wide(r.dialect, r.cell(j, identity(r.attributes[j].Len())))
		if i == 0 {
			e = cell
		} else {
			e = r.dialect.Apply("+", r.dialect.Apply("*", e, whole(sizes[i])), cell)
		}
	}
	return e
}
