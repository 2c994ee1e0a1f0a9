package pb

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/papers/network"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/solver"
)

// Clasp returns the solver clasp, version 3.3, which runs the program p. Budget.Nodes limits the number of conflicts,
// to at most 2^31-1. The solver fails if the absolute value of a coefficient exceeds 2^31-1.
func Clasp(p solver.Program) network.Solver { return clasp{p} }

type clasp struct{ program solver.Program }

var (
	errRange = fmt.Errorf("%w: a number of the problem exceeds 32 bits, which clasp does not support", oracle.ErrFail)
	// errOutput is returned if clasp reports no optimum. It has no details, since the output of clasp is private.
	errOutput = fmt.Errorf("%w: clasp reports no optimum", oracle.ErrFail)
)

func (c clasp) Solve(ctx context.Context, n *network.Network, incumbent int64, b oracle.Budget) ([]int, int64, error) {
	p := newProblem(n)
	if !p.fits() {
		return nil, 0, errRange
	}
	base := n.Base + p.objective.constant
	args := []string{"network.opb", "--quiet=1", "--opt-mode=opt," + strconv.FormatInt(incumbent-base, 10)}
	if b.Nodes > 0 {
		args = append(args, "--solve-limit="+strconv.FormatInt(min(b.Nodes, math.MaxInt32), 10))
	}
	var bits []bool
	var excess int64
	err := solver.InDir(func(d solver.Dir) error {
		if err := d.Write(args[0], p.write); err != nil {
			return err
		}
		r, err := c.program.Run(ctx, d, args...)
		if err != nil {
			return err
		}
		bits, excess, err = optimum(r, p.bits)
		return err
	})
	if err != nil {
		return nil, 0, oracle.Failure(ctx, err)
	}
	assignment, err := p.assignment(n, bits)
	return assignment, base + excess, err
}

// foundOptimum is the exit status with which clasp reports that it found an optimum and completed the search.
const foundOptimum = 30

// optimum returns the values of the n bits that clasp reports as optimal, and their cost. The output must contain one
// line with the status, one line with the cost, and lines that together name each bit exactly once.
func optimum(r solver.Result, n int) (bits []bool, cost int64, err error) {
	costs, statuses := 0, 0
	bits = make([]bool, n)
	named := make([]bool, n)
	missing := n
	for line := range bytes.Lines(r.Stdout) {
		fields := bytes.Fields(line)
		if len(fields) == 0 {
			continue
		}
		switch string(fields[0]) {
		case "s":
			if string(line) != "s OPTIMUM FOUND\n" {
				return nil, 0, errOutput
			}
			statuses++
		case "o":
			if len(fields) != 2 {
				return nil, 0, errOutput
			}
			costs++
			if cost, err = strconv.ParseInt(string(fields[1]), 10, 64); err != nil {
				return nil, 0, errOutput
			}
		case "v":
			for _, literal := range fields[1:] {
				name, negative := bytes.CutPrefix(literal, []byte("-"))
				number, ok := bytes.CutPrefix(name, []byte("x"))
				bit, err := strconv.Atoi(string(number))
				if !ok || err != nil || bit < 1 || bit > n || named[bit-1] {
					return nil, 0, errOutput
				}
				bits[bit-1], named[bit-1] = !negative, true
				missing--
			}
		}
	}
	if r.Code != foundOptimum || costs != 1 || statuses != 1 || missing != 0 {
		return nil, 0, errOutput
	}
	return bits, cost, nil
}

// assignment converts bits to values of the network's variables: the value of a variable is the number of its bits
// that are set. The set bits must come first: assignment fails if a bit of a variable is set and an earlier one is
// not.
func (p *problem) assignment(n *network.Network, bits []bool) ([]int, error) {
	out := make([]int, len(n.Costs))
	for v, first := range p.first {
		own := bits[first : first+len(n.Costs[v])-1]
		for a, set := range own {
			if set && out[v] != a {
				return nil, errOutput
			}
			if set {
				out[v]++
			}
		}
	}
	return out, nil
}
