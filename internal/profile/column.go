package profile

import (
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Column is a column of numbers or dates with its grid, which divides the numbers into cells. The cells form groups
// by order of magnitude: two cells are in the same group if their least numbers have the same sign and the same
// position of the first significant digit. The cell that begins at 0 is a group of its own, and so is the first cell of
// a column without a range. Groups of greater numbers have greater indices.
type Column struct {
	edges  []table.Decimal
	groups []int // the group of each cell
	zero   int   // the group of 0, or -1
}

// NewColumn returns the Column of an attribute of numbers or dates without cuts. The grid of the attribute must have at
// least one edge, which is a boundary between cells. In a column of dates, the group of 0 is not treated specially.
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

// size returns the number of groups that the cells of the column form.
func (c *Column) size() int { return c.groups[len(c.groups)-1] + 1 }

// Edges returns the edges of the column's grid, which are the boundaries between its cells. Callers must not change
// them.
func (c *Column) Edges() []table.Decimal { return c.edges }

// sameMagnitude reports whether two decimals have the same sign and the same order of magnitude, which is the position
// of the first significant digit.
func sameMagnitude(a, b table.Decimal) bool {
	return strings.HasPrefix(string(a), "-") == strings.HasPrefix(string(b), "-") && (a == "0") == (b == "0") && magnitude(a) == magnitude(b)
}

// magnitude returns the order of magnitude of the decimal d: the exponent m of the power of ten 10^m that is the place
// value of its first significant digit. It returns -1 for 0.
func magnitude(d table.Decimal) int {
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(string(d), "-"), ".")
	if whole != "0" {
		return len(whole) - 1
	}
	return len(strings.TrimLeft(fraction, "0")) - len(fraction) - 1
}

// A Narrowing is what the noisy counts of a column's groups determine about its cuts. These counts are already public.
type Narrowing struct {
	Cuts []int       // the cuts that need no choice, as edges of the grid, in increasing order
	From *Candidates // among which a Mechanism chooses further cuts; nil if there are none
}

// Narrow uses the noisy counts of the groups to select the edges of the grid at which cuts may be placed. The parameter
// column is the index of the column in the data. The parameter units is the stated number of units (see table.Counts)
// of all rows, or 0 if it is unknown. A group is called heavy if its noisy count is at least the parameter heavy.
//
// The candidates for cuts are the edges inside heavy groups, and the least edge of each heavy group except the first.
// If these rules give no candidate, all edges are candidates.
//
// If the noisy counts indicate that more than half of the numbers are 0, the two edges of the cell that begins at 0 are
// cuts, so that 0 has an interval of its own, in which synthetic numbers are 0. The further cuts then depend on the
// largest noisy count of another group:
//   - If it is at least clearOfHeavy times the parameter heavy, the further cuts are public: those candidates that have
//     at most two significant digits (at most one for candidates below 10).
//   - Otherwise a Mechanism chooses them among all edges, without the rows that are 0. Edges in groups with small noisy
//     counts have penalties.
func (c *Column) Narrow(column int, counts []*big.Int, heavy *big.Int, units int64) Narrowing {
	candidates := c.heavyEdges(counts, heavy)
	others, mostly := c.others(counts, units)
	if !mostly {
		if len(candidates) == 0 {
			candidates = c.every()
		}
		return Narrowing{From: c.from(column, candidates)}
	}
	var n Narrowing
	public := c.hasClearGroup(counts, heavy)
	for t := 1; t <= len(c.edges); t++ {
		d := c.edges[t-1]
		_, candidate := slices.BinarySearch(candidates, t)
		round := d.Digits() <= 1 || d.Digits() == 2 && magnitude(d) > 0
		if c.ofZero(t) || public && candidate && round {
			n.Cuts = append(n.Cuts, t)
		}
	}
	if rest := slices.DeleteFunc(c.every(), c.ofZero); !public && len(rest) > 0 {
		n.From = c.from(column, rest)
		n.From.Omitted = []int{slices.Index(c.groups, c.zero)}
		n.From.Units = others
		for i, t := range rest {
			n.From.Penalties[i] = min(n.From.Penalties[i]+lightPenalty(counts[c.groups[t]], heavy)+unusualPenalty(c.edges[t-1]), MostPenalty)
		}
	}
	return n
}

// every returns the indices of all edges of the grid.
func (c *Column) every() []int {
	all := make([]int, len(c.edges))
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// heavyEdges returns the edges inside heavy groups, whose noisy counts are at least the parameter heavy, and the least
// edge of each heavy group except the first.
func (c *Column) heavyEdges(counts []*big.Int, heavy *big.Int) (edges []int) {
	lowest := slices.IndexFunc(counts, func(n *big.Int) bool { return n.Cmp(heavy) >= 0 })
	for t := range c.edges {
		group := c.groups[t+1]
		if counts[group].Cmp(heavy) >= 0 && (group > lowest || c.groups[t] == group) {
			edges = append(edges, t+1)
		}
	}
	return edges
}

// ofZero reports whether the edge with the index t bounds the cell that begins at 0.
func (c *Column) ofZero(t int) bool { return (c.groups[t-1] == c.zero) != (c.groups[t] == c.zero) }

// others estimates the number of units (see table.Counts) in all groups except that of 0. The estimate is the sum of
// the positive noisy counts of these groups, or, if that is less, the stated number of units minus the noisy count of
// 0. The result mostly reports whether the noisy count of 0 exceeds the estimate.
func (c *Column) others(counts []*big.Int, units int64) (others int64, mostly bool) {
	if c.zero < 0 {
		return
	}
	sum := 0.0
	for group, n := range counts {
		if group != c.zero {
			sum += between(n, 0, mostUnits)
		}
	}
	zero := between(counts[c.zero], 0, mostUnits)
	if units > 0 {
		sum = min(sum, float64(units)-zero)
	}
	return int64(min(max(sum, 1), mostUnits)), zero > sum
}

// mostUnits is greater than the number of units (see table.Counts) of any table.
const mostUnits = 1 << 62

// between converts n to floating point, and clips it to the range from least to most.
func between(n *big.Int, least, most float64) float64 {
	f, _ := new(big.Float).SetInt(n).Float64()
	return min(max(f, least), most)
}

// hasClearGroup reports whether a group other than that of 0 has at least clearOfHeavy times the minimum noisy count of
// a heavy group (heavy).
func (c *Column) hasClearGroup(counts []*big.Int, heavy *big.Int) bool {
	least := new(big.Int).Mul(heavy, clearOfHeavy.Num())
	for group, n := range counts {
		if group != c.zero && new(big.Int).Mul(n, clearOfHeavy.Denom()).Cmp(least) >= 0 {
			return true
		}
	}
	return false
}

// clearOfHeavy is the factor between two limits for noisy counts of groups: that of groups whose cuts are public, and
// that of heavy groups.
var clearOfHeavy = big.NewRat(4, 3)

// lightPenalty returns the penalty, in bits, of the edges in a group with a small noisy count. The parameter heavy is
// three standard deviations of the noise. The penalty is two bits for each third of this number by which the count is
// below the first third, rounded up.
func lightPenalty(count, heavy *big.Int) int {
	sixths := new(big.Int).Mul(count, big.NewInt(6))
	return int(between(sixths.Sub(big.NewInt(2), sixths.Div(sixths, heavy)), 0, MostPenalty))
}

// unusualPenalty returns the penalty, in bits, of an edge with an unusual sign or order of magnitude. Most columns that
// are mostly 0 contain amounts or numbers of things, of which few are negative, below 1, or a million and more.
func unusualPenalty(d table.Decimal) int {
	bits := max(0, -magnitude(d), magnitude(d)-5)
	if strings.HasPrefix(string(d), "-") {
		bits += 3
	}
	return bits
}

// from returns the given edges of the grid as candidates for Mechanism.Release, with their penalties. The penalty of an
// edge grows with the number of its significant digits, so that round numbers are preferred.
func (c *Column) from(column int, candidates []int) *Candidates {
	from := &Candidates{Column: column, Edges: candidates}
	for _, t := range candidates {
		from.Penalties = append(from.Penalties, min(digitPenalty*max(c.edges[t-1].Digits()-1, 0), MostPenalty))
	}
	return from
}

// digitPenalty is the penalty, in bits, of an edge for each significant digit after the first; each bit halves the
// weight of the edge. There are about ten times as many numbers with one more digit, so few edges would be round
// without a penalty.
const digitPenalty = 2
