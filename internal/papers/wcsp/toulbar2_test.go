package wcsp_test

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/papers/network"
	"github.com/sibyl-dp/sibyl/internal/papers/network/networktest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/internal/papers/wcsp"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// toulbar2 returns the solver, or skips the test if toulbar2 is not installed.
func toulbar2(t testing.TB) network.Solver {
	p, err := solver.Find("toulbar2")
	if err != nil {
		shareddata.Missing(t, err.Error())
	}
	return wcsp.Toulbar2(p)
}

func TestToulbar2(t *testing.T) { networktest.Run(t, toulbar2(t), wcsp.MostSpread/4) }

// start returns the solver that runs a given program in place of toulbar2.
var start networktest.Starter = wcsp.Toulbar2

func TestToulbar2Misbehaves(t *testing.T) {
	toulbar2(t) // which most of the scripts call
	networktest.Misbehaving(t, context.Background(), start.Script(t, `toulbar2 "$@"`), nil)
	const line = "Optimum: 3 in 0 backtracks and 0 nodes ( 0 removals by DEE) and 0.001 seconds.\n"
	for name, script := range map[string]string{
		"nothing":                  "",
		"another status":           "real=$(toulbar2 \"$@\"); echo \"$real\"; exit 1",
		"a time-out":               "echo 'New solution: 3'; echo '0 0 0 0 0 0 0' >solution; echo 'Time limit expired... Aborting...'",
		"no solution":              "echo 'No solution found in 101 backtracks.'",
		"no file":                  "printf '" + line + "'",
		"another cost":             "echo '0 0 0 0 0 0 0' >solution; printf '" + line + "'",
		"too few values":           "echo '0 0' >solution; printf '" + line + "'",
		"no values":                "echo '0 0 0 0 0 0 3 9 9 9' >solution; printf '" + line + "'",
		"negative values":          "echo '0 0 0 0 0 0 -1 9 9 9' >solution; printf '" + line + "'",
		"words":                    "echo 'a b c d e f g' >solution; printf '" + line + "'",
		"two claims":               "toulbar2 \"$@\" | sed 's/^Optimum.*$/&\\n&/'",
		"a claim cut off":          "toulbar2 \"$@\" | sed 's/seconds.*//'",
		"a claim without end":      "toulbar2 \"$@\" | sed '/^Optimum/q' | tr -d '\\n'",
		"a claim within a line":    "toulbar2 \"$@\" | sed 's/^Optimum/ &/'",
		"a cost that is no number": "toulbar2 \"$@\" | sed 's/^Optimum: /&0x/'",
		"a cost too high":          "toulbar2 \"$@\" | sed 's/^Optimum: /&1/'",
		"a negative cost":          "toulbar2 \"$@\" | sed 's/^Optimum: /&-/'",
		"one value changed":        "toulbar2 \"$@\"; sed -i 's/2/1/' solution",
		"a kill":                   "kill -9 $$",
	} {
		t.Run(name, func(t *testing.T) {
			networktest.Misbehaving(t, context.Background(), start.Script(t, script), oracle.ErrFail)
		})
	}
}

func TestToulbar2Missing(t *testing.T) { start.Missing(t) }

func TestToulbar2Hangs(t *testing.T) { start.Hangs(t) }
