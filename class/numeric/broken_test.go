package numeric_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/class/numeric/numerictest"
	"github.com/sibyl-dp/sibyl/internal/mustfail"
)

type (
	record  = []int64
	problem = class.Problem[record]
)

func TestTreeSuiteFails(t *testing.T) {
	good := numerictest.Fixed()["norm and penalty"]
	var p problem
	for i, x := range good.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	for name, b := range classtest.Broken(good) {
		t.Run(name, func(t *testing.T) {
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) { classtest.Tree(r, b, p, classtest.FromSeed(1)) }))
		})
	}
}
