package convex

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
)

// Linear is a linear classifier on features: it predicts 1 where the score is
// positive.
type Linear struct {
	Weights []float64 // one a column
}

// Score returns ⟨w, x⟩ for the x with ones in the given columns.
func (l Linear) Score(row []int) float64 {
	z := 0.0
	for _, j := range row {
		z += l.Weights[j]
	}
	return z
}

// Points returns the constant and the contribution of each category, rounded to multiples of
// 1/scale and multiplied by scale.
func (l Linear) Points(f *Features, scale int) learn.Points {
	round := func(w float64) int { return int(math.Round(w * float64(scale))) }
	p := learn.Points{Prior: round(l.Weights[0])}
	for _, ones := range f.ones {
		points := make([]int, len(ones))
		for c, columns := range ones {
			points[c] = round(l.Score(columns))
		}
		p.Points = append(p.Points, points)
	}
	return p
}

// Errors returns on how many rows the prediction is wrong.
func (l Linear) Errors(f *Features, d []learn.Example[[]uint16]) int64 {
	wrong := int64(0)
	var row []int
	for _, e := range d {
		row = f.Row(row[:0], e.X)
		if l.Score(row) > 0 != e.Label {
			wrong += e.Count
		}
	}
	return wrong
}

// point is a distinct record as its columns with a one.
type Point struct {
	Row   []int
	Label bool
	Count int64
}

// points encodes the examples. More than learn.MostRows rows are
// learn.ErrRows.
func (f *Features) Points(d []learn.Example[[]uint16]) ([]Point, error) {
	all := make([]Point, len(d))
	rows := int64(0)
	for i, e := range d {
		if e.Count > learn.MostRows-rows {
			return nil, learn.ErrRows
		}
		rows += e.Count
		all[i] = Point{f.Row(nil, e.X), e.Label, e.Count}
	}
	return all, nil
}
