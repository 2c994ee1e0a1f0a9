package labelling_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/papers/labelling/labellingtest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
)

type record = []uint16

func suite() classtest.Suite[record, scorecard.Card] {
	return classtest.Suite[record, scorecard.Card]{
		Fixed:  labellingtest.Fixed(),
		Random: func(draw classtest.Draw) labellingtest.Case { return labellingtest.Random(draw, 700) },
		Seeds:  100,
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }
