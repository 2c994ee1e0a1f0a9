package mip

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/papers/solver"
)

// HiGHS returns the solver HiGHS, which runs the program p. The executable is usually called highs. Version 1.15 was
// tested.
func HiGHS(p solver.Program) Solver { return highs{p} }

type highs struct{ program solver.Program }

func (highs) String() string { return "HiGHS" }

func (h highs) solve(ctx context.Context, p *program, nodes int64) (a answer, err error) {
	options := fmt.Sprintf("mip_rel_gap = 0\nmip_abs_gap = 0\nmip_feasibility_tolerance = %s\nprimal_feasibility_tolerance = %[1]s\n", tolerance)
	if nodes > 0 {
		options += fmt.Sprintf("mip_max_nodes = %d\n", min(nodes, mostNodes))
	}
	err = solver.InDir(func(d solver.Dir) error {
		if err := d.Write("model.mps", p.writeMPS); err != nil {
			return err
		}
		if err := d.Write("options", func(w io.Writer) error { _, err := io.WriteString(w, options); return err }); err != nil {
			return err
		}
		r, err := h.program.Run(ctx, d, "model.mps", "--options_file=options", "--solution_file=solution")
		if err != nil {
			return err
		}
		bound, err := highsBound(string(r.Stdout))
		if err != nil || r.Code != 0 {
			return errStatus
		}
		data, err := d.Read("solution", solver.MostOutput)
		if err != nil {
			return err
		}
		a, err = parseHiGHS(string(data), p, bound)
		return err
	})
	return a, err
}

// highsBound reads the lower bound on the objective from the log of HiGHS. The log must contain exactly one solving
// report, with the status Optimal.
func highsBound(log string) (float64, error) {
	_, report, ok := strings.Cut(log, "\nSolving report\n")
	if !ok || strings.Contains(report, "\nSolving report\n") {
		return 0, errStatus
	}
	only := func(name string) string {
		var found []string
		for line := range strings.Lines(report) {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+"  "); ok {
				found = append(found, strings.TrimSpace(value))
			}
		}
		if len(found) != 1 {
			return ""
		}
		return found[0]
	}
	if only("Status") != "Optimal" {
		return 0, errStatus
	}
	return strconv.ParseFloat(only("Dual bound"), 64)
}

// parseHiGHS reads a solution of the program p from a file in HiGHS's raw format. It returns the solution together with
// the given bound.
func parseHiGHS(text string, p *program, bound float64) (answer, error) {
	status, rest, ok := strings.Cut(text, "\n# Primal solution values\n")
	if !ok || strings.TrimSpace(status) != "Model status\nOptimal" {
		return answer{}, errStatus
	}
	feasible, rest, _ := strings.Cut(rest, "\n")
	_, rest, _ = strings.Cut(rest, "\n") // the objective
	columns, rest, _ := strings.Cut(rest, "\n")
	if feasible != "Feasible" || columns != fmt.Sprintf("# Columns %d", len(p.variables)) {
		return answer{}, errStatus
	}
	points := newPoint(p)
	for line := range strings.Lines(rest) {
		if strings.HasPrefix(line, "#") {
			return points.answer(bound)
		}
		fields := strings.Fields(line)
		if len(fields) != 2 || !points.set(fields[0], fields[1]) {
			return answer{}, errFormat
		}
	}
	return answer{}, errFormat
}
