package compare

import (
	"cmp"
	"errors"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
)

// A Learned describes how well two logistic regressions predict a column with two values from all other columns. One
// is trained on the synthetic table, and the other on the real table. Both are tested on the real table, which favours
// the regression that was trained there.
type Learned struct {
	Column          int
	Synthetic, Real Test
}

// A Test describes the quality of a regression's predictions on the rows of the real table.
type Test struct {
	AUC      float64 // for two random rows with different values, the probability that the one with the second value has the higher score; ½ if there are no two such rows
	Accuracy float64 // the share of rows that are predicted correctly
}

// ErrColumn and ErrWide are the errors of Learn.
var (
	ErrColumn = errors.New("compare: the predicted column must have two values, and the table must have at least one other column")
	ErrWide   = errors.New("compare: a logistic regression on columns with more than 2,000 values in total takes too long; omit columns, or group their values")
)

// mostWide is the maximum number of features of a regression. The running time is cubic in the number of features.
const mostWide = 2000

// ridge is the weight of the quadratic penalty: a regression minimizes the sum of the losses of the rows plus ridge·Σ
// weight²/2, where the second sum is over the features.
const ridge = 1

// CanLearn returns nil if Learn can predict the given column of a table whose columns have the given numbers of
// values, and otherwise ErrColumn or ErrWide.
func CanLearn(column int, sizes []int) error {
	if column < 0 || column >= len(sizes) || sizes[column] != 2 || len(sizes) < 2 {
		return ErrColumn
	}
	wide := -2
	for _, size := range sizes {
		wide += size
	}
	if wide > mostWide {
		return ErrWide
	}
	return nil
}

// Learn trains a logistic regression for the given column on each table, in floating point, and tests both on the real
// table. There is one feature for each value of every other column. The possible errors are ErrColumn and ErrWide.
func (p *Pair) Learn(column int) (Learned, error) {
	if err := CanLearn(column, p.sizes); err != nil {
		return Learned{}, err
	}
	sizes := slices.Delete(slices.Clone(p.sizes), column, column+1)
	f, err := convex.NewFeatures(convex.OneHot, sizes)
	if err != nil {
		return Learned{}, err
	}
	var examples [2][]learn.Example[[]uint16]
	for i := range p.Len() {
		record := p.record(i)
		example := learn.Example[[]uint16]{X: slices.Delete(record, column, column+1), Label: p.codes[column][i] == 1}
		for side := range examples {
			if example.Count = p.counts[side][i]; example.Count > 0 {
				examples[side] = append(examples[side], example)
			}
		}
	}
	l := Learned{Column: column}
	for side, test := range []*Test{&l.Real, &l.Synthetic} {
		model, err := convex.Logistic(f, examples[side], ridge*float64(p.weight[side]))
		if err != nil {
			return Learned{}, err
		}
		*test = tested(f, model, examples[0])
	}
	return l, nil
}

// tested returns the quality of the predictions of the model m on the examples. The parameter f converts the codes of
// an example to the features of the model.
func tested(f *convex.Features, m convex.Linear, examples []learn.Example[[]uint16]) Test {
	type scored struct {
		score float64
		rows  [2]float64 // by value of the predicted column
	}
	var all []scored
	var rows [2]float64
	right := 0.
	for _, e := range examples {
		s := scored{score: m.Score(f.Row(nil, e.X))}
		value := 0
		if e.Label {
			value = 1
		}
		s.rows[value] = float64(e.Count)
		rows[value] += float64(e.Count)
		if s.score > 0 == e.Label {
			right += float64(e.Count)
		}
		all = append(all, s)
	}
	t := Test{AUC: .5}
	if whole := rows[0] + rows[1]; whole > 0 {
		t.Accuracy = right / whole
	}
	if rows[0] == 0 || rows[1] == 0 {
		return t
	}
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	below, pairs := 0., 0.
	for i := 0; i < len(all); {
		var same [2]float64
		for score := all[i].score; i < len(all) && all[i].score == score; i++ {
			same[0] += all[i].rows[0]
			same[1] += all[i].rows[1]
		}
		pairs += same[1] * (below + same[0]/2)
		below += same[0]
	}
	t.AUC = pairs / (rows[0] * rows[1])
	return t
}
