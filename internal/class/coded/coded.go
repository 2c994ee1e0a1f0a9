// Package coded gives a class a separator with a chosen minimum distance. The distance matters for
// the mechanism RSPM, which adds noise to each bit of the separator. Let m be the number of bits,
// and h the minimum Hamming distance between the bits of two hypotheses. The noise on each bit is
// proportional to m/h. The noise on the comparison of two hypotheses comes from all bits in which
// they differ. So among codes with equal m/h the shortest is best. For 3 to 7 options this is the
// code with h = 2.
//
// Letters:
//
//	T     the number of options of one decision
//	m     the number of bits of the separator
//	h     the minimum distance of the separator
//	u(o)  the sum of the terms of the bits that are set in the code word of option o
package coded

import (
	"fmt"
	"iter"

	"github.com/sibyl-dp/sibyl/class"
)

// A Unary class describes a hypothesis by a sequence of decisions. Its separator has a block of
// bits for each decision. The block of a decision with T ordered options has T-1 bits, and the
// first o of them are 1 for option o, counted from 0.
type Unary interface {
	// Blocks returns, for each decision, the number T of its options, in the order of the separator.
	Blocks() []int
}

// mostDistance is the maximum Hamming distance of a separator that New accepts.
const mostDistance = 1 << 10

// New returns the class c with a separator of minimum distance h. The class c must be Unary. The
// bits of each decision are replaced by a code in which any two options differ in at least h bits.
// Distinct hypotheses differ in some decision, so the Distance of the result is h. For example, the
// code has
//
//   - ⌈log₂ T⌉ bits for h = 1,
//   - T-1 bits for h = T/2 if T is a power of 2 (the simplex code),
//   - three bits for three options and h = 2.
//
// The result is Enumerable and Partial if c is.
//
// The result uses the tree of c. For this it converts the terms of a problem to terms on the bits
// of c that give every hypothesis the same cost. Tree fails with class.ErrRange if the Tree of c
// does. Because the converted terms may be larger than the given ones, Tree may also fail if a
// given term has an absolute value of 2^61/(T-1) or more.
func New[X, H any](c class.Class[X, H], h int) (class.Class[X, H], error) {
	unary, ok := c.(Unary)
	if !ok {
		return nil, fmt.Errorf("coded: the separator of %v does not support a minimum distance; leave the distance out", c)
	}
	if h < 1 || h > mostDistance {
		return nil, fmt.Errorf("coded: distance %d is outside 1..%d", h, mostDistance)
	}
	out := &coded[X, H]{Class: c, distance: h}
	bits := 0
	codes := map[int][][]bool{}
	for i, options := range unary.Blocks() {
		if options < 1 {
			return nil, fmt.Errorf("coded: decision %d of %v has %d options, but needs at least 1", i+1, c, options)
		}
		if codes[options] == nil {
			codes[options] = words(options, h)
		}
		out.blocks = append(out.blocks, codes[options])
		bits += options - 1
		out.m += len(codes[options][0])
	}
	if bits != class.SeparatorBits(c) {
		return nil, fmt.Errorf("coded: the decisions of %v need %d separator bits, but its separator has %d", c, bits, class.SeparatorBits(c))
	}
	if list, ok := c.(class.Enumerable[X, H]); ok {
		return &enumerable[X, H]{*out, list}, nil
	}
	return out, nil
}

type coded[X, H any] struct {
	class.Class[X, H]
	distance, m int
	blocks      [][][]bool // blocks[decision][option] is the code word
}

func (c *coded[X, H]) String() string {
	return fmt.Sprintf("%v, coded at distance %d", c.Class, c.distance)
}

func (c *coded[X, H]) Distance() int  { return c.distance }
func (c *coded[X, H]) Separator() int { return c.m }

func (c *coded[X, H]) Separate(h H) []bool {
	set := make([]bool, 0, c.m)
	unary := class.Separate(c.Class, h)
	for _, words := range c.blocks {
		option := 0
		for _, reached := range unary[:len(words)-1] {
			if reached {
				option++
			}
		}
		unary = unary[len(words)-1:]
		set = append(set, words[option]...)
	}
	return set
}

func (c *coded[X, H]) PredictPartial(h H, x []uint16, known []bool) (label, ok bool) {
	return class.PredictPartial(c.Class, h, x, known)
}

func (c *coded[X, H]) Tree(p class.Problem[X]) (class.Tree[H], error) {
	unary, err := c.unary(p)
	if err != nil {
		return nil, err
	}
	return c.Class.Tree(unary)
}

func (c *coded[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	unary, err := c.unary(p)
	if err != nil {
		return nil, err
	}
	return c.Class.Checker(unary, plan)
}

// unary converts the terms of problem p, which are costs of the code's bits, to terms on the bits
// of c, such that every option keeps its cost. Let u(o) be the cost of option o: the sum of the
// terms of the bits that are set in its code word. The converted term of bit o of a decision,
// counted from 1, is u(o) - u(o-1). u(0) is 0, because the code word of option 0 is 0.
func (c *coded[X, H]) unary(p class.Problem[X]) (class.Problem[X], error) {
	if _, ok := p.Range(); !ok {
		return class.Problem[X]{}, class.ErrRange
	}
	if p.Terms == nil {
		return p, nil
	}
	if err := p.CheckTerms(c.m); err != nil {
		return class.Problem[X]{}, err
	}
	coded, unary := p.Terms, make([]int64, 0, class.SeparatorBits(c.Class))
	for _, words := range c.blocks {
		n := len(words[0])
		before := int64(0)
		for _, word := range words[1:] {
			u := int64(0)
			for b, set := range word {
				if set {
					u += coded[b]
				}
			}
			unary = append(unary, u-before)
			before = u
		}
		coded = coded[n:]
	}
	p.Terms = unary
	return p, nil
}

type enumerable[X, H any] struct {
	coded[X, H]
	list class.Enumerable[X, H]
}

func (c *enumerable[X, H]) All() iter.Seq[H] { return c.list.All() }
