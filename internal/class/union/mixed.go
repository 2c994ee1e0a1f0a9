package union

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A MixedMember is a member of a mixed union. Exactly one of Searched and Tractable is set.
type MixedMember[X, H any] struct {
	Searched  class.Class[X, H]
	Summed    class.Summed[X, H]    // if not nil, Searched is not searched, but sampled by this partition function
	Tractable class.Tractable[X, H] // with two outcomes
	// Penalty is a data-independent cost of every hypothesis of the member, at least 0.
	Penalty int64
}

// Mixed is a disjoint union of members that are searched, summed or tractable. It implements class.Mixed. A
// hypothesis of a searched or summed member has the weight 1, and a hypothesis of a tractable member has its
// prior as its weight. So all hypotheses of a tractable member together have the same weight as one
// hypothesis of another member.
type Mixed[X, H any] struct{ members []MixedMember[X, H] }

// NewMixed returns the union of the given members. At least one member must not be
// tractable.
func NewMixed[X, H any](members ...MixedMember[X, H]) (*Mixed[X, H], error) {
	searched := false
	for i, m := range members {
		if (m.Searched == nil) == (m.Tractable == nil) {
			return nil, fmt.Errorf("union: member %d must set exactly one of the fields Searched and Tractable", i+1)
		}
		if m.Penalty < 0 || m.Penalty > mostPenalty {
			return nil, fmt.Errorf("union: the penalty of member %d is %d, but must be 0 to %d", i+1, m.Penalty, int64(mostPenalty))
		}
		if m.Tractable != nil && m.Tractable.Outcomes() != 2 {
			return nil, fmt.Errorf("union: member %d has %d outcomes, but must have 2", i+1, m.Tractable.Outcomes())
		}
		searched = searched || m.Searched != nil
	}
	if !searched {
		return nil, errors.New("union: a union cannot consist of trees only; add a class of another kind")
	}
	return &Mixed[X, H]{slices.Clone(members)}, nil
}

// A describedClass has the methods that searched and tractable classes have in common.
type describedClass interface {
	String() string
	Size() *big.Int
	Layout(records int64) class.Layout
}

func (m MixedMember[X, H]) class() describedClass {
	if m.Tractable != nil {
		return m.Tractable
	}
	return m.Searched
}

// String returns a text that describes the union and its members.
func (u *Mixed[X, H]) String() string {
	text := fmt.Sprintf("union of %d classes", len(u.members))
	for i, m := range u.members {
		text += fmt.Sprintf("; %d: %v", i, m.class())
		if m.Penalty > 0 {
			text += fmt.Sprintf(", penalty %d", m.Penalty)
		}
	}
	return text
}

// Size returns the total number of hypotheses of all members.
func (u *Mixed[X, H]) Size() *big.Int {
	size := new(big.Int)
	for _, m := range u.members {
		size.Add(size, m.class().Size())
	}
	return size
}

// Contains reports whether h.Hypothesis belongs to member h.Member.
func (u *Mixed[X, H]) Contains(h Choice[H]) bool {
	if h.Member < 0 || h.Member >= len(u.members) {
		return false
	}
	if m := u.members[h.Member]; m.Tractable != nil {
		return m.Tractable.Contains(h.Hypothesis)
	}
	return u.members[h.Member].Searched.Contains(h.Hypothesis)
}

// Predict returns the prediction of h.Hypothesis for the record x.
func (u *Mixed[X, H]) Predict(h Choice[H], x X) bool {
	if m := u.members[h.Member]; m.Tractable != nil {
		return m.Tractable.Predict(h.Hypothesis, x) == 1
	}
	return u.members[h.Member].Searched.Predict(h.Hypothesis, x)
}

// Layout bounds the memory of the trees and masses of all members together.
func (u *Mixed[X, H]) Layout(records int64) class.Layout {
	all := class.Layout{}
	for _, m := range u.members {
		all = all.And(m.class().Layout(records))
	}
	return all
}

// Work estimates the time to compute the partition functions of all summed and tractable members
// (see class.Mixed).
func (u *Mixed[X, H]) Work(records int64) int64 {
	work := int64(0)
	for _, m := range u.members {
		switch {
		case m.Summed != nil:
			work = class.Sum(work, m.Summed.SumWork(records))
		case m.Tractable != nil:
			work = class.Sum(work, m.Tractable.Work(records))
		}
	}
	return work
}

// Parts returns a description of each member of the union, in order.
func (u *Mixed[X, H]) Parts() []class.Part {
	var parts []class.Part
	for _, m := range u.members {
		one := big.NewRat(1, 1)
		p := class.Part{Weight: one, Least: one, Penalty: m.Penalty}
		if m.Tractable != nil {
			p.Least = m.Tractable.LeastPrior()
		} else {
			p.Weight = new(big.Rat).SetInt(m.Searched.Size())
			p.Spread = mostCost
			if free, err := m.Searched.Tree(class.Problem[X]{}); err == nil {
				p.Spread = free.Ceiling()
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// Tree builds the search trees and partition functions of all members of the union.
func (u *Mixed[X, H]) Tree(ctx context.Context, p class.Problem[X], decay func(k int64) class.Upper) (class.Tree[Choice[H]], error) {
	bound, ok := p.Range()
	if !ok {
		return nil, class.ErrRange
	}
	t := &tree[H]{leaves: new(big.Int), bound: math.MaxInt64, ceiling: math.MinInt64}
	for _, m := range u.members {
		if m.Searched != nil && m.Summed == nil {
			t.leaves.Add(t.leaves, m.Searched.Size())
		}
	}
	for _, m := range u.members {
		extra, ok := penaltyCost(m.Penalty, p.PenaltyUnit(), bound)
		if !ok {
			return nil, class.ErrRange
		}
		inner, err := m.tree(ctx, p, decay)
		if err == nil {
			err = t.add(inner, extra)
		}
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (m MixedMember[X, H]) tree(ctx context.Context, p class.Problem[X], decay func(k int64) class.Upper) (class.Tree[H], error) {
	var mass class.Mass[H]
	var err error
	switch {
	case m.Summed != nil:
		mass, err = m.Summed.Sum(ctx, p, decay)
	case m.Tractable != nil:
		mass, err = m.Tractable.Mass(ctx, class.Charge(p.Points), decay)
	default:
		return m.Searched.Tree(p)
	}
	if err != nil {
		return nil, err
	}
	return class.Final(mass), nil
}
