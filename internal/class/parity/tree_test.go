package parity_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/parity/paritytest"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
)

type (
	record     = []uint16
	problem    = class.Problem[record]
	enumerable = class.Enumerable[record, parity.Parity]
	tabular    = class.Tabular[record, parity.Parity]
	walker     = class.Walker[parity.Parity]
	tree       = class.Tree[parity.Parity]
)

func suite() classtest.Suite[record, parity.Parity] {
	return classtest.Suite[record, parity.Parity]{
		Fixed:  paritytest.Fixed(),
		Random: func(draw classtest.Draw) paritytest.Case { return paritytest.Random(draw, 700) },
		Seeds:  300,
		Wrong:  "at most two, affine",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

// tables returns the suite with the same classes, but with trees over the tables of all costs.
func tables() classtest.Suite[record, parity.Parity] {
	own, s := suite(), suite()
	s.Fixed = map[string]paritytest.Case{}
	for name, c := range own.Fixed {
		s.Fixed[name] = inTable(c)
	}
	s.Random = func(draw classtest.Draw) paritytest.Case { return inTable(own.Random(draw)) }
	return s
}

func TestTreeOverTable(t *testing.T) { classtest.Run(t, tables()) }

// inTable returns the same class with its tree over the table of all costs.
func inTable(c paritytest.Case) paritytest.Case {
	tabled, err := tabulated.New(c.Class.(tabular))
	if err != nil {
		panic(err)
	}
	c.Class = tabled
	return c
}
