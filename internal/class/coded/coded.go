// Package coded gives a class a separator at a distance. The noise of RSPM on
// each bit is in proportion to m/h, the bits of the separator over the least
// number in which two hypotheses differ; but two hypotheses feel the noise of
// all bits in which they differ, so that of codes of equal m/h the shortest is
// the best: h = 2 for three options to seven.
//
// Letters: T the options of one decision; m the bits of the separator; h the
// distance; u(o) the cost that terms put on option o.
package coded

import (
	"fmt"
	"iter"

	"github.com/sibyl-dp/sibyl/class"
)

// A Unary class has a separator made of blocks, one for each decision that
// makes a hypothesis. A decision with T options, in order, has T-1 bits, of
// which option o sets the first o.
type Unary interface {
	// Blocks returns T of each decision, in the order of the separator.
	Blocks() []int
}

// mostDistance is the greatest distance.
const mostDistance = 1 << 10

// New returns c, which must be Unary, with the bits of each decision replaced
// by a code in which two options differ in at least h bits: ⌈log2 T⌉ bits for
// h = 1, T-1 bits for h = T/2 and T a power of 2 (the simplex code), three for
// three options and h = 2. Hypotheses that differ do so in some decision, so h
// is the Distance of the class. It is Enumerable and Partial as c is. Its tree
// is that of c, for terms on the bits of c with the same sums. It fails with
// class.ErrRange as c does and, as these terms may come to more, from terms of
// 2^61/(T-1) on.
func New[X, H any](c class.Class[X, H], h int) (class.Class[X, H], error) {
	unary, ok := c.(Unary)
	if !ok {
		return nil, fmt.Errorf("coded: the separator of %v is not made of unary blocks", c)
	}
	if h < 1 || h > mostDistance {
		return nil, fmt.Errorf("coded: a distance of %d is outside 1..%d", h, mostDistance)
	}
	out := coded[X, H]{Class: c, distance: h}
	bits := 0
	codes := map[int][][]bool{}
	for i, options := range unary.Blocks() {
		if options < 1 {
			return nil, fmt.Errorf("coded: decision %d of %v has %d options", i+1, c, options)
		}
		if codes[options] == nil {
			codes[options] = words(options, h)
		}
		out.blocks = append(out.blocks, codes[options])
		bits += options - 1
		out.m += len(codes[options][0])
	}
	if bits != class.SeparatorBits(c) {
		return nil, fmt.Errorf("coded: the decisions of %v have %d bits, its separator %d", c, bits, class.SeparatorBits(c))
	}
	if list, ok := c.(class.Enumerable[X, H]); ok {
		return enumerable[X, H]{out, list}, nil
	}
	return out, nil
}

type coded[X, H any] struct {
	class.Class[X, H]
	distance, m int
	blocks      [][][]bool // of each decision, the word of each option
}

func (c coded[X, H]) String() string {
	return fmt.Sprintf("%v, coded at distance %d", c.Class, c.distance)
}

func (c coded[X, H]) Distance() int  { return c.distance }
func (c coded[X, H]) Separator() int { return c.m }

func (c coded[X, H]) Separate(h H) []bool {
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

func (c coded[X, H]) PredictPartial(h H, x []uint16, known []bool) (label, ok bool) {
	return class.PredictPartial(c.Class, h, x, known)
}

func (c coded[X, H]) Tree(p class.Problem[X]) (class.Tree[H], error) {
	unary, err := c.unary(p)
	if err != nil {
		return nil, err
	}
	return c.Class.Tree(unary)
}

func (c coded[X, H]) Checker(p class.Problem[X], plan []int) (class.Checker, error) {
	unary, err := c.unary(p)
	if err != nil {
		return nil, err
	}
	return c.Class.Checker(unary, plan)
}

// unary returns the problem with terms on unary bits that cost every option
// what the terms on its word do. Option 0 has the word 0 and costs nothing;
// bit o, from 1 on, is the difference of u(o) to the option before.
func (c coded[X, H]) unary(p class.Problem[X]) (class.Problem[X], error) {
	if _, ok := p.Range(); !ok {
		return class.Problem[X]{}, class.ErrRange
	}
	if p.Terms == nil {
		return p, nil
	}
	if len(p.Terms) != c.m {
		return class.Problem[X]{}, fmt.Errorf("coded: the problem has %d terms, the class %d bits", len(p.Terms), c.m)
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

func (c enumerable[X, H]) All() iter.Seq[H] { return c.list.All() }
