package scorecard_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
)

type (
	record  = []uint16
	problem = class.Problem[record]
)

func suite() classtest.Suite[record, scorecard.Card] {
	return classtest.Suite[record, scorecard.Card]{
		Fixed:  scorecardtest.Fixed(),
		Random: func(draw classtest.Draw) scorecardtest.Case { return scorecardtest.Random(draw, 700) },
		Seeds:  heavy.Pick(100, 300),
		Wrong:  "signs",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }
