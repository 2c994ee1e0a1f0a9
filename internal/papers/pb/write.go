package pb

import (
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/papers/network"
)

// A problem is a cost network in the form of a pseudo-Boolean optimization problem, without the network's base cost.
// Bits are numbered from 0, and the bits that represent the network's variables come first.
type problem struct {
	first       []int // for each variable, the number of its first bit
	bits        int   // the number of bits
	objective   sum
	constraints []sum // sums that must be at least 0
}

// A sum is a linear function of bits: a constant plus the weights of those bits that are set.
type sum struct {
	constant int64
	parts    []part
}

type part struct {
	weight int64
	bit    int
}

func (s *sum) add(weight int64, bit int) {
	if weight != 0 {
		s.parts = append(s.parts, part{weight, bit})
	}
}

func newProblem(n *network.Network) *problem {
	p := &problem{}
	for _, costs := range n.Costs {
		p.first = append(p.first, p.bits)
		p.objective.constant += costs[0]
		for a := 1; a < len(costs); a++ {
			p.objective.add(costs[a]-costs[a-1], p.bits)
			if a > 1 {
				p.constraints = append(p.constraints, sum{parts: []part{{1, p.bits - 1}, {-1, p.bits}}})
			}
			p.bits++
		}
	}
	for _, s := range n.Soft {
		kept := p.kept(s.Threshold, s.Missing)
		lo, hi := s.Extremes()
		// If the additional bit is set, every assignment satisfies the constraint.
		if s.Missing {
			kept.add(int64(s.Least-lo), p.bits)
		} else {
			kept.add(int64(hi-s.Least+1), p.bits)
		}
		p.constraints = append(p.constraints, kept)
		p.objective.add(s.Cost, p.bits)
		p.bits++
	}
	for _, h := range n.Hard {
		p.constraints = append(p.constraints, p.kept(h, false))
	}
	p.objective.add(1, p.bits) // an unused bit, so that the objective is never empty
	p.bits++
	return p
}

// kept returns a linear function of bits that is at least 0 if and only if a condition on the threshold t holds: that
// t is reached (its terms sum to at least t.Least) if the parameter reached is true, and that t is not reached
// otherwise.
func (p *problem) kept(t network.Threshold, reached bool) sum {
	sign, s := int64(-1), sum{constant: int64(t.Least) - 1}
	if reached {
		sign, s = 1, sum{constant: -int64(t.Least)}
	}
	for _, own := range t.Terms {
		s.constant += sign * int64(own.Values[0])
		for a := 1; a < len(own.Values); a++ {
			s.add(sign*int64(own.Values[a]-own.Values[a-1]), p.first[own.Variable]+a-1)
		}
	}
	return s
}

// fits reports whether all coefficients of the problem's objective and constraints fit into 32 bits.
func (p *problem) fits() bool {
	return p.objective.fits() && !slices.ContainsFunc(p.constraints, func(c sum) bool { return !c.fits() })
}

func (s sum) fits() bool {
	return !slices.ContainsFunc(s.parts, func(own part) bool { return max(own.weight, -own.weight) > math.MaxInt32 })
}

// write writes the problem in the OPB format, without the constant of the objective.
func (p *problem) write(w io.Writer) error {
	text := []byte("* #variable= ")
	text = strconv.AppendInt(text, int64(p.bits), 10)
	text = append(text, " #constraint= "...)
	text = strconv.AppendInt(text, int64(len(p.constraints)), 10)
	text = append(text, '\n')
	text = append(p.objective.text(append(text, "min:"...)), " ;\n"...)
	for _, c := range p.constraints {
		text = c.text(text)
		text = append(text, " >= "...)
		text = strconv.AppendInt(text, -c.constant, 10)
		text = append(text, " ;\n"...)
		if _, err := w.Write(text); err != nil {
			return err
		}
		text = text[:0]
	}
	_, err := w.Write(text)
	return err
}

// text appends the sum s, without its constant, to out in the OPB format.
func (s sum) text(out []byte) []byte {
	for _, own := range s.parts {
		out = append(out, ' ')
		if own.weight > 0 {
			out = append(out, '+')
		}
		out = strconv.AppendInt(out, own.weight, 10)
		out = append(out, " x"...)
		out = strconv.AppendInt(out, int64(own.bit)+1, 10)
	}
	return out
}
