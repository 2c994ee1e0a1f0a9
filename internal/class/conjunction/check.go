package conjunction

import (
	"encoding/binary"
	"fmt"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A checker recomputes, from the problem's points, the bounds of the search tree that a plan
// describes. It shares the definition of the class with the walker, and no other code. Each node
// holds the points that are live there (see the package comment). Points are merged if no test on
// the undecided attributes distinguishes them.
//
// A plan only says in which order the attributes are decided. So the children of a node partition
// its hypotheses whatever the plan is.
type checker struct {
	class          *Class
	plan           []int
	livePrediction int        // the prediction for records that are live at a leaf
	terms          [][]int64  // terms[j] holds the terms of attribute j
	representative [][]uint16 // for each category of each attribute, the first category that no test distinguishes from it
	unit           int64
	nodes          []checkNode // the path from the root
}

// A checkNode is the state of a checker at one node of its path from the root of the search tree.
type checkNode struct {
	dead     int64 // the total cost of the points that are not live
	decided  int64 // the terms and penalties of the chosen options
	literals int
	live     []class.Point[[]uint16] // merged if no test on the undecided attributes distinguishes them
}

// Checker returns a checker, which verifies the bounds of the tree that decides attribute plan[k]
// at level k. It fails unless the plan contains every attribute exactly once. The methods Down and
// Bound of the checker take time proportional to the number of live points.
func (c *Class) Checker(p class.Problem[[]uint16], plan []int) (class.Checker, error) {
	if !c.inRange(p) {
		return nil, class.ErrRange
	}
	if err := p.CheckTerms(c.Separator()); err != nil {
		return nil, err
	}
	if len(plan) != len(c.attributes) {
		return nil, fmt.Errorf("conjunction: the certificate's plan has %d attributes, but the class has %d", len(plan), len(c.attributes))
	}
	named := make([]bool, len(plan))
	for _, j := range plan {
		if j < 0 || j >= len(named) || named[j] {
			return nil, fmt.Errorf("conjunction: the certificate's plan must name every attribute exactly once")
		}
		named[j] = true
	}
	k := &checker{class: c, plan: plan, unit: p.PenaltyUnit(), livePrediction: 1}
	if c.options.Disjunction {
		k.livePrediction = 0
	}
	for _, pt := range p.Points {
		if err := c.validateRecord(pt.X); err != nil {
			return nil, err
		}
	}
	k.terms = make([][]int64, len(c.codes))
	if p.Terms != nil {
		at := 0
		for j, code := range c.codes {
			k.terms[j] = p.Terms[at : at+code.len()]
			at += code.len()
		}
	}
	for _, a := range c.attributes {
		k.representative = append(k.representative, representatives(a))
	}
	k.nodes = []checkNode{{live: k.merge(p.Points, plan)}}
	return k, nil
}

// representatives returns, for each category, the first category that no test distinguishes from
// it.
func representatives(a literal.Attribute) []uint16 {
	tests := make([]string, a.Categories())
	for t, test := range accepted(a) {
		for _, c := range test {
			tests[c] += fmt.Sprint(t, " ")
		}
	}
	first := map[string]uint16{}
	out := make([]uint16, a.Categories())
	for c := range out {
		if _, ok := first[tests[c]]; !ok {
			first[tests[c]] = uint16(c)
		}
		out[c] = first[tests[c]]
	}
	return out
}

// validateRecord returns an error if record x has a wrong length or a category that is out of
// range.
func (c *Class) validateRecord(x []uint16) error {
	if len(x) != len(c.attributes) {
		return fmt.Errorf("conjunction: a record has %d attributes, but the class has %d", len(x), len(c.attributes))
	}
	for j, cat := range x {
		if int(cat) >= c.attributes[j].Categories() {
			return fmt.Errorf("conjunction: attribute %d of a record has category %d, outside 0..%d", j+1, cat, c.attributes[j].Categories()-1)
		}
	}
	return nil
}

func (k *checker) node() *checkNode { return &k.nodes[len(k.nodes)-1] }

// decided returns the number of attributes that are decided at the current node of the search tree.
func (k *checker) decided() int { return len(k.nodes) - 1 }

// Children returns the number of children of the current node of the search tree.
func (k *checker) Children() int {
	if k.decided() == len(k.plan) || k.node().literals == k.class.most() {
		return 0
	}
	return 1 + k.class.attributes[k.plan[k.decided()]].Tests()
}

// Up moves to the parent of the current node of the search tree.
func (k *checker) Up() { k.nodes = k.nodes[:len(k.nodes)-1] }

// Down moves to child i of the current node of the search tree.
func (k *checker) Down(i int) {
	n, j := *k.node(), k.plan[k.decided()]
	n.decided += k.charge(j, i)
	live := n.live
	if i > 0 {
		n.literals++
		live = nil
		for _, pt := range n.live {
			if k.class.attributes[j].Accepts(i-1, pt.X[j]) != k.class.options.Disjunction {
				live = append(live, pt)
			} else {
				n.dead += pt.Cost[1-k.livePrediction]
			}
		}
	}
	n.live = k.merge(live, k.plan[k.decided()+1:])
	k.nodes = append(k.nodes, n)
}

// merge merges points into one point, with added costs, if no test on the undecided attributes
// distinguishes them.
func (k *checker) merge(points []class.Point[[]uint16], undecided []int) []class.Point[[]uint16] {
	at := map[string]int{}
	var merged []class.Point[[]uint16]
	var key []byte
	for _, pt := range points {
		key = key[:0]
		for _, j := range undecided {
			key = binary.BigEndian.AppendUint16(key, k.representative[j][pt.X[j]])
		}
		i, known := at[string(key)]
		if !known {
			at[string(key)] = len(merged)
			merged = append(merged, pt)
			continue
		}
		merged[i].Cost[0] += pt.Cost[0]
		merged[i].Cost[1] += pt.Cost[1]
	}
	return merged
}

// charge returns the cost of option o of attribute j that does not depend on the points: the terms
// and the penalty of the option.
func (k *checker) charge(j, o int) int64 {
	cost := int64(0)
	if o > 0 {
		cost = k.class.options.Penalty * k.unit
	}
	if k.terms[j] == nil {
		return cost
	}
	for i, set := range k.class.codes[j].appendWord(nil, o) {
		if set {
			cost += k.terms[j][i]
		}
	}
	return cost
}

// Bound returns a lower bound on the cost of every formula below the node. It adds the cost already
// decided, the least terms and penalties of each undecided attribute, and the cost of the cheaper
// prediction for each merged live point. At a single formula it is the exact cost.
func (k *checker) Bound() int64 {
	n, rest := k.node(), k.plan[k.decided():]
	cost := n.dead + n.decided
	if k.Children() == 0 {
		for _, j := range rest {
			cost += k.charge(j, 0)
		}
		for _, pt := range n.live {
			cost += pt.Cost[k.livePrediction]
		}
		return cost
	}
	for _, j := range rest {
		least := k.charge(j, 0)
		for t := range k.class.attributes[j].Tests() {
			least = min(least, k.charge(j, 1+t))
		}
		cost += least
	}
	for _, pt := range n.live {
		cost += min(pt.Cost[0], pt.Cost[1])
	}
	return cost
}
