package explicit_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/explicit/explicittest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
)

type record = []uint16

func suite() classtest.Suite[record, int] {
	return classtest.Suite[record, int]{
		Fixed:  explicittest.Fixed(),
		Random: func(draw classtest.Draw) explicittest.Case { return explicittest.Random(draw, 300) },
		Seeds:  100,
		Wrong:  "many",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }
