package lazy

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// Checked are the parts of a union over one problem, as a checker sees them.
type Checked struct {
	// Parts is how many there are.
	Parts int
	// Bound returns a lower bound on the costs of part i, at least as high as that of its
	// Part, by other means.
	Bound func(i int) int64
	// Extra returns what each hypothesis of part i costs beyond what its checker says.
	Extra func(i int) int64
	// Checker returns the checker of part i by the plan of its tree, or an error where that
	// is none, each time.
	Checker func(i int, plan []int) (class.Checker, error)
}

// NewChecker returns the checker of the union. It refuses a plan that is not, part by part, the
// length of a plan and a plan that the part's checker takes. It makes each part's checker once to
// see that, and again when it is entered, and keeps one.
func NewChecker(parts Checked, plan []int) (class.Checker, error) {
	k := &checker{Checked: parts, plans: make([][]int, parts.Parts), bounds: make([]*int64, parts.Parts)}
	for i := range k.plans {
		if len(plan) == 0 || plan[0] < 0 || plan[0] > len(plan)-1 {
			return nil, fmt.Errorf("lazy: the plan ends before that of part %d", i+1)
		}
		k.plans[i], plan = plan[1:1+plan[0]], plan[1+plan[0]:]
		if _, err := parts.Checker(i, k.plans[i]); err != nil {
			return nil, fmt.Errorf("lazy: part %d: %w", i+1, err)
		}
	}
	if len(plan) > 0 {
		return nil, fmt.Errorf("lazy: the plan goes on for %d entries behind the last part's", len(plan))
	}
	return k, nil
}

type checker struct {
	Checked
	plans  [][]int
	bounds []*int64 // of the parts, once worked out
	depth  int
	at     int           // below the root: the part
	inner  class.Checker // of that part
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
		k.at = i
		k.inner, _ = k.Checker(i, k.plans[i]) // it took the plan before
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

// Bound returns the greater of the part's bound and that of its checker, at the root the least
// bound of a part.
func (k *checker) Bound() int64 {
	switch k.depth {
	case 0:
		least := int64(math.MaxInt64)
		for i := range k.Parts {
			least = min(least, k.part(i))
		}
		return least
	case 1:
		return k.part(k.at)
	}
	return max(k.part(k.at), k.inner.Bound()+k.Extra(k.at))
}

// part returns the bound of part i.
func (k *checker) part(i int) int64 {
	if k.bounds[i] == nil {
		bound := k.Checked.Bound(i)
		k.bounds[i] = &bound
	}
	return *k.bounds[i]
}
