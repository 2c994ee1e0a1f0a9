package audittest

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// CheckCounts checks the mechanism run exactly on all tables whose number of records does not
// exceed the parameter most, and fails the test unless the result agrees with the verdict want. A
// table is given to run as the number of records of each kind.
func CheckCounts[T comparable](t *testing.T, want audit.Verdict, run func([]int64, noise.Coins) (T, error), kinds int, epsilon string, r privacy.Relation, most int, o audit.Options) {
	t.Helper()
	report, err := audit.Check(run, privacytest.Decimal(t, epsilon), audit.WorldOf(r, kinds, most, Counts), o)
	if err != nil {
		t.Fatal(err)
	}
	audit.Judge(t, want, report, o)
}

// A Finite is a class of hypotheses that is given by two matrices: the loss of each hypothesis on
// each kind of record, and the separator bits of each hypothesis (see package class). A table is
// given by its number of records of each kind.
type Finite struct {
	Loss [][]int64 // hypothesis, kind
	Phi  [][]int64 // hypothesis, bit
}

// Kinds returns the number of kinds of records.
func (f Finite) Kinds() int { return len(f.Loss[0]) }

// Cost returns the cost of hypothesis q on a table, which is given by its number of records of each kind.
func (f Finite) Cost(q int, table []int64) (c int64) {
	for kind, n := range table {
		c += n * f.Loss[q][kind]
	}
	return c
}

// Counts returns its argument. It is the constructor of tables for mechanisms whose tables are
// lists of counts.
func Counts(c []int64) []int64 { return c }
