package audittest

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// CardMechanism is a mechanism that releases a scorecard.
type CardMechanism = privacy.Mechanism[Examples, scorecard.Card]

// A Corner is a small class of scorecards with points 0 or 1. Its test tables consist of records
// from the list Kinds. The search tree of each problem is built once and then reused.
type Corner struct {
	*scorecard.Class
	laid       searchtest.CachedTrees[scorecard.Card]
	categories []int // the number of categories of each attribute
	Kinds      Examples
}

// NewCorner returns the class of all scorecards with points 0 or 1 and threshold 1, over attributes with the given
// numbers of categories. A card has the given penalty for each attribute that it uses.
func NewCorner(t testing.TB, categories []int, penalty int64, kinds Examples) Corner {
	t.Helper()
	c, err := scorecard.New(scorecard.Uniform(categories, 0, 1), scorecard.Options{Threshold: 1, Penalty: penalty})
	if err != nil {
		t.Fatal(err)
	}
	return Corner{c, searchtest.CacheTrees[scorecard.Card](c), categories, kinds}
}

// Tree returns the search tree of the class for the problem p, which is built at the first call.
func (c Corner) Tree(p class.Problem[[]uint16]) (class.Tree[scorecard.Card], error) {
	return c.laid.Tree(p)
}

// Square returns a class of 16 cards over two binary attributes. A card has a penalty of 1 for each attribute that it
// uses.
func Square(t testing.TB) Corner {
	return NewCorner(t, []int{2, 2}, 1, Examples{
		{X: []uint16{0, 0}, Label: true}, {X: []uint16{0, 1}}, {X: []uint16{1, 1}, Label: true}, {X: []uint16{1, 1}}})
}

// Line returns a class of 4 cards over one binary attribute, with all four records that are possible.
func Line(t testing.TB) Corner {
	return NewCorner(t, []int{2}, 0, Examples{
		{X: []uint16{0}}, {X: []uint16{0}, Label: true}, {X: []uint16{1}}, {X: []uint16{1}, Label: true}})
}

// Disjunction returns a class of 4 cards over two constant attributes. A card predicts 1 unless both of its points
// are 0. So three cards predict the same, and a record changes their costs relative to the cost of the fourth card.
func Disjunction(t testing.TB) Corner {
	return NewCorner(t, []int{1, 1}, 0, Examples{{X: []uint16{0, 0}}, {X: []uint16{0, 0}, Label: true}})
}

// Table returns the examples of the table that has counts[i] records equal to Kinds[i].
func (c Corner) Table(counts []int64) (d Examples) {
	for i, n := range counts {
		if n > 0 {
			e := c.Kinds[i]
			e.Count = n
			d = append(d, e)
		}
	}
	return d
}

// World returns the world of all tables with records of the corner's kinds (see audit.WorldOf). The parameter most is
// the maximum number of records.
func (c Corner) World(r privacy.Relation, most int) audit.World[Examples] {
	return audit.WorldOf(r, len(c.Kinds), most, c.Table)
}

// Cards lists all cards of the class, without the class's search tree, so that tests can compare
// the two.
func (c Corner) Cards() []scorecard.Card {
	all := []scorecard.Card{{}}
	for j, n := range c.categories {
		var longer []scorecard.Card
		for _, h := range all {
			for bits := range 1 << n {
				v := make([]int, n)
				for i := range v {
					v[i] = bits >> i & 1
				}
				longer = append(longer, scorecard.Card{Points: append(h.Points[:j:j], v)})
			}
		}
		all = longer
	}
	return all
}

// CardName returns a text that identifies a card by its points.
func CardName(h scorecard.Card) string { return fmt.Sprint(h.Points) }

// Check checks the mechanism m exactly on the tables of a world, and fails the test unless the
// result agrees with the verdict want.
func Check(t *testing.T, want audit.Verdict, m CardMechanism, w audit.World[Examples], o audit.Options) {
	t.Helper()
	r, err := audit.CheckMechanism(m, CardName, w, o)
	if err != nil {
		t.Fatal(err)
	}
	audit.Judge(t, want, r, o)
}
