package robust

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
)

// PartSizes samples how many rows of each group every part receives. The slice totals holds the number of rows of
// each group. If the totals sum to less than the plan's number of rows, the missing rows are null records, which are
// distributed like other rows. If they sum to more, PartSizes returns ErrPlanRows before it samples anything.
//
// The result has, for each group and each part, the number of rows of the group in the part. One more entry for each
// group, after the last part, is the number of the group's rows to discard.
func (m *PRSMA[X, H]) PartSizes(totals []int64, coins noise.Coins) ([][]int64, error) {
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
	for i, part := range learn.Split(coins, groups, m.plan.sizes()) {
		for _, e := range part {
			numbers[e.X][i] = e.Count
		}
	}
	return numbers, nil
}

// AssignRows samples which rows of one group each part receives. The parameter sizes is the group's entry in the result
// of PartSizes: the number of rows of each part, followed by the number of rows to discard. The sizes must add up to
// the number of rows of the group. All partitions into lists of these sizes are equally likely. The result has one list
// for each size; the last list holds the rows to discard. With the same coins, the result depends on the order of the
// examples.
func AssignRows[X any](group []learn.Example[X], sizes []int64, coins noise.Coins) [][]learn.Example[X] {
	return learn.Split(coins, group, sizes)
}

// sizes returns the number of rows of each of the K parts, ⌊n/K⌋, followed by the number of rows to discard.
func (p PRSMAPlan) sizes() []int64 {
	return append(slices.Repeat([]int64{p.PartRows()}, p.Parts), p.Rows%int64(p.Parts))
}

// partition splits the table d at random into the parts of the plan, and discards the remaining rows. The examples of
// a part keep their order in d.
func (m *PRSMA[X, H]) partition(d []learn.Example[X], coins noise.Coins) ([][]learn.Example[X], error) {
	if err := learn.CheckRows(learn.Listed[X](d), m.plan.Rows, ErrPlanRows); err != nil {
		return nil, err
	}
	if m.Grouping.Of == nil {
		return learn.Split(coins, d, m.plan.sizes())[:m.plan.Parts], nil
	}
	groups, totals := m.group(d)
	numbers, err := m.PartSizes(totals, noise.Fork(coins))
	if err != nil {
		return nil, err
	}
	assigned := make([][]learn.Example[uint32], m.plan.Parts)
	for g, group := range groups {
		for i, got := range AssignRows(group, numbers[g], noise.Fork(coins))[:m.plan.Parts] {
			assigned[i] = append(assigned[i], got...)
		}
	}
	parts := make([][]learn.Example[X], m.plan.Parts)
	for i := range assigned {
		slices.SortFunc(assigned[i], func(a, b learn.Example[uint32]) int { return int(a.X) - int(b.X) })
		for _, e := range assigned[i] {
			own := d[e.X]
			own.Count = e.Count
			parts[i] = append(parts[i], own)
		}
		assigned[i] = nil
	}
	return parts, nil
}

// group returns the examples of each group, and the number of rows of each group. An example is given as its index in
// d, and the indices of a group are increasing.
func (m *PRSMA[X, H]) group(d []learn.Example[X]) (groups [][]learn.Example[uint32], totals []int64) {
	groups, totals = make([][]learn.Example[uint32], m.Grouping.Groups), make([]int64, m.Grouping.Groups)
	for at, e := range d {
		g := m.Grouping.Of(e.X, e.Label)
		groups[g] = append(groups[g], learn.Example[uint32]{X: uint32(at), Count: e.Count})
		totals[g] += e.Count
	}
	return groups, totals
}
