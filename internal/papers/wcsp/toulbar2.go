package wcsp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/papers/network"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
)

// Toulbar2 returns the solver toulbar2, which runs the program p. It must have version 1.1.1, or a later version with
// the same options. Budget.Nodes limits the number of backtracks. The solver fails for networks whose Spread exceeds
// MostSpread.
//
// toulbar2 computes costs and bounds in integers.
func Toulbar2(p solver.Program) network.Solver { return toulbar2{p} }

// MostSpread is the maximum Spread of a network. It must be far below 5·10¹⁷, because toulbar2 treats assignments with
// a cost of 5·10¹⁷ or more as forbidden.
const MostSpread = 1 << 52

type toulbar2 struct{ program solver.Program }

// solution is the name of the file to which the solver writes its best assignment.
const solution = "solution"

// errOutput is returned if the output of toulbar2 reports no optimum. It does not quote the output, which is private.
var errOutput = fmt.Errorf("%w: toulbar2 reports no optimum", oracle.ErrFail)

func (t toulbar2) Solve(ctx context.Context, n *network.Network, incumbent int64, b oracle.Budget) ([]int, int64, error) {
	spread := n.Spread()
	if spread > MostSpread {
		return nil, 0, fmt.Errorf("%w: costs exceed 2^52, which toulbar2 does not support", oracle.ErrFail)
	}
	top := min(incumbent-n.Base, spread) + 1
	args := []string{"network.wcsp", "-w=" + solution, "-nopre", "-hbfs:", "-var=" + strconv.Itoa(len(n.Costs))}
	if b.Nodes > 0 {
		args = append(args, "-bt="+strconv.FormatInt(b.Nodes, 10))
	}
	var assignment []int
	var excess int64
	err := solver.InDir(func(d solver.Dir) error {
		if err := d.Write(args[0], func(w io.Writer) error { return write(w, n, top) }); err != nil {
			return err
		}
		r, err := t.program.Run(ctx, d, args...)
		if err != nil {
			return err
		}
		if excess, err = optimum(r); err != nil {
			return err
		}
		text, err := d.Read(solution, solver.MostOutput)
		if err != nil {
			return errOutput
		}
		assignment, err = values(text, len(n.Costs))
		return err
	})
	if err != nil {
		return nil, 0, oracle.Failure(ctx, err)
	}
	return assignment, n.Base + excess, nil
}

// optimum returns the cost that toulbar2 reports as optimal. The output must contain exactly one complete line that
// begins with "Optimum:". The exit status must be 0, but this alone does not prove that an optimum was found.
func optimum(r solver.Result) (int64, error) {
	claims, cost := 0, int64(0)
	for line := range bytes.Lines(r.Stdout) {
		claim, ok := bytes.CutPrefix(line, []byte("Optimum: "))
		if !ok {
			continue
		}
		number, rest, ok := bytes.Cut(claim, []byte(" in "))
		v, err := strconv.ParseInt(string(number), 10, 64)
		if !ok || err != nil || v < 0 || v > MostSpread || !bytes.HasSuffix(rest, []byte("seconds.\n")) {
			return 0, errOutput
		}
		claims, cost = claims+1, v
	}
	if r.Code != 0 || claims != 1 {
		return 0, errOutput
	}
	return cost, nil
}

// values reads the values of the first n variables from a solution file.
func values(text []byte, n int) ([]int, error) {
	fields := bytes.Fields(text)
	if len(fields) < n {
		return nil, errOutput
	}
	out := make([]int, n)
	for i := range out {
		v, err := strconv.Atoi(string(fields[i]))
		if err != nil {
			return nil, errOutput
		}
		out[i] = v
	}
	return out, nil
}
