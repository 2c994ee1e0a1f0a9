package rule

import (
	"maps"
	"slices"
)

// A Body is a rule that predicts an outcome for each record. It is a Decision, Points, a List or a *Tree. A Body first
// assigns an integer to a record, called its grade, such as the total of a scorecard. The grade determines the
// prediction. Records with the same grade also form a group for which a risk is estimated.
type Body interface {
	// Outcome returns the index of the predicted outcome. For two outcomes, 1 is the positive one.
	Outcome(record []uint16) int
	// Grade returns the number that determines the prediction: a total, or the number of a rule or of a leaf.
	Grade(record []uint16) int
	// Predicts returns the outcome that is predicted for records with this grade.
	Predicts(grade int) int
	// Measure returns the name of the grade: "total", "rule" or "leaf". It returns "" if the grade is the predicted
	// outcome itself.
	Measure() string
}

// The names of the kinds of grades, as the method Measure returns them. A grade is the number that determines the
// prediction, such as the total of a scorecard.
const (
	Total = "total" // the sum of points
	Place = "rule"  // the number, from 1, of the first step of a list that applies to the record; 0 if no step applies
	Leaf  = "leaf"  // the number of the leaf of a tree, from 1
)

// A Decision is a Body that predicts outcome 1 if its formula holds, and outcome 0 otherwise.
type Decision struct{ Formula }

// Outcome implements Body: it returns 1 if the formula holds, and 0 otherwise.
func (d Decision) Outcome(record []uint16) int { return digit(d.Holds(record)) }

// Predicts implements Body: it returns the grade, because the grade of a Decision is its prediction.
func (Decision) Predicts(grade int) int { return grade }

// Grade implements Body: it returns the prediction, because a Decision has no finer grades.
func (d Decision) Grade(record []uint16) int { return d.Outcome(record) }

// Measure implements Body: it returns "", because the grade of a Decision is its prediction.
func (Decision) Measure() string { return "" }

// Points is a Body that adds up points. The total of a record is Start plus the points of the record's category of
// each attribute, plus Bonus if the record satisfies the formula If. Points predicts outcome 1 if the total is at
// least Threshold, and outcome 0 otherwise.
type Points struct {
	Start     int
	Of        [][]int // the points of each attribute's categories; nil for an attribute without points
	If        Formula // nil if there is no bonus
	Bonus     int
	Threshold int

	// Constant reports whether Start is a parameter of the model. If it is false, Start only compensates for points
	// that Simplify removed because all records receive them.
	Constant bool
	Double   float64 // the number of points that doubles the odds; 0 if unknown
}

// Outcome implements Body: it returns 1 if the record's total is at least the threshold, and 0 otherwise.
func (p Points) Outcome(record []uint16) int { return p.Predicts(p.Grade(record)) }

// Predicts implements Body: it returns 1 if the given total is at least the threshold, and 0 otherwise.
func (p Points) Predicts(total int) int { return digit(total >= p.Threshold) }

// Grade implements Body: it returns the total of a record.
func (p Points) Grade(record []uint16) int {
	total := p.Start
	for j, own := range p.Of {
		if own != nil {
			total += own[record[j]]
		}
	}
	if p.If != nil && p.If.Holds(record) {
		total += p.Bonus
	}
	return total
}

// Terms returns the sets of numbers from which a total is formed: a total is the sum of Start and one number of each
// set. There is a set for each attribute that has points. If there is a bonus, a further set contains 0 and Bonus.
func (p Points) Terms() (terms [][]int) {
	for _, own := range p.Of {
		if len(own) > 0 {
			terms = append(terms, own)
		}
	}
	if p.If != nil {
		terms = append(terms, []int{0, p.Bonus})
	}
	return terms
}

// Span returns a lower and an upper bound on the totals of records. If there is no bonus, some records attain these
// bounds.
func (p Points) Span() (least, most int) {
	least, most = p.Start, p.Start
	for _, term := range p.Terms() {
		least, most = least+slices.Min(term), most+slices.Max(term)
	}
	return least, most
}

// BonusDecides reports whether there is a bonus that alone determines the prediction, whatever a record's other points
// are.
func (p Points) BonusDecides() bool {
	if p.If == nil {
		return false
	}
	without := p
	without.If = nil
	least, most := without.Span()
	never, always := p.Predicts(least), p.Predicts(least+p.Bonus)
	return never != always && never == p.Predicts(most) && always == p.Predicts(most+p.Bonus)
}

// Measure implements Body: it returns "total", because the grade of a record is its total.
func (Points) Measure() string { return Total }

// A List is a decision list: an ordered list of rules, called steps. It predicts the outcome of the first step that
// applies to the record, or Otherwise if no step applies.
type List struct {
	Steps     []Step
	Otherwise int
}

// A Step is a rule of a decision list: it predicts an outcome for the records that satisfy all its conditions.
type Step struct {
	If      []Condition
	Predict int
}

// Outcome returns the outcome of the first step that applies to the record, or Otherwise if no step applies.
func (l List) Outcome(record []uint16) int { return l.Predicts(l.Grade(record)) }

// Predicts returns the outcome of the step with the given number, counted from 1. If the number is 0, it returns
// Otherwise.
func (l List) Predicts(number int) int {
	if number > 0 {
		return l.Steps[number-1].Predict
	}
	return l.Otherwise
}

// Grade implements Body: it returns the number of the first step that applies to the record, counted from 1, or 0 if
// no step applies.
func (l List) Grade(record []uint16) int {
steps:
	for i := range l.Steps {
		for k := range l.Steps[i].If {
			if !l.Steps[i].If[k].Holds(record) {
				continue steps
			}
		}
		return i + 1
	}
	return 0
}

// Measure implements Body: it returns "rule", because the grade of a record is the number of a rule.
func (List) Measure() string { return Place }

// A Tree is a decision tree. A leaf predicts an outcome. An inner node has a condition; records that satisfy it belong
// to the subtree Yes, and all other records to the subtree No.
type Tree struct {
	If      Condition
	Yes, No *Tree // both nil at a leaf
	Predict int   // for a leaf, the outcome
	Number  int   // for a leaf, its number from 1; leaves below Yes come first, as Simplify numbers them
}

// Leaf reports whether the tree consists of a single leaf.
func (t *Tree) Leaf() bool { return t.Yes == nil }

// Leaves returns the leaves of the tree in order: those below Yes precede those below No.
func (t *Tree) Leaves() []*Tree {
	if t.Leaf() {
		return []*Tree{t}
	}
	return append(t.Yes.Leaves(), t.No.Leaves()...)
}

// at returns the leaf that a record reaches.
func (t *Tree) at(record []uint16) *Tree {
	for !t.Leaf() {
		if t.If.Holds(record) {
			t = t.Yes
		} else {
			t = t.No
		}
	}
	return t
}

// Formula returns a formula that holds for a record if and only if the tree predicts 1 for it. It is a disjunction of
// conjunctions, one for each leaf that predicts 1, and each conjunction has at most one condition on each attribute.
// The parameter sizes holds the number of categories of each attribute.
func (t *Tree) Formula(sizes []int) Any {
	return t.positive(sizes, map[int]Condition{})
}

// positive implements Formula for records that satisfy all conditions in the parameter within, which maps attributes
// to conditions on them.
func (t *Tree) positive(sizes []int, within map[int]Condition) (any Any) {
	if t.Leaf() {
		if t.Predict != 1 {
			return nil
		}
		var all All
		for _, j := range slices.Sorted(maps.Keys(within)) {
			all = append(all, within[j])
		}
		return Any{all}
	}
	j := t.If.Attribute
	before, narrowed := within[j]
	if !narrowed {
		before = Condition{Attribute: j}.Complement(sizes[j])
	}
	yes, no := t.If.Divide(before.Accepts)
	within[j] = Condition{j, yes}
	any = t.Yes.positive(sizes, within)
	within[j] = Condition{j, no}
	any = append(any, t.No.positive(sizes, within)...)
	if delete(within, j); narrowed {
		within[j] = before
	}
	return any
}

// Outcome returns the prediction of the leaf that a record reaches.
func (t *Tree) Outcome(record []uint16) int { return t.at(record).Predict }

// Predicts returns the outcome that the leaf with the given number predicts.
func (t *Tree) Predicts(number int) int { return t.Leaves()[number-1].Predict }

// Grade implements Body: it returns the number of the leaf that the record reaches.
func (t *Tree) Grade(record []uint16) int { return t.at(record).Number }

// Measure implements Body: it returns "leaf", because the grade of a record is the number of a leaf.
func (*Tree) Measure() string { return Leaf }

func digit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Attributes returns the attributes on which the predictions or grades of the rule b depend, in increasing order.
func Attributes(b Body) (asked []int) {
	add := func(c Condition) { asked = append(asked, c.Attribute) }
	var walk func(t *Tree)
	walk = func(t *Tree) {
		if !t.Leaf() {
			add(t.If)
			walk(t.Yes)
			walk(t.No)
		}
	}
	switch b := b.(type) {
	case Points:
		for j, own := range b.Of {
			if len(own) > 0 && slices.Min(own) != slices.Max(own) {
				asked = append(asked, j)
			}
		}
		for _, c := range Conditions(b.If) {
			add(c)
		}
	case List:
		for _, step := range b.Steps {
			for _, c := range step.If {
				add(c)
			}
		}
	case *Tree:
		walk(b)
	case Decision:
		for _, c := range Conditions(b.Formula) {
			add(c)
		}
	}
	slices.Sort(asked)
	return slices.Compact(asked)
}
