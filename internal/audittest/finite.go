package audittest

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// CheckCounts fails the test unless the exact check of run has the verdict, in units of epsilon. run answers on a table
// that is given by its number of records of each kind.
func CheckCounts[T comparable](t *testing.T, want audit.Verdict, run func([]int64, noise.Coins) (T, error), kinds int, epsilon string, r privacy.Relation, most int, o audit.Options) {
	t.Helper()
	report, err := audit.Check(run, Decimal(t, epsilon), audit.WorldOf(r, kinds, most, Counts), o)
	if err != nil {
		t.Fatal(err)
	}
	audit.Judge(t, want, report, o)
}

// A Finite is a class given by the loss of each hypothesis on each kind of record, and by the bits of each hypothesis
// on a separator. Its tables are counts of the kinds.
type Finite struct {
	Loss [][]int64 // hypothesis, kind
	Phi  [][]int64 // hypothesis, bit
}

// Kinds returns the number of kinds of records.
func (f Finite) Kinds() int { return len(f.Loss[0]) }

// Cost returns the cost of hypothesis q on a table.
func (f Finite) Cost(q int, table []int64) (c int64) {
	for kind, n := range table {
		c += n * f.Loss[q][kind]
	}
	return c
}

// Counts returns c. It is the constructor of tables for mechanisms whose tables are lists of counts.
func Counts(c []int64) []int64 { return c }
