package union

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker walks the members' checkers side by side below one root.
type checker struct {
	members []class.Checker
	extra   []int64 // of each member: the cost of all its hypotheses beyond what its checker says
	depth   int
	member  int // below the root
}

// Checker refuses a plan that is not, member by member, the length of a plan
// and a plan that the member's checker takes.
func (u union[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	if p.Terms != nil && len(p.Terms) != u.Separator() {
		return nil, fmt.Errorf("union: the problem has %d terms, the union %d bits", len(p.Terms), u.Separator())
	}
	k := &checker{}
	for i, m := range u.members {
		if len(plan) == 0 || plan[0] < 0 || plan[0] > len(plan)-1 {
			return nil, fmt.Errorf("union: the plan ends before that of member %d", i+1)
		}
		own, err := u.part(i, p)
		if err != nil {
			return nil, err
		}
		inner, err := m.Class.Checker(own.p, plan[1:1+plan[0]])
		if err != nil {
			return nil, fmt.Errorf("union: member %d: %w", i+1, err)
		}
		plan = plan[1+plan[0]:]
		k.members, k.extra = append(k.members, inner), append(k.extra, own.extra)
	}
	if len(plan) > 0 {
		return nil, fmt.Errorf("union: the plan goes on for %d entries behind the last member's", len(plan))
	}
	return k, nil
}

func (k *checker) Children() int {
	if k.depth == 0 {
		return len(k.members)
	}
	return k.members[k.member].Children()
}

func (k *checker) Down(i int) {
	if k.depth == 0 {
		k.member = i
	} else {
		k.members[k.member].Down(i)
	}
	k.depth++
}

func (k *checker) Up() {
	k.depth--
	if k.depth > 0 {
		k.members[k.member].Up()
	}
}

// Bound returns the member's bound and what its hypotheses cost beyond it, at
// the root the least of these.
func (k *checker) Bound() int64 {
	if k.depth > 0 {
		return k.members[k.member].Bound() + k.extra[k.member]
	}
	least := int64(math.MaxInt64)
	for i, member := range k.members {
		least = min(least, member.Bound()+k.extra[i])
	}
	return least
}
