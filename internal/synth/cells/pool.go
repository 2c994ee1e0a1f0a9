package cells

import (
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/simplex"
)

const (
	sure = 4    // standard deviations above which a value is told from none
	rare = .005 // the share of rows below which a value is pooled however clear it is
	run  = .02  // the share of rows that a run of an ordered column has
)

// Pool decides which values of a column a fit tells apart, of so many rows in all. The
// counts are projected to what rows can have. Values without order that are rarer than
// sure standard deviations, or rare, are put into one. Values in order are cut into runs
// of nearly equal counts; a value that has as many rows as a run is one by itself.
func (h Histogram) Pool(total float64) *Pooling {
	p := &Pooling{
		Cells:    make([]uint16, len(h.Counts)),
		Ordered:  h.Ordered,
		Counts:   simplex.Project(h.Counts, total),
		Variance: h.Variance,
	}
	least := leastMass(h.Variance, total)
	if h.Ordered {
		p.cut(least, max(sure*math.Sqrt(h.Variance), run*total))
	} else {
		p.gather(least)
	}
	return p
}

// MostPooled bounds how many values a column of so many has once they are pooled.
func MostPooled(values int, variance, total float64) int {
	return int(min(float64(values), total/leastMass(variance, total)+1))
}

// leastMass is the count below which a value or a run is not told apart.
func leastMass(variance, total float64) float64 {
	return max(sure*math.Sqrt(variance), rare*total)
}

// gather puts all values of a smaller count than least into the last cell.
func (p *Pooling) gather(least float64) {
	few := 0
	for _, c := range p.Counts {
		if c < least {
			few++
		}
	}
	for v, c := range p.Counts {
		if c >= least {
			p.Cells[v] = uint16(p.Size)
			p.Size++
		}
	}
	if few == 0 {
		return
	}
	for v, c := range p.Counts {
		if c < least {
			p.Cells[v] = uint16(p.Size)
		}
	}
	p.Size++
}

// cut makes runs of about the width, and none of less than least if it has a neighbour.
func (p *Pooling) cut(least, width float64) {
	var runs []stretch
	from, mass := 0, 0.0
	flush := func(to int) {
		if to > from {
			runs = append(runs, p.even(stretch{from, to, mass}, width)...)
		}
	}
	for v, c := range p.Counts {
		if c < width {
			mass += c
			continue
		}
		flush(v)
		runs = append(runs, stretch{v, v + 1, c})
		from, mass = v+1, 0
	}
	flush(len(p.Counts))
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
	for i, s := range runs {
		for v := s.from; v < s.to; v++ {
			p.Cells[v] = uint16(i)
		}
	}
	p.Size = len(runs)
}

// A stretch is a run of neighbouring values, and how many rows they have.
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

// even cuts a stretch into runs of nearly equal counts, of about the width.
func (p *Pooling) even(s stretch, width float64) []stretch {
	parts := max(1, math.Round(s.mass/width))
	var runs []stretch
	from, sum, passed := s.from, 0.0, 0.0
	for v := s.from; v < s.to; v++ {
		c := p.Counts[v]
		// A value belongs to the run in which its middle lies.
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
