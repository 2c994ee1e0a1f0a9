// Package union joins classes into one, so that a mechanism that picks a
// hypothesis picks the class along with it, within one ε.
//
// Letters: k members Q_0..Q_{k-1}; h the least distance of their separators.
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

// A Member is a class of a union. Classes of different hypotheses are members
// of one union by class.Erase, with H = any.
type Member[X, H any] struct {
	Class class.Class[X, H]
	// Penalty is a data-independent cost added to that of every hypothesis of
	// the member, in units of the class's own penalties; at least 0.
	Penalty int64
}

// A Choice is a hypothesis of a union: that of one member, by its number.
type Choice[H any] struct {
	Member     int
	Hypothesis H
}

// mostPenalty is the greatest penalty of a member.
const mostPenalty = 1 << 40

// New returns the disjoint union of the members: hypotheses of different
// members are different, even where they predict alike. The union is
// Enumerable if all its members are, Partial and Coded as they are.
func New[X, H any](members ...Member[X, H]) (class.Class[X, Choice[H]], error) {
	if len(members) == 0 {
		return nil, fmt.Errorf("union: a union needs at least one member")
	}
	u := union[X, H]{members: slices.Clone(members), separated: true}
	for i, m := range members {
		if m.Class == nil {
			return nil, fmt.Errorf("union: member %d has no class", i+1)
		}
		if m.Penalty < 0 || m.Penalty > mostPenalty {
			return nil, fmt.Errorf("union: a penalty of %d for member %d is outside 0..%d", m.Penalty, i+1, int64(mostPenalty))
		}
		n := class.SeparatorBits(m.Class)
		u.separated = u.separated && n >= 0
		u.shared = max(u.shared, n)
		if m.Class.Size().IsInt64() && m.Class.Size().Int64() == 1 {
			continue // nothing to tell apart
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
		return enumerable[X, H]{u, lists}, nil
	}
	return u, nil
}

// Negated is the member of a Closure whose predictions are flipped.
const Negated = 1

// Closure returns Q ∪ ¬Q: the union of c, as member 0, and class.Negate(c), as
// member Negated.
func Closure[X, H any](c class.Class[X, H]) class.Class[X, Choice[H]] {
	closed, err := New(Member[X, H]{Class: c}, Member[X, H]{Class: class.Negate(c)})
	if err != nil {
		panic(err) // two classes are a union
	}
	return closed
}

type union[X, H any] struct {
	members   []Member[X, H]
	distance  int
	shared    int  // separator bits of the longest member
	separated bool // all members have a separator
}

func (u union[X, H]) String() string {
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

func (u union[X, H]) Size() *big.Int {
	size := new(big.Int)
	for _, m := range u.members {
		size.Add(size, m.Class.Size())
	}
	return size
}

func (u union[X, H]) Contains(h Choice[H]) bool {
	return h.Member >= 0 && h.Member < len(u.members) && u.members[h.Member].Class.Contains(h.Hypothesis)
}

func (u union[X, H]) Predict(h Choice[H], x X) bool {
	return u.members[h.Member].Class.Predict(h.Hypothesis, x)
}

func (u union[X, H]) PredictPartial(h Choice[H], x []uint16, known []bool) (label, ok bool) {
	return class.PredictPartial(u.members[h.Member].Class, h.Hypothesis, x, known)
}

func (u union[X, H]) Penalty(h Choice[H]) int64 {
	m := &u.members[h.Member]
	return m.Penalty + m.Class.Penalty(h.Hypothesis)
}

// selector returns the number of bits that say which member, before each is
// repeated.
func (u union[X, H]) selector() int { return bits.Len(uint(len(u.members) - 1)) }

// Separator returns the number of bits: those of the member's number, each
// repeated Distance times, and a block as long as the longest separator of a
// member, which all members share. It returns -1 if a member has no separator.
func (u union[X, H]) Separator() int {
	if !u.separated {
		return -1
	}
	return u.selector()*u.distance + u.shared
}

// Separate returns the bits of the member's number, the lowest first, and then
// φ in the member, filled up with 0.
func (u union[X, H]) Separate(h Choice[H]) []bool {
	set := make([]bool, 0, u.Separator())
	for b := range u.selector() {
		for range u.distance {
			set = append(set, h.Member>>b&1 == 1)
		}
	}
	set = append(set, class.Separate(u.members[h.Member].Class, h.Hypothesis)...)
	return set[:u.Separator()]
}

// Distance returns the least distance of the members that have more than one
// hypothesis, or 1.
func (u union[X, H]) Distance() int { return u.distance }

// Layout bounds what the trees of all members take together.
func (u union[X, H]) Layout(records int64) class.Layout {
	all := class.Layout{Tabulated: true}
	for _, m := range u.members {
		all = all.And(m.Class.Layout(records))
	}
	return all
}

// A part is the problem as one member sees it, and what its hypotheses cost
// beyond that: the member's penalty and the terms on its number.
type part[X any] struct {
	p     class.Problem[X]
	extra int64
}

// mostCost is the greatest absolute value of a cost.
const mostCost = 1 << 61

// part returns the problem of member i. It fails where costs leave 62 bits
// even without the member's own penalties.
func (u union[X, H]) part(i int, p class.Problem[X]) (part[X], error) {
	bound, ok := p.Range()
	if !ok {
		return part[X]{}, class.ErrRange
	}
	own := part[X]{p: p}
	if own.extra, ok = charged(u.members[i].Penalty, p.PenaltyUnit(), bound); !ok {
		return part[X]{}, class.ErrRange
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

// charged returns a penalty in units of cost; ok is false where that leaves 62 bits
// beside costs up to a bound.
func charged(penalty, unit, bound int64) (extra int64, ok bool) {
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

// All yields the hypotheses member by member.
func (u enumerable[X, H]) All() iter.Seq[Choice[H]] {
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
