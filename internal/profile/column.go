package profile

import (
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Column is a column of numbers or dates with its grid. The cells of the grid form groups by order of magnitude: two
// cells are in the same group if their least numbers have the same sign and the same position of the first significant
// digit. The cell that begins at 0 is a group of its own, and so is the first cell of a column without a range. Groups
// of greater numbers have greater indices.
type Column struct {
	edges  []table.Decimal
	groups []int // the group of each cell
	zero   int   // the group of 0, or -1
}

// NewColumn returns the column of an attribute of numbers or dates without cuts. The grid of the attribute must
// have at least one edge. In a column of dates, the group of 0 is not treated specially.
func NewColumn(a *table.Attribute) *Column {
	c := &Column{edges: Grid(a), zero: -1}
	c.groups = make([]int, 0, len(c.edges)+1)
	least := a.Least // "" without a range
	group := 0
	for i := 0; i <= len(c.edges); i++ {
		if i > 0 {
			if edge := c.edges[i-1]; least == "" || !sameMagnitude(least, edge) {
				group++
			}
			least = c.edges[i-1]
		}
		if least == "0" && !a.IsDate() {
			c.zero = group
		}
		c.groups = append(c.groups, group)
	}
	return c
}

// size returns the number of groups into which the cells of the column's grid are combined.
func (c *Column) size() int { return c.groups[len(c.groups)-1] + 1 }

// Edges returns the edges of the grid, which are the boundaries between its cells. Callers must not change them.
func (c *Column) Edges() []table.Decimal { return c.edges }

// sameMagnitude reports whether two decimals have the same sign and the same order of magnitude, that is, the same
// position of the first significant digit.
func sameMagnitude(a, b table.Decimal) bool {
	return strings.HasPrefix(string(a), "-") == strings.HasPrefix(string(b), "-") && (a == "0") == (b == "0") && magnitude(a) == magnitude(b)
}

// magnitude returns the order of magnitude of d: the integer m for which its first significant digit has the place
// value 10^m. It returns -1 for 0.
func magnitude(d table.Decimal) int {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(string(d), "-"), ".")
	if whole != "0" {
		return len(whole) - 1
	}
	return len(strings.TrimLeft(fraction, "0")) - len(fraction) - 1
}

// Narrow uses the noisy counts of the groups to select the edges at which cuts may be placed. A group is called
// heavy if its noisy count is at least the parameter heavy. The candidates are the edges inside heavy groups, and
// the least edge of each heavy group except the first. If no edge is a candidate by this rule, all edges are.
//
// If more than half of the rows are 0 and another group is heavy, no cut needs to be chosen by a Mechanism. Narrow then
// also returns public cuts: the two edges of the cell that begins at 0, and the candidates with at most two significant
// digits (at most one for candidates below 10). So 0 gets an interval of its own, in which synthetic numbers are 0.
func (c *Column) Narrow(counts []*big.Int, heavy *big.Int) (candidates, public []int) {
	lowest := slices.IndexFunc(counts, func(n *big.Int) bool { return n.Cmp(heavy) >= 0 })
	for t := range c.edges {
		group := c.groups[t+1]
		if counts[group].Cmp(heavy) >= 0 && (group > lowest || c.groups[t] == group) {
			candidates = append(candidates, t+1)
		}
	}
	if len(candidates) == 0 {
		for t := range c.edges {
			candidates = append(candidates, t+1)
		}
		return candidates, nil
	}
	if !c.spiked(counts) {
		return candidates, nil
	}
	for t := 1; t <= len(c.edges); t++ {
		d := c.edges[t-1]
		_, candidate := slices.BinarySearch(candidates, t)
		round := d.Digits() <= 1 || d.Digits() == 2 && magnitude(d) > 0
		if ofZero := (c.groups[t-1] == c.zero) != (c.groups[t] == c.zero); ofZero || candidate && round {
			public = append(public, t)
		}
	}
	return candidates, public
}

// spiked reports whether, according to the noisy counts of the groups, more than half of the rows are in the group
// of 0.
func (c *Column) spiked(counts []*big.Int) bool {
	if c.zero < 0 {
		return false
	}
	others := new(big.Int)
	for group, n := range counts {
		if group != c.zero && n.Sign() > 0 {
			others.Add(others, n)
		}
	}
	return counts[c.zero].Cmp(others) > 0
}

// From returns the given edges of the grid, with their penalties, for Mechanism.Release. The penalty of an edge
// grows with the number of its significant digits, so that round numbers are preferred. The parameter column is
// the index of the column in the data.
func (c *Column) From(column int, candidates []int) Candidates {
	from := Candidates{Column: column, Edges: candidates}
	for _, t := range candidates {
		from.Penalties = append(from.Penalties, min(digitPenalty*max(c.edges[t-1].Digits()-1, 0), MostPenalty))
	}
	return from
}

// digitPenalty is the penalty of an edge for each significant digit after the first, in bits: each bit halves the
// weight of the edge. There are about ten times as many numbers with one digit more, so without a penalty few edges
// would be round.
const digitPenalty = 2
