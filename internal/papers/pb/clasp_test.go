package pb_test

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/papers/network"
	"github.com/sibyl-dp/sibyl/internal/papers/network/networktest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/pb"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// clasp returns the solver, or skips the test if clasp is not installed.
func clasp(t testing.TB) network.Solver {
	p, err := solver.Find("clasp")
	if err != nil {
		shareddata.Missing(t, err.Error())
	}
	return pb.Clasp(p)
}

func TestClasp(t *testing.T) { networktest.Run(t, clasp(t), 1<<30) }

// start returns the solver that runs a given program in place of clasp.
var start networktest.Starter = pb.Clasp

func TestClaspMisbehaves(t *testing.T) {
	clasp(t) // which most of the scripts call
	networktest.Misbehaving(t, context.Background(), start.Script(t, `clasp "$@"`), nil)
	for name, script := range map[string]string{
		"nothing":                   "",
		"another status":            "clasp \"$@\"; exit 10",
		"an optimum out of nothing": "echo 's OPTIMUM FOUND'; exit 30",
		"no proof":                  "clasp \"$@\" | sed 's/OPTIMUM FOUND/SATISFIABLE/'; exit 30",
		"a status cut off":          "clasp \"$@\" | sed 's/^s OPTIMUM.*/s OPTIMUM/'; exit 30",
		"two statuses":              "clasp \"$@\" | sed 's/^s OPTIMUM.*/&\n&/'; exit 30",
		"no cost":                   "clasp \"$@\" | sed '/^o/d'; exit 30",
		"two costs":                 "clasp \"$@\" | sed 's/^o.*/&\n&/'; exit 30",
		"a cost that is no number":  "clasp \"$@\" | sed 's/^o.*/&x/'; exit 30",
		"a cost of two numbers":     "clasp \"$@\" | sed 's/^o.*/& 1/'; exit 30",
		"a cost too high":           "clasp \"$@\" | sed 's/^o /&1/'; exit 30",
		"no bits":                   "clasp \"$@\" | sed '/^v/d'; exit 30",
		"bits cut off":              "clasp \"$@\" | sed 's/x14 .*//'; exit 30",
		"one bit twice":             "clasp \"$@\" | sed 's/x2 /x1 /'; exit 30",
		"a bit that is no number":   "clasp \"$@\" | sed 's/x2 /xx /'; exit 30",
		"a bit without a name":      "clasp \"$@\" | sed 's/x2 /2 /'; exit 30",
		"a bit that is not there":   "clasp \"$@\" | sed 's/x2 /x99999 /'; exit 30",
		"all bits changed":          "clasp \"$@\" | sed '/^v/{s/ x/ +/g;s/-x/x/g;s/ +/ -x/g}'; exit 30",
		"a kill":                    "kill -9 $$",
	} {
		t.Run(name, func(t *testing.T) {
			networktest.Misbehaving(t, context.Background(), start.Script(t, script), oracle.ErrFail)
		})
	}
}

func TestClaspMissing(t *testing.T) { start.Missing(t) }

func TestClaspHangs(t *testing.T) { start.Hangs(t) }
