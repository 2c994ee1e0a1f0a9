package cells

import (
	"math/rand/v2"
	"slices"
)

// A Rule says which combinations of values of some columns are forbidden.
type Rule struct {
	Columns   []int
	Forbidden []bool // one entry for each combination, row-major, the last column fastest
}

// A keeper changes synthetic rows so that they satisfy the rules of the schema.
type keeper struct {
	rows    [][]uint16 // the rows, by column
	of      []*Pooling // the pooling of each column
	rules   []Rule
	columns []int        // the columns of all rules, without repetition
	due     [][]int      // for each entry of columns, the rules of which it is the last column to get a value
	below   [][][]uint16 // by column: the values of each pooled value
	random  *rand.Rand
	steps   int64 // remaining steps of the search for a row
}

// These constants limit the search for values that satisfy all rules, to bound its running time. A step assigns one
// value. The search for a single row takes at most mostSteps steps, and the searches for all rows together take at
// most about mostStepsOfEach steps for each row of the table.
const (
	mostSteps       = 1 << 14
	mostStepsOfEach = 1 << 8
)

func newKeeper(rows [][]uint16, of []*Pooling, rules []Rule, random *rand.Rand) *keeper {
	k := &keeper{rows: rows, of: of, rules: rules, random: random, below: make([][][]uint16, len(of))}
	for _, r := range rules {
		for _, c := range r.Columns {
			if !slices.Contains(k.columns, c) {
				k.columns = append(k.columns, c)
				k.below[c] = of[c].below()
			}
		}
	}
	k.due = make([][]int, len(k.columns))
	for i, r := range rules {
		last := 0
		for _, c := range r.Columns {
			last = max(last, slices.Index(k.columns, c))
		}
		if len(k.columns) > 0 {
			k.due[last] = append(k.due[last], i)
		}
	}
	return k
}

// breaks reports whether a row violates a rule. Both are given by their numbers.
func (k *keeper) breaks(rule, row int) bool {
	r := &k.rules[rule]
	at := 0
	for _, c := range r.Columns {
		at = at*len(k.of[c].Cells) + int(k.rows[c][row])
	}
	return r.Forbidden[at]
}

// broken reports whether the row with the given number violates any of the rules.
func (k *keeper) broken(row int) bool {
	for i := range k.rules {
		if k.breaks(i, row) {
			return true
		}
	}
	return false
}

// exchange repairs rows that violate a rule. It exchanges their values with those of random rows that have the same
// pooled value, whenever fewer of the two rows violate a rule afterwards. Exchanges keep the count of each value. The
// slices pooled hold the pooled values of the rows, by column.
func (k *keeper) exchange(pooled [][]uint16) {
	rows := make([][][]int32, len(k.columns)) // by column and pooled value
	for x, c := range k.columns {
		rows[x] = make([][]int32, k.of[c].Size)
		for i, v := range pooled[c] {
			rows[x][v] = append(rows[x][v], int32(i))
		}
	}
	for i := range k.rows[0] {
		for try := 0; try < exchanges && k.broken(i); try++ {
			x := k.random.IntN(len(k.columns))
			c := k.columns[x]
			others := rows[x][pooled[c][i]]
			j := int(others[k.random.IntN(len(others))])
			broken := k.broken(j)
			values := k.rows[c]
			values[i], values[j] = values[j], values[i]
			if k.broken(i) || !broken && k.broken(j) {
				values[i], values[j] = values[j], values[i]
			}
		}
	}
}

const exchanges = 100 // the maximum number of rows that exchange tries for one row

// keep changes each row that still violates a rule. It first searches for other values that satisfy all rules and
// have the row's pooled values. If the search finds none, keep copies the values of all restricted columns from a
// random row that satisfies the rules, or from the witness, an example that satisfies them, if there is no such row.
// The slices pooled hold the pooled values of the rows, by column.
func (k *keeper) keep(pooled [][]uint16, witness []uint16) {
	var lost []int
	good := -1
	left := mostSteps + mostStepsOfEach*int64(len(k.rows[0]))
	for i := range k.rows[0] {
		if k.broken(i) {
			old := k.values(i)
			k.steps = min(mostSteps, left)
			left -= k.steps
			found := k.search(i, 0, func(c int) []uint16 { return k.below[c][pooled[c][i]] })
			left += k.steps
			if !found {
				k.set(i, old)
				lost = append(lost, i)
				continue
			}
		}
		good = i
	}
	for _, i := range lost {
		if good < 0 {
			for _, c := range k.columns {
				k.rows[c][i] = witness[c]
			}
			continue
		}
		j := k.random.IntN(len(k.rows[0]))
		if k.broken(j) {
			j = good
		}
		k.set(i, k.values(j))
	}
}

func (k *keeper) values(row int) []uint16 {
	v := make([]uint16, len(k.columns))
	for i, c := range k.columns {
		v[i] = k.rows[c][row]
	}
	return v
}

func (k *keeper) set(row int, values []uint16) {
	for i, c := range k.columns {
		k.rows[c][row] = values[i]
	}
}

// search assigns values to the columns k.columns[at:] of the given row so that the row violates no rule, and reports
// whether it succeeded within the remaining k.steps steps. The function lists returns the values that are allowed in
// a column. The search is a backtracking search: in each column, it tries the row's current value first, and then the
// others in a random order that prefers frequent values.
func (k *keeper) search(row, at int, lists func(column int) []uint16) bool {
	if at == len(k.columns) {
		return true
	}
	c := k.columns[at]
values:
	for _, v := range k.order(c, k.rows[c][row], lists(c)) {
		if k.steps == 0 {
			return false
		}
		k.steps--
		k.rows[c][row] = v
		for _, r := range k.due[at] {
			if k.breaks(r, row) {
				continue values
			}
		}
		if k.search(row, at+1, lists) {
			return true
		}
	}
	return false
}

// order returns the given values of column c in a random order, in which frequent values tend to come before rare
// ones. The row's current value, has, always comes first.
func (k *keeper) order(c int, has uint16, values []uint16) []uint16 {
	type place struct {
		value uint16
		at    float64
	}
	places := make([]place, len(values))
	for i, v := range values {
		places[i] = place{v, k.random.Float64() / (k.of[c].Counts[v] + 1)}
		if v == has {
			places[i].at = -1
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return int(a.value) - int(b.value)
	})
	order := make([]uint16, len(values))
	for i, p := range places {
		order[i] = p.value
	}
	return order
}
