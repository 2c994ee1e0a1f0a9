package graphical

import (
	"math"
	"slices"
)

// A tree is a junction tree of cliques: if two cliques share a column, all cliques on the path between them contain it.
type tree struct {
	cliques [][]int // the columns of each clique, sorted
	parent  []int   // the index of the parent, which precedes its children; -1 for the root, which is the first
	shared  [][]int // the columns that each clique shares with its parent, sorted
}

// newTree returns a junction tree in which each of the given marginals is contained in a clique. The tree is a maximum
// spanning tree of the cliques: the weight of an edge is the number of columns that its two cliques share.
func newTree(d domain, marginals [][]int) *tree {
	left, _ := triangulate(d, marginals)
	t := &tree{}
	for parent, next := -1, 0; ; {
		clique := d.sorted(left[next])
		left = slices.Delete(left, next, next+1)
		t.cliques, t.parent = append(t.cliques, clique), append(t.parent, parent)
		var shared []int
		if parent >= 0 {
			shared = common(clique, t.cliques[parent])
		}
		t.shared = append(t.shared, shared)
		if len(left) == 0 {
			return t
		}
		most := -1
		for i, a := range t.cliques {
			for j, b := range left {
				if n := len(common(a, b)); n > most {
					parent, next, most = i, j, n
				}
			}
		}
	}
}

// holding returns the index of the first clique that contains all given columns, or -1 if there is none.
func (t *tree) holding(columns []int) int {
	return slices.IndexFunc(t.cliques, func(c []int) bool { return len(without(columns, c)) == 0 })
}

// Cells returns the total number of cells in all cliques of a model for the given marginals, which is proportional to
// the memory that the model needs. The slice sizes has the number of values of each column. The result is infinite if
// the number exceeds the range of float64.
func Cells(sizes []int, marginals [][]int) float64 {
	_, cells := triangulate(sizes, marginals)
	return cells
}

// triangulate triangulates the graph in which the columns of each marginal are connected. It returns the maximal
// cliques of the result, and their total number of cells. It eliminates the columns in two different greedy orders
// and returns the result with fewer cells: the next column is the one whose clique has the fewest cells, or the one
// whose elimination adds the fewest edges.
func triangulate(d domain, marginals [][]int) (best [][]int, cells float64) {
	cells = math.Inf(1)
	for _, cost := range []func(*graph, int) float64{(*graph).weight, (*graph).fill} {
		found, total := newGraph(d, marginals).eliminate(cost)
		if best == nil || total < cells {
			best, cells = found, total
		}
	}
	return best, cells
}

// A graph is an undirected graph whose nodes are the columns of a table.
type graph struct {
	domain     domain
	neighbours [][]int
}

func newGraph(d domain, marginals [][]int) *graph {
	g := &graph{d, make([][]int, len(d))}
	for _, m := range marginals {
		g.connect(m)
	}
	return g
}

// connect adds the edges between all pairs of the given columns.
func (g *graph) connect(columns []int) {
	for _, a := range columns {
		for _, b := range columns {
			if a != b && !slices.Contains(g.neighbours[a], b) {
				g.neighbours[a] = append(g.neighbours[a], b)
			}
		}
	}
}

// weight returns the number of cells in the clique that consists of a column and its neighbours.
func (g *graph) weight(column int) float64 {
	n := float64(g.domain[column])
	for _, c := range g.neighbours[column] {
		n *= float64(g.domain[c])
	}
	return n
}

// fill returns the number of pairs of neighbours of a column that are not connected by an edge.
func (g *graph) fill(column int) (n float64) {
	for i, a := range g.neighbours[column] {
		for _, b := range g.neighbours[column][:i] {
			if !slices.Contains(g.neighbours[a], b) {
				n++
			}
		}
	}
	return n
}

// eliminate removes the columns one after the other, always the one with the least cost, and connects the neighbours
// of each removed column. It returns the maximal cliques and their total number of cells.
func (g *graph) eliminate(cost func(*graph, int) float64) (maximal [][]int, cells float64) {
	costs, left := make([]float64, len(g.domain)), make([]int, len(g.domain))
	for c := range g.domain {
		costs[c], left[c] = cost(g, c), c
	}
	for len(left) > 0 {
		at := 0
		for i, c := range left {
			if costs[c] < costs[left[at]] {
				at = i
			}
		}
		c := left[at]
		left = slices.Delete(left, at, at+1)
		around := g.neighbours[c]
		if clique := append([]int{c}, around...); !slices.ContainsFunc(maximal, func(m []int) bool { return len(without(clique, m)) == 0 }) {
			maximal, cells = append(maximal, clique), cells+g.weight(c)
		}
		changed := slices.Clone(around)
		for _, b := range around {
			g.neighbours[b] = without(g.neighbours[b], []int{c})
			changed = append(changed, g.neighbours[b]...)
		}
		g.connect(around)
		slices.Sort(changed)
		for _, b := range slices.Compact(changed) {
			costs[b] = cost(g, b)
		}
	}
	return maximal, cells
}

// common returns the columns in the list a that are also in the list b.
func common(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(c int) bool { return !slices.Contains(b, c) })
}

// without returns the columns in the list a that are not in the list b.
func without(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(c int) bool { return slices.Contains(b, c) })
}
