package sumscore

import (
	"context"
	"fmt"
	"iter"
	"math/big"
	"slices"
	"sort"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
)

// A Group is a set of attributes with the same categories, over which a sum score adds up points.
type Group struct {
	Attributes []int // in ascending order
	Categories int   // k
}

// A Score is a sum score. It predicts 1 for a record if the points of the record's categories,
// summed over the attributes of a group, are at least Threshold. The two scores without points,
// whose predictions are constant, belong to group 0 and have the thresholds 0 and 1.
type Score struct {
	Group     int
	Points    []int // by category
	Threshold int
}

const (
	// MostVectors is the maximum of (P+1)^k, the number of possible points of all categories together.
	MostVectors = 2187
	// MostScores is the maximum number of scores of a class.
	MostScores = 1 << 20
)

// A Class is the set of all sum scores over several groups of attributes. It implements
// class.Tabular[[]uint16, Score], class.Enumerable[[]uint16, Score], class.Partial[Score] and
// class.Summed[[]uint16, Score]. The zero value is invalid; use New.
type Class struct {
	groups []Group
	most   int // P
	runs   []run
	size   int
	table  *tabulated.Class[[]uint16, Score]
}

// A run consists of the scores with the same group and the same points, in ascending order of their
// thresholds.
type run struct {
	group  int
	points []int
	first  int // the number in the class of the first score of the run
	least  int // the least threshold of the scores
	count  int // the number of scores
}

// New returns the class of sum scores of the groups of attributes. The parameter most, at least 1, is the maximum
// difference between the points of two categories. New fails if a parameter is out of range.
func New(groups []Group, most int) (*Class, error) {
	if len(groups) == 0 {
		return nil, fmt.Errorf("sumscore: at least one group of attributes is required")
	}
	if most < 1 {
		return nil, fmt.Errorf("sumscore: the points of two categories differ by at most %d, but must be able to differ; give a maximum of at least 1", most)
	}
	c := &Class{groups: groups, most: most}
	for i, g := range groups {
		switch {
		case len(g.Attributes) == 0:
			return nil, fmt.Errorf("sumscore: group %d is empty, but must have at least one attribute", i+1)
		case g.Attributes[0] < 0 || !slices.IsSorted(g.Attributes) || len(slices.Compact(slices.Clone(g.Attributes))) < len(g.Attributes):
			return nil, fmt.Errorf("sumscore: the attributes %v of group %d must be non-negative numbers in ascending order", g.Attributes, i+1)
		case g.Categories < 1 || !Fits(g.Categories, most):
			return nil, fmt.Errorf("sumscore: group %d has %d categories with %d possible points each, but there may be at most %d combinations of points; use fewer categories or points", i+1, g.Categories, most+1, MostVectors)
		}
		if i == 0 {
			c.add(run{points: make([]int, g.Categories), count: 2})
		}
		for _, p := range vectors(g.Categories, most) {
			c.add(run{group: i, points: p, least: 1, count: len(g.Attributes) * slices.Max(p)})
		}
		if c.size > MostScores {
			return nil, fmt.Errorf("sumscore: the class has more than %d scores; use fewer attributes, categories or points", MostScores)
		}
	}
	var err error
	c.table, err = tabulated.New(c)
	return c, err
}

func (c *Class) add(r run) {
	r.first = c.size
	c.runs = append(c.runs, r)
	c.size += r.count
}

// Fits reports whether a class with the given number of categories is small enough: there are at
// most MostVectors ways to give 0 to most points to each category.
func Fits(categories, most int) bool {
	n := 1
	for range categories {
		if n *= most + 1; n > MostVectors {
			return false
		}
	}
	return true
}

// vectors returns the possible points of k categories: all vectors whose minimum is 0, whose
// maximum is at most the parameter most, and whose greatest common divisor is 1, in lexicographic order. If the
// numbers 0 to k-1 exceed most, the result also contains these numbers, in ascending and in
// descending order.
func vectors(k, most int) (all [][]int) {
	p := make([]int, k)
	for {
		if slices.Min(p) == 0 && divisor(p) == 1 {
			all = append(all, slices.Clone(p))
		}
		j := k - 1
		for ; j >= 0 && p[j] == most; j-- {
			p[j] = 0
		}
		if j < 0 {
			break
		}
		p[j]++
	}
	if k-1 > most {
		for c := range p {
			p[c] = c
		}
		down := slices.Clone(p)
		slices.Reverse(down)
		all = append(all, p, down)
	}
	return all
}

// divisor returns the greatest common divisor of the points, or 0 if all of them are 0.
func divisor(p []int) (d int) {
	for _, v := range p {
		for v != 0 {
			d, v = v, d%v
		}
	}
	return d
}

// String returns a description of the class and its parameters.
func (c *Class) String() string {
	text := fmt.Sprintf("sum scores with points that differ by at most %d", c.most)
	for _, g := range c.groups {
		text += fmt.Sprintf("; %d attributes of %d categories", len(g.Attributes), g.Categories)
	}
	return text
}

// Size returns the number of scores. Scores with different points or thresholds count as different.
func (c *Class) Size() *big.Int { return big.NewInt(int64(c.size)) }

// Groups returns the groups of attributes, which the caller must not change.
func (c *Class) Groups() []Group { return c.groups }

// MostSum returns the maximum sum of points that a record can have under a sum score of the class.
func (c *Class) MostSum() int {
	most := 0
	for _, r := range c.runs {
		most = max(most, len(c.groups[r.group].Attributes)*slices.Max(r.points))
	}
	return most
}

// number returns the index of the score h in the list of all scores, or -1 if the class does not
// contain h.
func (c *Class) number(h Score) int {
	for _, r := range c.runs {
		if r.group == h.Group && slices.Equal(r.points, h.Points) {
			if i := h.Threshold - r.least; i >= 0 && i < r.count {
				return r.first + i
			}
		}
	}
	return -1
}

// Contains reports whether h belongs to the class.
func (c *Class) Contains(h Score) bool { return c.number(h) >= 0 }

// At returns the sum score with index i.
func (c *Class) At(i int) Score {
	r := c.runs[sort.Search(len(c.runs), func(at int) bool { return c.runs[at].first > i })-1]
	return Score{r.group, r.points, r.least + i - r.first}
}

// All yields every sum score of the class, in the order of their indices.
func (c *Class) All() iter.Seq[Score] {
	return func(yield func(Score) bool) {
		for _, r := range c.runs {
			for i := range r.count {
				if !yield(Score{r.group, r.points, r.least + i}) {
					return
				}
			}
		}
	}
}

// PredictPartial predicts the label of a record x of which only some attributes are known:
// attribute j is known if known[j] is true. The result ok is false if the label depends on the
// unknown attributes.
func (c *Class) PredictPartial(h Score, x []uint16, known []bool) (label, ok bool) {
	least, most := 0, 0
	for _, j := range c.groups[h.Group].Attributes {
		if known[j] {
			least, most = least+h.Points[x[j]], most+h.Points[x[j]]
		} else {
			least, most = least+slices.Min(h.Points), most+slices.Max(h.Points)
		}
	}
	label = least >= h.Threshold
	return label, label == (most >= h.Threshold)
}

// Predict reports whether the sum of the record's points reaches the threshold of score h.
func (c *Class) Predict(h Score, x []uint16) bool {
	sum := 0
	for _, j := range c.groups[h.Group].Attributes {
		sum += h.Points[x[j]]
	}
	return sum >= h.Threshold
}

// Penalty returns 0, since sum scores have no penalties.
func (c *Class) Penalty(Score) int64 { return 0 }

// Separator returns the number of separator bits of a score, which are the binary digits of its
// index in the order of All.
func (c *Class) Separator() int { return class.NumberBits(c.size) }

// Separate returns the separator bits of score h, the lowest first.
func (c *Class) Separate(h Score) []bool { return class.Number(c.number(h), c.Separator()) }

// Tree returns a search tree over the table of the costs of all sum scores.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[Score], error) { return c.table.Tree(p) }

// Checker returns a checker of the tree that Tree returns. It computes the cost of every score on
// every point.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	return c.table.Checker(p, plan)
}

// Sum returns the partition function of all scores, which it computes from the table of all costs.
func (c *Class) Sum(ctx context.Context, p class.Problem[[]uint16], decay func(k int64) class.Upper) (class.Mass[Score], error) {
	return c.table.Sum(ctx, p, decay)
}

var (
	_ class.Tabular[[]uint16, Score]    = (*Class)(nil)
	_ class.Enumerable[[]uint16, Score] = (*Class)(nil)
	_ class.Partial[Score]              = (*Class)(nil)
	_ class.Summed[[]uint16, Score]     = (*Class)(nil)
)
