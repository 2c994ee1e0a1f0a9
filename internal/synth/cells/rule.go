package cells

import (
	"math/rand/v2"
	"slices"
)

// A Rule says which combinations of values no row may have.
type Rule struct {
	Columns   []int
	Forbidden []bool // of each combination, row-major, the last column fastest
}

// A keeper makes rows keep rules.
type keeper struct {
	rows    [][]uint16
	of      []*Pooling
	rules   []Rule
	columns []int   // of rules, each once
	due     [][]int // after each of columns, the rules all of whose columns have a value
	below   [][][]uint16
	random  *rand.Rand
	steps   int64 // that the search for a row may still take
}

// How many values a search for a row tries, and those for all rows on average.
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

// breaks tells whether a row breaks a rule.
func (k *keeper) breaks(rule, row int) bool {
	r := &k.rules[rule]
	at := 0
	for _, c := range r.Columns {
		at = at*len(k.of[c].Cells) + int(k.rows[c][row])
	}
	return r.Forbidden[at]
}

func (k *keeper) broken(row int) bool {
	for i := range k.rules {
		if k.breaks(i, row) {
			return true
		}
	}
	return false
}

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

// search gives columns from the at-th on values from lists, so that no rule is broken:
// the values a row has first, then others, those of more rows sooner.
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

// order draws an order of values in which those of more rows come sooner, after the one
// the row has.
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
