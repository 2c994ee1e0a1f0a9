package oracle_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/everytest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// floating is an oracle that declares that its answers rely on a bound in floating point.
type floating struct{ minimizer }

func (floating) FloatBound() bool  { return true }
func (floating) Kind() oracle.Kind { return oracle.Certifiable }

// The oracle that Erase returns requires the same assumptions as the original oracle.
func TestEraseKeepsWhatIsAssumed(t *testing.T) {
	o := oracle.Search(everytest.Fixed()["scorecard/signs"].Class)
	if oracle.FloatBound(oracle.Erase(o)) {
		t.Error("FloatBound is true for the erased search oracle")
	}
	if !oracle.FloatBound(oracle.Erase(floating{o})) {
		t.Error("Erase lost FloatBound of the oracle")
	}
	if oracle.Erase(o).Kind() != oracle.Exhaustive || oracle.Erase(floating{o}).Kind() != oracle.Certifiable {
		t.Error("Erase changed the kind of the oracle")
	}
}
