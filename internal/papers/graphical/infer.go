package graphical

import (
	"math/rand/v2"
	"slices"
)

// Total returns the model's estimate of the number of rows, at least 1.
func (m *Model) Total() float64 { return m.total }

// Holds reports whether a single clique of the model contains all given columns.
func (m *Model) Holds(columns []int) bool { return m.tree.holding(columns) >= 0 }

// Marginal returns the probability of each cell of the marginal on the given columns, in row-major order.
func (m *Model) Marginal(columns []int) []float64 {
	if k := m.tree.holding(columns); k >= 0 {
		return m.domain.ordered(m.domain.marginal(m.beliefs[k], columns), columns)
	}
	return m.domain.ordered(m.below(0, columns), columns)
}

// below returns the conditional distribution of the wanted columns that occur in the subtree of clique k, given the
// columns that clique k shares with its parent. It is an array over both sets of columns.
func (m *Model) below(k int, wanted []int) array {
	shared := m.tree.shared[k]
	var parts []array // the results of below for the children that have further wanted columns
	keep := append(slices.Clone(shared), without(common(m.tree.cliques[k], wanted), shared)...)
	own := slices.Clone(keep)
	for child := k + 1; child < len(m.tree.parent); child++ {
		if m.tree.parent[child] == k && m.reaches(child, without(wanted, m.tree.cliques[k])) {
			part := m.below(child, wanted)
			parts = append(parts, part)
			own = append(own, without(m.tree.shared[child], own)...)
		}
	}
	t := m.domain.marginal(m.beliefs[k], own)
	for i, part := range parts {
		keep = append(keep, without(part.columns, t.columns)...)
		needed := slices.Clone(keep)
		for _, later := range parts[i+1:] {
			needed = append(needed, without(common(later.columns, t.columns), needed)...)
		}
		t = m.domain.product(t, part, needed)
	}
	given := m.domain.marginal(t, shared)
	for i, x := range given.values {
		if x > 0 {
			given.values[i] = 1 / x
		}
	}
	m.domain.times(t, given)
	return t
}

// reaches reports whether a clique in the subtree of clique k contains one of the given columns.
func (m *Model) reaches(k int, columns []int) bool {
	if len(common(m.tree.cliques[k], columns)) > 0 {
		return true
	}
	for child := k + 1; child < len(m.tree.parent); child++ {
		if m.tree.parent[child] == k && m.reaches(child, columns) {
			return true
		}
	}
	return false
}

// Rows returns n rows of the model. It fills in the columns clique by clique. For each clique, it groups the rows by
// the values of the columns that the clique shares with its parent. Within a group, each combination of values of the
// clique's other columns occurs as often as the model expects, rounded up or down at random.
func (m *Model) Rows(n int, random *rand.Rand) [][]uint16 {
	rows := make([][]uint16, n)
	for i := range rows {
		rows[i] = make([]uint16, len(m.domain))
	}
	for k, columns := range m.tree.cliques {
		shared := m.tree.shared[k]
		added := without(columns, shared)
		size := m.domain.cells(added)
		belief := m.domain.ordered(m.beliefs[k], append(slices.Clone(shared), added...))
		groups := make([][]int, m.domain.cells(shared))
		for i, r := range rows {
			at := 0
			for _, c := range shared {
				at = at*m.domain[c] + int(r[c])
			}
			groups[at] = append(groups[at], i)
		}
		for g, members := range groups {
			random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
			for i, cell := range quota(belief[g*size:(g+1)*size], len(members), random) {
				row := rows[members[i]]
				for _, c := range slices.Backward(added) {
					row[c] = uint16(cell % m.domain[c])
					cell /= m.domain[c]
				}
			}
		}
	}
	return rows
}

// quota samples n cells with probabilities proportional to weights, by systematic sampling: each cell occurs as often
// as expected, rounded up or down at random.
func quota(weights []float64, n int, random *rand.Rand) []int {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	cells := make([]int, 0, n)
	next, reached := random.Float64(), 0.0
	for cell, w := range weights {
		reached += w / sum * float64(n)
		for ; next < reached && len(cells) < n; next++ {
			cells = append(cells, cell)
		}
	}
	for len(cells) < n { // only because of rounding errors of reached
		cells = append(cells, len(weights)-1)
	}
	return cells
}
