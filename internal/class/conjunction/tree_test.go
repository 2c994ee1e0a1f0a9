package conjunction_test

import (
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction/conjunctiontest"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

type (
	record  = []uint16
	problem = class.Problem[record]
)

func suite() classtest.Suite[record, conjunction.Formula] {
	return classtest.Suite[record, conjunction.Formula]{
		Fixed:  conjunctiontest.Fixed(),
		Random: func(draw classtest.Draw) conjunctiontest.Case { return conjunctiontest.Random(draw, 700) },
		Seeds:  300,
		Wrong:  "cells of marginals of two",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

func TestWalkersDoNotAllocate(t *testing.T) {
	c, p := same(t, literal.Equal(4), 8, 3000)
	tree, err := c.Tree(p)
	if err != nil {
		t.Fatal(err)
	}
	w := tree.Walker()
	walk := func() {
		for range 8 {
			for i := range w.Children() {
				if _, entered := w.Down(i, math.MaxInt64); entered {
					w.Leaves()
					w.Up()
				}
				w.Share(i)
			}
			w.Down(0, math.MaxInt64)
		}
		for range 8 {
			w.Up()
		}
	}
	if n := testing.AllocsPerRun(3, walk); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
