package mip

import (
	"context"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/papers/solver"
)

// CBC returns the solver COIN-OR CBC, which runs the program p. The executable is usually called cbc. Version 2.10 was
// tested.
func CBC(p solver.Program) Solver { return cbc{p} }

type cbc struct{ program solver.Program }

func (cbc) String() string { return "CBC" }

// cbcIncrement is the value of CBC's option increment: after CBC has found a solution, it searches only for solutions
// whose objective is smaller by at least this amount. CBC reports no lower bound. So if it reports an optimum, this
// only means that no solution is better by the increment or more.
const cbcIncrement = 0.5

func (c cbc) solve(ctx context.Context, p *program, nodes int64) (a answer, err error) {
	err = solver.InDir(func(d solver.Dir) error {
		if err := d.Write("model.mps", p.writeMPS); err != nil {
			return err
		}
		args := []string{
			"model.mps", "-ratioGap", "0", "-allowableGap", "0",
			"-increment", strconv.FormatFloat(cbcIncrement, 'g', -1, 64),
			"-integerTolerance", tolerance, "-primalTolerance", tolerance,
		}
		if nodes > 0 {
			args = append(args, "-maxNodes", strconv.FormatInt(min(nodes, mostNodes), 10))
		}
		r, err := c.program.Run(ctx, d, append(args, "-printingOptions", "all", "-solve", "-solution", "solution")...)
		if err != nil {
			return err
		}
		if r.Code != 0 || !cbcOptimal(string(r.Stdout)) {
			return errStatus
		}
		data, err := d.Read("solution", solver.MostOutput)
		if err != nil {
			return err
		}
		a, err = parseCBC(string(data), p)
		return err
	})
	return a, err
}

// cbcOptimal reports whether, according to its log, CBC read the model and the options without errors and found an
// optimum. The line that confirms the model and the line that confirms the optimum must each occur exactly once.
func cbcOptimal(log string) bool {
	read, found := 0, 0
	for line := range strings.Lines(log) {
		switch line = strings.TrimSpace(line); {
		case line == "Coin0008I halfspace read with 0 errors":
			read++
		case line == "Result - Optimal solution found":
			found++
		case strings.HasPrefix(line, "Result - "), strings.HasPrefix(line, "No match for "):
			return false
		}
	}
	return read == 1 && found == 1
}

// parseCBC reads a solution of the program p from a solution file of CBC. The first line contains the status and the
// objective. Each other line contains the number, name, value and cost of a row or of a variable.
func parseCBC(text string, p *program) (answer, error) {
	status, rest, _ := strings.Cut(text, "\n")
	objective, ok := strings.CutPrefix(status, "Optimal - objective value ")
	if !ok {
		return answer{}, errStatus
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(objective), 64)
	if err != nil {
		return answer{}, errFormat
	}
	points := newPoint(p)
	for line := range strings.Lines(rest) {
		fields := strings.Fields(line)
		if len(fields) != 4 { // an infeasible row or variable begins with **
			return answer{}, errFormat
		}
		if !strings.HasPrefix(fields[1], "r") && !points.set(fields[1], fields[2]) {
			return answer{}, errFormat
		}
	}
	return points.answer(value - cbcIncrement)
}
