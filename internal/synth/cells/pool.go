package cells

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/simplex"
)

const (
	sure = 4    // a value whose count is less than this number of standard deviations of the noise is pooled
	rare = .005 // a value that has less than this fraction of the rows is pooled
	run  = .02  // the fraction of the rows that a run of an ordered column has
	few  = .25  // if less than this fraction of the rows have rare values, their runs have a smaller fraction of all rows than run,
	fine = 12   // but at least this number of standard deviations of the noise
)

// Pool decides which values of a column are pooled, that is treated as one value. The parameter total is the number
// of rows. The decision uses the noisy counts, projected to nonnegative numbers whose sum is total, even if the
// histogram has better estimates: estimates of small counts tend to be too small, so too many values would be pooled.
//
// A value is rare if its count is less than the result of leastMass. If the values have no order, Pool merges all
// rare values into one pooled value. If the values have an order, it divides them into runs of adjacent values with
// nearly equal counts. A value whose own count is at least that of a run is not merged with others.
//
// If most rows have frequent values, such as 0, the few other rows are divided into as many runs as if they were all
// rows, unless these runs would have too few rows.
//
// A value is free if no rule restricts it. Pool merges free values only with free values. Otherwise no rule would
// restrict the pooled value, and after the fit too many of its rows would get a free value. In an ordered column,
// Pool applies this only to the free values before all restricted values and to those after all of them. It treats
// free values between restricted ones as restricted.
func (h Histogram) Pool(total float64) *Pooling {
	p := &Pooling{
		Cells:    make([]uint16, len(h.Counts)),
		Ordered:  h.Ordered,
		Counts:   simplex.Project(h.Counts, total),
		Variance: h.Variance,
	}
	least := leastMass(h.Variance, total)
	if h.Ordered {
		deviation := math.Sqrt(h.Variance)
		width := run * total
		if other := p.rowsBelow(width); other < few*total && !h.First {
			width = min(width, max(run*other, fine*deviation))
		}
		from := 0
		for _, to := range h.ends() {
			p.cut(from, to, least, max(sure*deviation, width))
			from = to
		}
	} else {
		for _, free := range []bool{false, true} {
			p.gather(least, func(v int) bool { return h.free(v) == free })
		}
	}
	if h.Estimates != nil {
		p.Counts = h.Estimates
	}
	return p
}

// ends divides an ordered column into three parts, and returns the end of each part (exclusive). The first part holds
// the free values at the beginning of the column, the third part holds the free values at its end, and the second
// part holds all values between them. Parts may be empty. Values of different parts are never pooled together.
func (h Histogram) ends() []int {
	n := len(h.Counts)
	first, last := 0, n
	for first < n && h.free(first) {
		first++
	}
	for last > first && h.free(last-1) {
		last--
	}
	return []int{first, last, n}
}

// free reports whether no rule restricts the given value.
func (h Histogram) free(value int) bool { return h.Free != nil && h.Free[value] }

// rowsBelow returns the number of rows whose value has a count less than most.
func (p *Pooling) rowsBelow(most float64) float64 {
	sum := 0.0
	for _, c := range p.Counts {
		if c < most {
			sum += c
		}
	}
	return sum
}

// MostPooled returns an upper bound on the number of pooled values of a column with the given number of
// values.
func MostPooled(values int, variance, total float64) int {
	return int(min(float64(values), total/leastMass(variance, total)+3))
}

// leastMass returns the minimum count of a value, or of a run of adjacent values, that is not merged with others: the
// maximum of sure standard deviations of the noise and of the fraction rare of all rows.
func leastMass(variance, total float64) float64 {
	return max(sure*math.Sqrt(variance), rare*total)
}

// gather creates pooled values for those values for which the function in returns true. All of these values with a
// count less than least share one pooled value. Each of the others gets its own pooled value.
func (p *Pooling) gather(least float64, in func(value int) bool) {
	few := 0
	for v, c := range p.Counts {
		switch {
		case !in(v):
		case c < least:
			few++
		default:
			p.Cells[v] = uint16(p.Size)
			p.Size++
		}
	}
	if few == 0 {
		return
	}
	for v, c := range p.Counts {
		if in(v) && c < least {
			p.Cells[v] = uint16(p.Size)
		}
	}
	p.Size++
}

// cut divides the ordered values first..end-1 into runs of adjacent values, each with a count of about width. Then,
// while the run with the smallest count has a count less than least, cut merges it with the neighbouring run of
// smaller count.
func (p *Pooling) cut(first, end int, least, width float64) {
	var runs []stretch
	from, mass := first, 0.0
	flush := func(to int) {
		if to > from {
			runs = append(runs, p.even(stretch{from, to, mass}, width)...)
		}
	}
	for v := first; v < end; v++ {
		c := p.Counts[v]
		if c < width {
			mass += c
			continue
		}
		flush(v)
		runs = append(runs, stretch{v, v + 1, c})
		from, mass = v+1, 0
	}
	flush(end)
	for len(runs) > 1 {
		i := smallest(runs)
		if runs[i].mass >= least {
			break
		}
		into := i - 1
		if i == 0 || i+1 < len(runs) && runs[i+1].mass < runs[i-1].mass {
			into = i
		}
		runs[into] = stretch{runs[into].from, runs[into+1].to, runs[into].mass + runs[into+1].mass}
		runs = slices.Delete(runs, into+1, into+2)
	}
	for _, s := range runs {
		for v := s.from; v < s.to; v++ {
			p.Cells[v] = uint16(p.Size)
		}
		p.Size++
	}
}

// A stretch is a run of adjacent values, from the value from up to the value to-1. Its mass is the sum of their
// counts.
type stretch struct {
	from, to int
	mass     float64
}

func smallest(of []stretch) int {
	at := 0
	for i, s := range of {
		if s.mass < of[at].mass {
			at = i
		}
	}
	return at
}

// even divides the values of a stretch into runs of adjacent values with nearly equal counts, each about width.
func (p *Pooling) even(s stretch, width float64) []stretch {
	parts := max(1, math.Round(s.mass/width))
	var runs []stretch
	from, sum, passed := s.from, 0.0, 0.0
	for v := s.from; v < s.to; v++ {
		c := p.Counts[v]
		// A value belongs to the run that contains the midpoint of its count.
		next := s.mass * float64(len(runs)+1) / parts
		if from < v && passed+float64(c/2) > next && float64(len(runs)+1) < parts {
			runs = append(runs, stretch{from, v, sum})
			from, sum = v, 0
		}
		sum += c
		passed += c
	}
	return append(runs, stretch{from, s.to, sum})
}
