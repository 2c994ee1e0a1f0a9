package readonce_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
	"github.com/sibyl-dp/sibyl/internal/class/readonce/readoncetest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

type (
	record  = []uint16
	problem = class.Problem[record]
)

func suite() classtest.Suite[record, readonce.Formula] {
	return classtest.Suite[record, readonce.Formula]{
		Fixed:  readoncetest.Fixed(),
		Random: readoncetest.Random,
		Seeds:  heavy.Pick(100, 300),
		Wrong:  "categories with penalties",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }
