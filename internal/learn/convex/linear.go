package convex

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
)

// Linear is a linear classifier on the 0/1 vectors of Features: it predicts 1 if the score, the sum
// of the weights of the columns that are 1, is positive.
type Linear struct {
	Weights []float64 // one weight for each column
}

// Score returns the inner product of the weights and a 0/1 vector, which is given as the list of
// its columns that are 1.
func (l Linear) Score(row []int) float64 {
	z := 0.0
	for _, j := range row {
		z += l.Weights[j]
	}
	return z
}

// Points converts the classifier to a scorecard. The points of a category are the sum of the
// weights of its columns, multiplied by scale and rounded to an integer. The constant is converted
// in the same way.
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

// Errors returns the number of rows of d that the classifier misclassifies.
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

// A Point is a labelled record: the columns in which its 0/1 vector is 1, its label, and the number
// of equal rows.
type Point struct {
	Row   []int
	Label bool
	Count int64
}

// Points converts each example to a Point. It fails with learn.ErrRows if the examples have more than
// learn.MostRows rows.
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
