package union

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker is a second implementation of the tree of a union. The children of the root are the
// roots of the trees of all members, each with its own checker.
type checker struct {
	members []class.Checker
	extra   []int64 // for each member, the additional cost of its hypotheses that its checker does not contain
	depth   int
	member  int // the current member, if depth > 0
}

// Checker returns the checker of the union. For each member, plan contains the length of the
// member's plan, followed by that plan. Checker fails if plan does not have this form, or if the
// checker of a member rejects the member's plan.
func (u *union[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	if err := p.CheckTerms(u.Separator()); err != nil {
		return nil, err
	}
	k := &checker{}
	for i, m := range u.members {
		if len(plan) == 0 || plan[0] < 0 || plan[0] > len(plan)-1 {
			return nil, fmt.Errorf("union: the certificate's plan ends before the plan of member %d", i+1)
		}
		own, err := u.problemOf(i, p)
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
		return nil, fmt.Errorf("union: the certificate's plan has %d extra entries after the plan of the last member", len(plan))
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

// Bound returns a lower bound on the cost of every hypothesis below the current node. At the root, it is the minimum
// over all members. In the tree of a member, it is the bound of the member's checker plus the additional cost of the
// member, extra.
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
