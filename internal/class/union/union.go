// Package union implements unions of classes. A mechanism that selects a hypothesis from a union
// also selects the class to which the hypothesis belongs. This choice needs no additional ε.
//
// Letters: Q_0, …, Q_{k-1} are the k members of a union; h is the minimum distance of their
// separators.
package union

import (
	"fmt"
	"iter"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
)

// A Member is a class in a union. If the classes have different types of hypotheses, convert each
// of them by class.Erase, so that H = any.
type Member[X, H any] struct {
	Class class.Class[X, H]
	// Penalty is a data-independent cost, at least 0, that is added to the penalty of every
	// hypothesis of the member.
	Penalty int64
}

// A Choice is a hypothesis of a union: the index of a member and a hypothesis of this member.
type Choice[H any] struct {
	Member     int
	Hypothesis H
}

// mostPenalty is the maximum penalty of a member.
const mostPenalty = 1 << 40

// New returns the disjoint union of the members. Hypotheses of different members are distinct, even
// if their predictions are equal. The union is Partial and Coded. It is Enumerable if all its
// members are.
func New[X, H any](members ...Member[X, H]) (class.Class[X, Choice[H]], error) {
	if len(members) == 0 {
		return nil, fmt.Errorf("union: at least one member is required")
	}
	u := &union[X, H]{members: slices.Clone(members), separated: true}
	for i, m := range members {
		if m.Class == nil {
			return nil, fmt.Errorf("union: member %d has no class", i+1)
		}
		if m.Penalty < 0 || m.Penalty > mostPenalty {
			return nil, fmt.Errorf("union: the penalty of member %d is %d, but must be 0 to %d", i+1, m.Penalty, int64(mostPenalty))
		}
		n := class.SeparatorBits(m.Class)
		u.separated = u.separated && n >= 0
		u.blockBits = max(u.blockBits, n)
		if m.Class.Size().IsInt64() && m.Class.Size().Int64() == 1 {
			continue // a single hypothesis has no distance
		}
		if d := class.Distance(m.Class); u.distance == 0 || d < u.distance {
			u.distance = d
		}
	}
	u.distance = max(u.distance, 1)
	var lists []class.Enumerable[X, H]
	for _, m := range members {
		if list, ok := m.Class.(class.Enumerable[X, H]); ok {
			lists = append(lists, list)
		}
	}
	if len(lists) == len(members) {
		return &enumerable[X, H]{*u, lists}, nil
	}
	return u, nil
}

// Negated is the index, in the union that Closure returns, of the class with negated predictions.
const Negated = 1

// Closure returns Q ∪ ¬Q, the union of c as member 0 and class.Negate(c) as member Negated.
func Closure[X, H any](c class.Class[X, H]) class.Class[X, Choice[H]] {
	closed, err := New(Member[X, H]{Class: c}, Member[X, H]{Class: class.Negate(c)})
	if err != nil {
		panic(err) // cannot happen: two classes are a valid union
	}
	return closed
}

type union[X, H any] struct {
	members   []Member[X, H]
	distance  int
	blockBits int  // maximum number of separator bits of a member
	separated bool // whether all members have a separator
}

func (u *union[X, H]) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "union of %d classes", len(u.members))
	for i, m := range u.members {
		fmt.Fprintf(&b, "; %d: %v", i, m.Class)
		if m.Penalty > 0 {
			fmt.Fprintf(&b, ", penalty %d", m.Penalty)
		}
	}
	return b.String()
}

func (u *union[X, H]) Size() *big.Int {
	size := new(big.Int)
	for _, m := range u.members {
		size.Add(size, m.Class.Size())
	}
	return size
}

func (u *union[X, H]) Contains(h Choice[H]) bool {
	return h.Member >= 0 && h.Member < len(u.members) && u.members[h.Member].Class.Contains(h.Hypothesis)
}

func (u *union[X, H]) Predict(h Choice[H], x X) bool {
	return u.members[h.Member].Class.Predict(h.Hypothesis, x)
}

func (u *union[X, H]) PredictPartial(h Choice[H], x []uint16, known []bool) (label, ok bool) {
	return class.PredictPartial(u.members[h.Member].Class, h.Hypothesis, x, known)
}

func (u *union[X, H]) Penalty(h Choice[H]) int64 {
	m := &u.members[h.Member]
	return m.Penalty + m.Class.Penalty(h.Hypothesis)
}

// selector returns the number of bits that encode the index of a member. In the separator, each of
// these bits is repeated.
func (u *union[X, H]) selector() int { return bits.Len(uint(len(u.members) - 1)) }

// Separator returns the number of separator bits, or -1 if a member has no separator. First come
// the bits of the member's index, each repeated Distance times. Then comes a block for the
// separator bits of the member, with the length of the longest separator of all members.
func (u *union[X, H]) Separator() int {
	if !u.separated {
		return -1
	}
	return u.selector()*u.distance + u.blockBits
}

// Separate returns the repeated bits of the member's index, lowest first, followed by the separator
// bits of the member's hypothesis, padded with zeros.
func (u *union[X, H]) Separate(h Choice[H]) []bool {
	set := make([]bool, 0, u.Separator())
	for b := range u.selector() {
		for range u.distance {
			set = append(set, h.Member>>b&1 == 1)
		}
	}
	set = append(set, class.Separate(u.members[h.Member].Class, h.Hypothesis)...)
	return set[:u.Separator()]
}

// Distance returns a lower bound on the number of separator bits in which two hypotheses differ. It
// is the minimum distance of the members that have more than one hypothesis, or 1 if there is no
// such member.
func (u *union[X, H]) Distance() int { return u.distance }

// Layout bounds the memory of the trees of all members together.
func (u *union[X, H]) Layout(records int64) class.Layout {
	all := class.Layout{Tabulated: true}
	for _, m := range u.members {
		all = all.And(m.Class.Layout(records))
	}
	return all
}

// A memberProblem is the part of a problem that concerns one member of a union. The field p is the problem for the
// member's tree. The field extra is a cost that p does not contain, and that is the same for all hypotheses of the
// member: the cost of the member's penalty, plus the terms of the bits of its index.
type memberProblem[X any] struct {
	p     class.Problem[X]
	extra int64
}

// mostCost is the maximum absolute value of a cost of a hypothesis in a union.
const mostCost = 1 << 61

// problemOf returns the problem of member i for the problem p of the union. It fails if costs
// exceed 62 bits even without the penalties of the member's class.
func (u *union[X, H]) problemOf(i int, p class.Problem[X]) (memberProblem[X], error) {
	bound, ok := p.Range()
	if !ok {
		return memberProblem[X]{}, class.ErrRange
	}
	own := memberProblem[X]{p: p}
	if own.extra, ok = penaltyCost(u.members[i].Penalty, p.PenaltyUnit(), bound); !ok {
		return memberProblem[X]{}, class.ErrRange
	}
	if p.Terms == nil {
		return own, nil
	}
	at := u.selector() * u.distance
	for b, t := range p.Terms[:at] {
		if i>>(b/u.distance)&1 == 1 {
			own.extra += t
		}
	}
	own.p.Terms = p.Terms[at : at+class.SeparatorBits(u.members[i].Class)]
	return own, nil
}

// penaltyCost returns the cost of a penalty, penalty·unit. The result ok reports whether costs fit
// into 62 bits if this cost is added to any cost whose absolute value is at most the parameter
// bound.
func penaltyCost(penalty, unit, bound int64) (extra int64, ok bool) {
	hi, lo := bits.Mul64(uint64(penalty), uint64(unit))
	if hi != 0 || lo > uint64(mostCost-bound) {
		return 0, false
	}
	return int64(lo), true
}

type enumerable[X, H any] struct {
	union[X, H]
	lists []class.Enumerable[X, H]
}

// All yields all hypotheses of the union, member by member.
func (u *enumerable[X, H]) All() iter.Seq[Choice[H]] {
	return func(yield func(Choice[H]) bool) {
		for i, list := range u.lists {
			for h := range list.All() {
				if !yield(Choice[H]{i, h}) {
					return
				}
			}
		}
	}
}
