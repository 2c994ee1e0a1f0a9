package numeric_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric/numerictest"
)

type (
	record  = []int64
	problem = class.Problem[record]
)

func suite() classtest.Suite[record, numeric.Halfspace] {
	return classtest.Suite[record, numeric.Halfspace]{
		Fixed:  numerictest.Fixed(),
		Random: func(draw classtest.Draw) numerictest.Case { return numerictest.Random(draw, 400) },
		Seeds:  300,
		Wrong:  "norm and penalty",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

// A weighted sum may equal the bound by the Cauchy-Schwarz inequality, rounded down. In this test the sum is 3, for
// the weights 2 and 1 and the squared norm 5.
func TestTreeReachesTheNorm(t *testing.T) {
	column := numeric.Bounded(0, 1, 2)
	for _, threshold := range []int64{3, -2, -3} {
		c, err := numeric.New([]numeric.Column{column, column}, []int64{threshold}, numeric.Options{Norm: 5})
		if err != nil {
			t.Fatal(err)
		}
		for _, cost := range [][2]int64{{7, 0}, {0, 7}} {
			p := problem{Points: []class.Point[[]int64]{{X: []int64{1, 1}, Cost: cost}}}
			classtest.Tree(t, numerictest.Case{Class: c, Domain: [][]int64{{1, 1}}}, p, classtest.FromSeed(1))
		}
	}
}
