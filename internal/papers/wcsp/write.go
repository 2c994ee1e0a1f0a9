package wcsp

import (
	"io"
	"slices"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/papers/network"
)

// write writes the network n, without its base cost, in toulbar2's wcsp format. In this format, a tuple of values is
// forbidden if its cost is at least top. The variables of n come before the variables of partial sums.
func write(w io.Writer, n *network.Network, top int64) error {
	s := &sums{index: map[string]int{}}
	for _, costs := range n.Costs {
		s.domains = append(s.domains, len(costs))
	}
	rows := make([]row, 0, len(n.Soft)+len(n.Hard))
	for _, soft := range n.Soft {
		rows = append(rows, newRow(soft.Threshold))
	}
	arrange(rows)
	for _, hard := range n.Hard {
		rows = append(rows, newRow(hard))
	}
	for i, r := range rows {
		rows[i] = s.shorten(r)
	}

	p := &printer{w: w}
	p.text("network")
	p.line(int64(len(s.domains)), int64(slices.Max(s.domains)), int64(len(n.Costs)+len(s.made)+len(rows)), top)
	for _, size := range s.domains {
		p.number(int64(size))
	}
	p.line()
	for v, costs := range n.Costs {
		p.line(1, int64(v), 0, int64(len(costs)))
		for a, c := range costs {
			p.line(int64(a), min(c, top))
		}
	}
	for _, made := range s.made {
		p.sum(made, top)
	}
	for i, r := range rows {
		if i < len(n.Soft) {
			p.row(r, !n.Soft[i].Missing, min(n.Soft[i].Cost, top))
		} else {
			p.row(r, true, top)
		}
	}
	return p.err
}

// A printer writes numbers and cost functions in the wcsp format. In this format, a cost function consists of the
// number of its variables, the variables, the default cost, the number of listed tuples of values, and the listed
// tuples, each followed by its cost. All other tuples have the default cost.
type printer struct {
	w      io.Writer
	err    error // the first error
	buffer []byte
}

func (p *printer) text(s string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, s)
	}
}

func (p *printer) number(v int64) {
	p.buffer = strconv.AppendInt(append(p.buffer[:0], ' '), v, 10)
	p.text(string(p.buffer))
}

// line prints the numbers on a line of their own.
func (p *printer) line(numbers ...int64) {
	for _, v := range numbers {
		p.number(v)
	}
	p.text("\n")
}

// sum prints a cost function that forbids every tuple of values for which s.result is not the clipped sum of s.left
// and s.right.
func (p *printer) sum(s sum, top int64) {
	tuples := len(s.left.values) * len(s.right.values)
	p.line(3, int64(s.left.variable), int64(s.right.variable), int64(s.result.variable), top, int64(tuples))
	for l := range s.left.values {
		for r := range s.right.values {
			result, _ := slices.BinarySearch(s.result.values, s.value(l, r))
			p.line(int64(l), int64(r), int64(result), 0)
		}
	}
}

// row prints a cost function on the variables of the threshold r. If reached is true, the assignments that reach the
// threshold have the given cost, and all others have the cost 0. If reached is false, it is the other way round.
func (p *printer) row(r row, reached bool, cost int64) {
	var charged []int64
	tuples := 0
	at := make([]int64, len(r.terms))
	for more := true; more; more = r.next(at) {
		total := 0
		for i, t := range r.terms {
			total += t.values[at[i]]
		}
		if (total >= r.least) == reached {
			charged = append(append(charged, at...), cost)
			tuples++
		}
	}
	p.number(int64(len(r.terms)))
	for _, t := range r.terms {
		p.number(int64(t.variable))
	}
	p.line(0, int64(tuples))
	for ; len(charged) > 0; charged = charged[len(at)+1:] {
		p.line(charged[:len(at)+1]...)
	}
}

// next replaces the value indices of the terms of r by the next combination of indices in a fixed order. It returns
// false if there is none.
func (r row) next(indices []int64) bool {
	for i := range indices {
		if indices[i]++; indices[i] < int64(len(r.terms[i].values)) {
			return true
		}
		indices[i] = 0
	}
	return false
}
