package robust

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
)

// Divide draws how many rows of each group fall into each part: of group g, the number in part
// i is at [g][i], and that of the rows that are discarded comes last. The totals are of the
// examples of each group; what they lack of n are null records, which take their places too.
// It fails with ErrPlanRows before any draw.
func (m *PRSMA[X, H]) Divide(totals []int64, coins noise.Coins) ([][]int64, error) {
	groups := make([]learn.Example[int], len(totals))
	for g, total := range totals {
		groups[g] = learn.Example[int]{X: g, Count: total}
	}
	if err := learn.CheckRows(learn.Listed[int](groups), m.plan.Rows, ErrPlanRows); err != nil {
		return nil, err
	}
	numbers := make([][]int64, len(totals))
	for g := range numbers {
		numbers[g] = make([]int64, m.plan.Parts+1)
	}
	for i, part := range learn.Split(coins, groups, m.plan.slots()) {
		for _, e := range part {
			numbers[e.X][i] = e.Count
		}
	}
	return numbers, nil
}

// Deal draws which rows of one group fall into each part, given how many: all divisions into
// parts of these sizes, which add up to the rows of the group, are equally likely. What it
// returns last is discarded. The draw depends on the order of the examples.
func Deal[X any](group []learn.Example[X], sizes []int64, coins noise.Coins) [][]learn.Example[X] {
	return learn.Split(coins, group, sizes)
}

// slots returns the sizes of the parts, ⌊n/K⌋ each, and last how many rows are discarded.
func (p PRSMAPlan) slots() []int64 {
	return append(slices.Repeat([]int64{p.PartRows()}, p.Parts), p.Rows%int64(p.Parts))
}

// partition splits a table at random into the parts of the plan, and discards what is left
// over. A part lists the examples that it has rows of, in their order.
func (m *PRSMA[X, H]) partition(d []learn.Example[X], coins noise.Coins) ([][]learn.Example[X], error) {
	if err := learn.CheckRows(learn.Listed[X](d), m.plan.Rows, ErrPlanRows); err != nil {
		return nil, err
	}
	if m.Grouping.Of == nil {
		return learn.Split(coins, d, m.plan.slots())[:m.plan.Parts], nil
	}
	groups, totals := m.group(d)
	numbers, err := m.Divide(totals, noise.Fork(coins))
	if err != nil {
		return nil, err
	}
	dealt := make([][]learn.Example[uint32], m.plan.Parts)
	for g, group := range groups {
		for i, got := range Deal(group, numbers[g], noise.Fork(coins))[:m.plan.Parts] {
			dealt[i] = append(dealt[i], got...)
		}
	}
	parts := make([][]learn.Example[X], m.plan.Parts)
	for i := range dealt {
		slices.SortFunc(dealt[i], func(a, b learn.Example[uint32]) int { return int(a.X) - int(b.X) })
		for _, e := range dealt[i] {
			own := d[e.X]
			own.Count = e.Count
			parts[i] = append(parts[i], own)
		}
		dealt[i] = nil
	}
	return parts, nil
}

// group returns the examples of each group in their order, by their places in d, and how many
// rows they have.
func (m *PRSMA[X, H]) group(d []learn.Example[X]) (groups [][]learn.Example[uint32], totals []int64) {
	groups, totals = make([][]learn.Example[uint32], m.Grouping.Groups), make([]int64, m.Grouping.Groups)
	for at, e := range d {
		g := m.Grouping.Of(e.X, e.Label)
		groups[g] = append(groups[g], learn.Example[uint32]{X: uint32(at), Count: e.Count})
		totals[g] += e.Count
	}
	return groups, totals
}
