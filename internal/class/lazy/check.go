package lazy

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A Checked describes the union for one problem, as far as a checker of the union needs it.
type Checked struct {
	// Parts is the number of parts of the union.
	Parts int
	// Bound returns a lower bound on the costs of part i. It must be at least Part.Bound, and be
	// computed independently of it.
	Bound func(i int) int64
	// Extra returns the cost of every hypothesis of part i minus its cost in the checker of the
	// part.
	Extra func(i int) int64
	// Checker returns a new checker of part i, given the plan of the part's tree, or an error if
	// this plan is invalid.
	Checker func(i int, plan []int) (class.Checker, error)
}

// NewChecker returns the checker of the union. For each part of the union, plan contains the length
// of the plan of the part's tree, followed by this plan. NewChecker fails if plan does not have
// this form, or if the checker of a part rejects its plan.
//
// The result stores the checker of only one part at a time, and creates it again whenever it enters
// the part. To verify the plans, NewChecker creates the checker of each part once and discards it.
func NewChecker(parts Checked, plan []int) (class.Checker, error) {
	k := &checker{Checked: parts, plans: make([][]int, parts.Parts), bounds: make([]*int64, parts.Parts)}
	for i := range k.plans {
		if len(plan) == 0 || plan[0] < 0 || plan[0] > len(plan)-1 {
			return nil, fmt.Errorf("lazy: the certificate's plan ends before the plan of part %d", i+1)
		}
		k.plans[i], plan = plan[1:1+plan[0]], plan[1+plan[0]:]
		if _, err := parts.Checker(i, k.plans[i]); err != nil {
			return nil, fmt.Errorf("lazy: part %d: %w", i+1, err)
		}
	}
	if len(plan) > 0 {
		return nil, fmt.Errorf("lazy: the certificate's plan has %d extra entries after the plan of the last part", len(plan))
	}
	return k, nil
}

type checker struct {
	Checked
	plans   [][]int
	bounds  []*int64 // [part]: its bound; nil if not computed
	depth   int
	current int           // the current part, if depth > 0
	inner   class.Checker // the checker of that part
}

func (k *checker) Children() int {
	switch k.depth {
	case 0:
		return k.Parts
	case 1:
		return 1
	}
	return k.inner.Children()
}

func (k *checker) Down(i int) {
	switch k.depth {
	case 0:
		k.current = i
		k.inner, _ = k.Checker(i, k.plans[i]) // NewChecker checked this plan
	case 1:
	default:
		k.inner.Down(i)
	}
	k.depth++
}

func (k *checker) Up() {
	k.depth--
	if k.depth > 1 {
		k.inner.Up()
	}
}

// Bound returns a lower bound on the cost of every hypothesis below the current node. A node for a part has the bound
// of the part. The root has the minimum of these bounds. A node in the tree of a part has the greater of two bounds:
// the bound of the part, and the bound of the part's checker plus the cost Extra of the part.
func (k *checker) Bound() int64 {
	switch k.depth {
	case 0:
		least := int64(math.MaxInt64)
		for i := range k.Parts {
			least = min(least, k.part(i))
		}
		return least
	case 1:
		return k.part(k.current)
	}
	return max(k.part(k.current), k.inner.Bound()+k.Extra(k.current))
}

// part returns the lower bound on the costs of part i of the union.
func (k *checker) part(i int) int64 {
	if k.bounds[i] == nil {
		bound := k.Checked.Bound(i)
		k.bounds[i] = &bound
	}
	return *k.bounds[i]
}
