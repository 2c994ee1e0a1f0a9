package audittest

import (
	"fmt"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

// SmallClasses returns up to n distinct random classes of the named kind (everytest.Names). The seeds are fixed, so
// the result is always the same. Each class has these properties:
//
//   - at most 9 hypotheses;
//   - a separator whose number of bits is at most the parameter bits;
//   - two hypotheses whose costs change in opposite directions when one record replaces another.
//
// Classes of the kinds explicit and readonce with two bits are rare, so SmallClasses returns them only in the full
// form of tests.
func SmallClasses(name string, bits, n int) (out []everytest.Case) {
	if bits == 2 && (name == "explicit" || name == "readonce") && !heavy.On() {
		return nil
	}
	seen := map[string]bool{}
	for seed := 0; len(out) < n && seed < heavy.Pick(100, 20000); seed++ {
		c := everytest.Random(name, classtest.FromSeed(seed), 256)
		size := c.Class.Size()
		if !size.IsInt64() || size.Int64() > 9 || class.SeparatorBits(c.Class) > bits || seen[c.Class.String()] || !trades(c) {
			continue
		}
		seen[c.Class.String()] = true
		out = append(out, c)
	}
	return out
}

// trades reports whether replacing some record by another one changes the costs of two hypotheses
// in opposite directions.
func trades(c everytest.Case) bool {
	patterns := map[string]bool{}
	kinds := RecordsOf(c)
	for h := range c.Class.All() {
		for i, k := range kinds {
			for j, l := range kinds {
				a, b := c.Class.Predict(h, k.X) != k.Label, c.Class.Predict(h, l.X) != l.Label
				if a != b {
					patterns[fmt.Sprint(i, j, a)] = true
					if patterns[fmt.Sprint(i, j, b)] {
						return true
					}
				}
			}
		}
	}
	return false
}

// RecordsOf returns three labelled records of a class, to build tables from.
func RecordsOf(c everytest.Case) (kinds Examples) {
	last := len(c.Domain) - 1
	return Examples{{X: c.Domain[0]}, {X: c.Domain[last], Label: true}, {X: c.Domain[last/2], Label: true}}
}

// WorldOfClass returns the world of all tables of records from RecordsOf(c). The parameter most is the maximum number
// of records.
func WorldOfClass(c everytest.Case, r privacy.Relation, most int) audit.World[Examples] {
	kinds := RecordsOf(c)
	return audit.WorldOf(r, len(kinds), most, ExamplesOf(kinds))
}

// AnyMechanism is a mechanism that releases a hypothesis of a class of any kind.
type AnyMechanism = privacy.Mechanism[Examples, any]

// CheckClass checks the mechanism m exactly on the tables of a world, and fails the test unless the
// result agrees with the verdict want. Hypotheses that print the same count as the same outcome.
func CheckClass(t *testing.T, want audit.Verdict, m AnyMechanism, w audit.World[Examples], o audit.Options) {
	t.Helper()
	r, err := audit.CheckMechanism(m, func(h any) string { return fmt.Sprint(h) }, w, o)
	if err != nil {
		t.Fatal(err)
	}
	audit.Judge(t, want, r, o)
}
