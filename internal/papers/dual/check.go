package dual

import (
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker verifies the bounds of a search through the tree. It follows the search and computes the bound of each
// node from all points, by the definition in the comment of Bound, without using the tree's data.
type checker[H any] struct {
	class *Class[H]
	p     class.Problem[H]
	order []int
	depth int
	x     []uint16
	known []bool
	// labels holds the labels of all points at each depth. A label that is known at one depth is
	// known at all greater depths, even if the primal class does not predict it there.
	labels [][]knowledge
}

// knowledge is what the decided attributes of a record determine about the prediction of a primal hypothesis: the
// label, or nothing if known is false.
type knowledge struct{ label, known bool }

// Checker returns an independent checker for a tree of the problem p that decides the attributes in the given order
// (plan). It returns an error unless plan lists every attribute exactly once.
func (c *Class[H]) Checker(p class.Problem[H], plan []int) (class.Checker, error) {
	if _, ok := p.Range(); !ok {
		return nil, class.ErrRange
	}
	if err := p.CheckTerms(c.Separator()); err != nil {
		return nil, err
	}
	d := len(c.sizes)
	if len(plan) != d {
		return nil, fmt.Errorf("dual: the certificate's plan lists %d attributes, but must list all %d attributes of the domain", len(plan), d)
	}
	for at, j := range plan {
		if j < 0 || j >= d {
			return nil, fmt.Errorf("dual: the certificate's plan lists attribute %d, but attributes are numbered 0..%d", j, d-1)
		}
		if slices.Contains(plan[:at], j) {
			return nil, fmt.Errorf("dual: the certificate's plan lists attribute %d twice", j)
		}
	}
	k := &checker[H]{class: c, p: p, order: slices.Clone(plan), x: make([]uint16, d), known: make([]bool, d)}
	k.labels = [][]knowledge{make([]knowledge, len(p.Points))}
	k.predict(k.labels[0])
	return k, nil
}

// predict updates labels: it sets each unknown label that the decided attributes already determine.
func (k *checker[H]) predict(labels []knowledge) {
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
	k.predict(labels)
	k.labels = append(k.labels[:k.depth], labels)
}

func (k *checker[H]) Up() {
	k.depth--
	j := k.order[k.depth]
	k.x[j], k.known[j] = 0, false
}

// Bound returns a lower bound on the cost of all records below the current node of the search tree. It is the sum of
// the following costs:
//
//   - for each point with a known label, the cost of this label
//   - for each point with an unknown label, the smaller of its two costs
//   - for each decided attribute, the cost of its category
//   - for each other attribute, the least cost of a category
//
// The cost of a category is the sum of the problem's terms for those of its binary digits that are 1.
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
