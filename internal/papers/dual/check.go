package dual

import (
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker walks the tree of a plan. At every node it asks every point afresh
// and adds up what all points cost by their definition.
type checker[H any] struct {
	class *Class[H]
	p     class.Problem[H]
	order []int
	depth int
	x     []uint16
	known []bool
	// labels are those of the points at each depth. What was known once stays
	// known, even if the primal would not say so again.
	labels [][]knowledge
}

// knowledge is what is known of a label.
type knowledge struct{ label, known bool }

// Checker refuses a plan that does not name every attribute once.
func (c *Class[H]) Checker(p class.Problem[H], plan []int) (class.Checker, error) {
	if _, ok := p.Range(); !ok {
		return nil, class.ErrRange
	}
	if p.Terms != nil && len(p.Terms) != c.Separator() {
		return nil, fmt.Errorf("dual: the problem has %d terms, the class %d bits", len(p.Terms), c.Separator())
	}
	d := len(c.sizes)
	if len(plan) != d {
		return nil, fmt.Errorf("dual: the plan names %d attributes of %d", len(plan), d)
	}
	for at, j := range plan {
		if j < 0 || j >= d {
			return nil, fmt.Errorf("dual: the plan names attribute %d of %d", j, d)
		}
		if slices.Contains(plan[:at], j) {
			return nil, fmt.Errorf("dual: the plan names attribute %d twice", j)
		}
	}
	k := &checker[H]{class: c, p: p, order: slices.Clone(plan), x: make([]uint16, d), known: make([]bool, d)}
	k.labels = [][]knowledge{make([]knowledge, len(p.Points))}
	k.ask(k.labels[0])
	return k, nil
}

// ask finds out the labels that are not known yet.
func (k *checker[H]) ask(labels []knowledge) {
	for i, pt := range k.p.Points {
		switch {
		case labels[i].known:
		case k.depth == len(k.order):
			labels[i] = knowledge{k.class.Predict(k.x, pt.X), true}
		default:
			labels[i].label, labels[i].known = class.PredictPartial(k.class.primal, pt.X, k.x, k.known)
		}
	}
}

func (k *checker[H]) Children() int {
	if k.depth == len(k.order) {
		return 0
	}
	return k.class.sizes[k.order[k.depth]]
}

func (k *checker[H]) Down(i int) {
	j := k.order[k.depth]
	k.x[j], k.known[j] = uint16(i), true
	labels := slices.Clone(k.labels[k.depth])
	k.depth++
	k.ask(labels)
	k.labels = append(k.labels[:k.depth], labels)
}

func (k *checker[H]) Up() {
	k.depth--
	j := k.order[k.depth]
	k.x[j], k.known[j] = 0, false
}

// Bound adds up the costs of known labels, the lesser cost where a label is
// not known, the terms on known digits, and the least that those on the digits
// of an unknown category come to.
func (k *checker[H]) Bound() int64 {
	bound := int64(0)
	for i, pt := range k.p.Points {
		switch at := k.labels[k.depth][i]; {
		case at.known && at.label:
			bound += pt.Cost[1]
		case at.known:
			bound += pt.Cost[0]
		default:
			bound += min(pt.Cost[0], pt.Cost[1])
		}
	}
	terms := k.p.Terms
	for j, n := range k.class.sizes {
		if terms == nil {
			break
		}
		digits := k.class.digits(j)
		least := int64(math.MaxInt64)
		for category := range n {
			if k.known[j] && category != int(k.x[j]) {
				continue
			}
			cost := int64(0)
			for b, t := range terms[:digits] {
				cost += t * int64(category>>b&1)
			}
			least = min(least, cost)
		}
		bound += least
		terms = terms[digits:]
	}
	return bound
}
