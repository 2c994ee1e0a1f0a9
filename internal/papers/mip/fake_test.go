//go:build unix

package mip_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/mip"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
)

// A fake describes a fake solver: its output, its solution file, and the shell commands that it runs first.
type fake struct{ log, solution, commands string }

// fakeProblem returns a problem whose program is: minimize 7w + 2e subject to w + 2e ≥ 1. The only optimum is -5,
// at w = -1 and e = 1. The cost of the hypothesis is the objective plus 7.
func fakeProblem(t *testing.T) (*numeric.Class, problem) {
	t.Helper()
	c, err := numeric.New([]numeric.Column{numeric.Bounded(0, 1, 1)}, []int64{1}, numeric.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c, problem{Points: []class.Point[record]{{X: record{1}, Cost: [2]int64{2, 0}}}, Terms: []int64{7, 7}}
}

// program writes the fake as a shell script. Both solvers receive the path of the solution file as their last
// argument.
func (f fake) program(t *testing.T) solver.Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fake")
	script := "#!/bin/sh\n" + f.commands + "\nfor last; do :; done\nprintf '%s\\n' '" + f.solution + "' >\"${last#--solution_file=}\"\nprintf '%s\\n' '" + f.log + "'\n"
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return solver.Program{Path: path, Output: 1 << 20}
}

// The output of each solver after a successful run.
var (
	goodCBC = fake{
		log:      "Coin0008I halfspace read with 0 errors\n\nResult - Optimal solution found\n\nObjective value: -5",
		solution: "Optimal - objective value -5\n 0 r0 1 0\n 0 w0 -1 7\n 1 e0 1 2",
	}
	goodHiGHS = fake{
		log:      "\nSolving report\n  Status            Optimal\n  Primal bound      -5\n  Dual bound        -5\n  Gap               0%\n  Solution status   feasible",
		solution: "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective -5\n# Columns 2\nw0 -1\ne0 1\n# Rows 1\nr0 1",
	}
)

// change returns the fake with some of its text replaced.
func (f fake) change(t *testing.T, old, new string) fake {
	t.Helper()
	if !strings.Contains(f.log+f.solution, old) {
		t.Fatalf("the output of the fake solver does not contain %q", old)
	}
	f.log, f.solution = strings.ReplaceAll(f.log, old, new), strings.ReplaceAll(f.solution, old, new)
	return f
}

// both runs a test on a fake of CBC and on a fake of HiGHS.
func both(t *testing.T, run func(t *testing.T, good fake, make func(solver.Program) mip.Solver)) {
	t.Run("CBC", func(t *testing.T) { run(t, goodCBC, mip.CBC) })
	t.Run("HiGHS", func(t *testing.T) { run(t, goodHiGHS, mip.HiGHS) })
}

// minimize calls the oracle with the fake solver, and checks that no file remains.
func minimize(t *testing.T, ctx context.Context, s mip.Solver) (oracle.Solution[numeric.Halfspace], error) {
	t.Helper()
	private := t.TempDir()
	t.Setenv("TMPDIR", private)
	c, p := fakeProblem(t)
	found, err := mip.New(c, s).Minimize(ctx, p, oracle.Budget{Nodes: 9})
	if left, _ := os.ReadDir(private); len(left) > 0 {
		t.Errorf("the oracle did not remove the files %v", left)
	}
	if err != nil && !reflect.ValueOf(found).IsZero() {
		t.Errorf("the solver failed, but the oracle returned %v", found)
	}
	return found, err
}

func TestFakesWork(t *testing.T) {
	both(t, func(t *testing.T, good fake, make func(solver.Program) mip.Solver) {
		for name, f := range map[string]fake{
			"as it is":          good,
			"a rounding error":  good.change(t, "-1", "-0.9999995"),
			"a bound not sharp": good.change(t, "-5", "-5.2"),
		} {
			found, err := minimize(t, context.Background(), make(f.program(t)))
			if err != nil || found.Cost != 2 || found.Hypothesis.Weights[0] != -1 {
				t.Errorf("%s: %v, %v", name, found, err)
			}
		}
	})
}

func TestMisbehaviourFails(t *testing.T) {
	both(t, func(t *testing.T, good fake, make func(solver.Program) mip.Solver) {
		commands := func(c string) fake {
			f := good
			f.commands = c
			return f
		}
		empty := good
		empty.solution = ""
		silent := good
		silent.log = ""
		fakes := map[string]fake{
			"an exit code":                 commands("trap 'exit 1' EXIT"),
			"an early end":                 commands("exit 0"),
			"a signal":                     commands("kill -SEGV $$"),
			"huge output":                  commands("yes"),
			"no solution":                  empty,
			"no log":                       silent,
			"another status in the log":    {log: good.change(t, "Optimal", "Stopped").log, solution: good.solution},
			"another status in the file":   {log: good.log, solution: good.change(t, "Optimal", "Infeasible").solution},
			"a point that is not integral": good.change(t, "w0 -1", "w0 -0.99999"),
			"a point outside the class":    good.change(t, "w0 -1", "w0 -2"),
			"a huge point":                 good.change(t, "w0 -1", "w0 1e300"),
			"a point that is no number":    good.change(t, "w0 -1", "w0 NaN"),
			"no value":                     good.change(t, "w0 -1", "w0"),
			"a worse point":                good.change(t, "w0 -1", "w0 0"),
			"another variable":             good.change(t, "w0", "w1"),
			"a variable twice":             good.change(t, "e0", "w0"),
			"a bound too low":              good.change(t, "-5", "-6"),
			"a bound a little too low":     good.change(t, "-5", "-5.8"),
			"a bound too high":             good.change(t, "-5", "-4"),
			"no bound":                     good.change(t, "-5", ""),
			"a bound that is no number":    good.change(t, "-5", "x"),
			"an infinite bound":            good.change(t, "-5", "-inf"),
			"a bound that is NaN":          good.change(t, "-5", "nan"),
			"a huge bound":                 good.change(t, "-5", "1e300"),
			"the log twice":                {log: good.log + "\n" + good.log, solution: good.solution},
		}
		if good == goodCBC {
			fakes["a gap"] = good.change(t, "solution found", "solution found (within gap tolerance)")
			fakes["an unknown option"] = fake{log: "No match for -increment\n" + good.log, solution: good.solution}
			fakes["an error on input"] = good.change(t, "0 errors", "1 errors")
			fakes["an infeasible variable"] = good.change(t, " 0 w0", "** 0 w0")
			fakes["a variable less"] = good.change(t, " 1 e0 1 2", "")
		} else {
			fakes["a gap"] = fake{log: good.change(t, "Dual bound        -5", "Dual bound        -7").log, solution: good.solution}
			fakes["two bounds"] = good.change(t, "Primal bound", "Dual bound  ")
			fakes["an infeasible point"] = good.change(t, "Feasible", "Infeasible")
			fakes["a variable less"] = good.change(t, "e0 1\n", "")
			fakes["other columns"] = good.change(t, "Columns 2", "Columns 3")
			fakes["a file cut short"] = good.change(t, "\n# Rows 1\nr0 1", "")
		}
		for name, f := range fakes {
			if found, err := minimize(t, context.Background(), make(f.program(t))); !errors.Is(err, oracle.ErrFail) {
				t.Errorf("%s: %v, %v", name, found, err)
			}
		}
	})
}

func TestCancelEndsAHangingSolver(t *testing.T) {
	both(t, func(t *testing.T, good fake, make func(solver.Program) mip.Solver) {
		started := filepath.Join(t.TempDir(), "started")
		good.commands = "touch '" + started + "'; sleep 1000"
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for {
				if _, err := os.Stat(started); err == nil {
					cancel()
					return
				}
				runtime.Gosched()
			}
		}()
		if _, err := minimize(t, ctx, make(good.program(t))); !errors.Is(err, context.Canceled) || errors.Is(err, oracle.ErrFail) {
			t.Error(err)
		}
	})
}

// A solver runs in a directory that only its owner can enter.
func TestFilesArePrivate(t *testing.T) {
	both(t, func(t *testing.T, good fake, make func(solver.Program) mip.Solver) {
		good.commands = `[ "$(ls -ld . | cut -c1-10)" = drwx------ ] && [ "$(ls -l model.mps | cut -c1-10)" = -rw------- ] || exit 1`
		if _, err := minimize(t, context.Background(), make(good.program(t))); err != nil {
			t.Error(err)
		}
	})
}
