package compare

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/rule"
)

// Cards describes a class of scorecards on few columns. The search for a scorecard of the class also selects its
// columns (package sparse).
type Cards struct {
	Most      int // the maximum number of columns of a card
	Groups    int // the maximum number of groups into which the values of a column are partitioned; a group has adjacent values
	Points    int // the points of a group are in -Points..Points
	Threshold int
}

// mostGroups is the maximum number of groups of values on all columns of a card together. Within this limit, the class
// has cards on every set of columns. mostTotals is the maximum number of totals of cards that the checker computes,
// which takes about ten seconds.
const (
	mostGroups = 36
	mostTotals = 1e10
)

// group returns the index of the group that contains the value v of a column with the given number of values. A group
// consists of adjacent values, which have the same points.
func (o Cards) group(v uint16, size int) int { return int(v) * o.groups(size) / size }

// groups returns the number of groups into which a column with the given number of values is divided.
func (o Cards) groups(size int) int { return min(size, o.Groups) }

// Validate returns an error if the class is invalid for columns with the given numbers of values, or if the proof for
// this class would take too long.
func (o Cards) Validate(sizes []int) error {
	_, err := o.over(sizes)
	return err
}

// over returns the class of scorecards that o describes, for columns with the given numbers of values.
func (o Cards) over(sizes []int) (class.Class[[]uint16, sparse.Card], error) {
	if o.Groups < 1 {
		return nil, fmt.Errorf("compare: the number of groups of categories is %d; it must be 1 to %d", o.Groups, sparse.MostGroups)
	}
	c, err := sparse.New(sparse.Options{Sizes: sizes, Most: o.Most, Groups: o.Groups, Points: o.Points, Threshold: o.Threshold, Draws: 1})
	if err != nil {
		return nil, err
	}
	if o.Most*o.Groups > mostGroups {
		return nil, fmt.Errorf("compare: cards of %d columns with %d groups of categories each exceed the limit of %d groups; use fewer columns or groups", o.Most, o.Groups, mostGroups)
	}
	totals := 0.
	for order := 1; order <= min(o.Most, len(sizes)); order++ {
		all, _ := sets(len(sizes), order, Sample{})
		for _, set := range all {
			totals += o.totals(sizes, set)
		}
	}
	if totals > mostTotals {
		return nil, fmt.Errorf("compare: the proof for these scorecards is too large: it takes %.0e totals of points, and the limit is %.0e; use fewer columns per card, fewer groups or fewer points", totals, mostTotals)
	}
	return c, nil
}

// totals returns the number of totals that the checker computes for the cards on a set of columns. The checker
// enumerates the points of all columns except the one with the most groups. For each choice, it computes the totals of
// all cells of the marginal on the other columns, once for each number of points that a group of this one column can
// have.
func (o Cards) totals(sizes, set []int) float64 {
	cells, groups, widest := 1., 0, 0
	for _, j := range set {
		cells *= float64(o.groups(sizes[j]))
		groups += o.groups(sizes[j])
		widest = max(widest, o.groups(sizes[j]))
	}
	return cells * math.Pow(float64(2*o.Points+1), float64(groups-widest+1))
}

// WorstCard finds the scorecard, among those that o describes, for which the shares of rows that satisfy it differ most
// between the two tables. It proves that no other scorecard differs more. It returns the errors of Validate, and the
// context's error.
func (p *Pair) WorstCard(ctx context.Context, o Cards) (Worst, error) {
	h, difference, err := worstOf(ctx, p, o.over)
	if err != nil {
		return Worst{}, err
	}
	q := rule.Points{Of: make([][]int, len(p.columns)), Threshold: o.Threshold}
	for i, j := range h.Attributes {
		of := make([]int, p.sizes[j])
		for v := range of {
			of[v] = h.Points[i][o.group(uint16(v), p.sizes[j])]
		}
		if slices.ContainsFunc(of, func(points int) bool { return points != 0 }) {
			q.Of[j] = of
		}
	}
	if err := p.checkCard(ctx, q, difference, o); err != nil {
		return Worst{}, err
	}
	w := p.worst(q)
	w.Order, w.Certified = min(o.Most, len(p.columns)), true
	return w, nil
}
