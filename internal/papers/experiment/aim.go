package experiment

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/papers/graphical"
)

// This file implements AIM (McKenna, Mullins, Sheldon and Miklau, AIM: an adaptive and iterative mechanism for
// differentially private synthetic data, 2022). The workload consists either of all two-way marginals or of all
// three-way marginals. AIM first measures every one-way marginal. Each round then does three steps: it selects a
// marginal by the exponential mechanism, measures it, and fits the model again. After a round that changes the model
// little, the noise of later rounds is halved.
//
// The candidates are the marginals of the workload, and all marginals of subsets of their columns. The selection
// prefers marginals on which the error of the model is large in comparison with the noise. The implementation differs
// from the paper in two ways: noise and scores are rounded, so that their distributions are exact, and fits end early
// (package graphical).
const (
	aimRounds = 16           // the number of rounds at the first level of noise, for each column
	aimModel  = 10 << 20 / 8 // maximum number of cells of the model; the authors' default is 80 MB
	aimCells  = 10_000       // maximum number of cells of a marginal of the workload
)

// An aimRun is the state of one run of AIM: the remaining budget, and the measurements so far.
type aimRun struct {
	d         *flat
	b         budget
	left      *big.Rat // the ρ that is not consumed yet
	round     *big.Rat // the ρ of a round
	measured  []graphical.Measurement
	marginals [][]int
}

// aim returns the synthesizer AIM whose workload consists of all marginals of the given number of columns.
func aim(degree int) func(context.Context, *flat, budget) ([][]uint16, error) {
	return func(ctx context.Context, d *flat, b budget) ([][]uint16, error) {
		candidates := aimCandidates(d, degree)
		if len(candidates) == 0 {
			return nil, fmt.Errorf("AIM requires at least one marginal with at most %d cells; group values in the schema", aimCells)
		}
		r := &aimRun{d: d, b: b, left: new(big.Rat).Set(b.rho), round: b.share(1, aimRounds*int64(len(d.sizes)))}
		for j := range d.sizes {
			r.measure([]int{j})
		}
		m, err := graphical.Fit(ctx, d.sizes, r.measured, nil, roundAccuracy)
		if err != nil {
			return nil, err
		}
		for r.left.Sign() > 0 {
			if m, err = r.next(ctx, m, candidates); err != nil {
				return nil, err
			}
		}
		return modelRows(m, b), nil
	}
}

// consume subtracts tenths/10 of the ρ of a round from the remaining budget r.left, and returns this amount.
func (r *aimRun) consume(tenths int64) *big.Rat {
	rho := tenth(r.round, tenths)
	r.left.Sub(r.left, rho)
	return rho
}

func tenth(rho *big.Rat, tenths int64) *big.Rat {
	return new(big.Rat).Mul(rho, big.NewRat(tenths, 10))
}

// measure measures the marginal of the given columns and adds the measurement to r.measured. It consumes nine tenths
// of the ρ of a round.
func (r *aimRun) measure(columns []int) {
	r.measured = append(r.measured, r.b.measurement(r.d, columns, r.consume(9)))
	r.marginals = append(r.marginals, columns)
}

// next executes one round and returns the new model, whose fit starts at the previous model m. The last round
// consumes all of the remaining budget r.left.
func (r *aimRun) next(ctx context.Context, m *graphical.Model, candidates []*scored) (*graphical.Model, error) {
	accuracy := roundAccuracy
	if r.left.Cmp(new(big.Rat).Add(r.round, r.round)) < 0 {
		r.round, accuracy = new(big.Rat).Set(r.left), lastAccuracy
	}
	used := new(big.Rat).Sub(r.b.rho, r.left)
	size, _ := used.Quo(used.Add(used, r.round), r.b.rho).Float64()
	size *= aimModel
	variance, _ := r.b.noise(tenth(r.round, 9)).Sigma2.Float64()
	noise := math.Sqrt(2 / math.Pi * variance) // the mean of its absolute value

	var fitting []*scored
	var scores []int64
	var shares [][]float64
	for _, c := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !m.Holds(c.columns) && graphical.Cells(r.d.sizes, append(r.marginals, c.columns)) > size {
			continue
		}
		p := m.Marginal(c.columns)
		fitting, shares = append(fitting, c), append(shares, p)
		scores = append(scores, c.score(p, m.Total(), noise*float64(len(p))))
	}
	at := r.b.choose(fitting, scores, r.consume(1))
	r.measure(fitting[at].columns)
	next, err := graphical.Fit(ctx, r.d.sizes, r.measured, m, accuracy)
	if err != nil {
		return nil, err
	}
	change := 0.0
	for i, p := range next.Marginal(fitting[at].columns) {
		change += math.Abs(p*next.Total() - shares[at][i]*m.Total())
	}
	if change <= noise*float64(len(shares[at])) {
		r.round = new(big.Rat).Mul(r.round, big.NewRat(4, 1))
	}
	return next, nil
}

// aimCandidates returns the marginals from which AIM selects: the marginals of the workload, and all marginals of
// subsets of their columns. The workload consists of all marginals of degree columns (or of all columns, if the table
// has fewer) that have at most aimCells cells. The weight of a candidate is a sum over the workload: for each
// marginal, the number of columns that it shares with the candidate.
func aimCandidates(d *flat, degree int) (all []*scored) {
	degree = min(degree, len(d.sizes))
	subsets := [][]int{nil}
	for i := 0; i < len(subsets); i++ {
		if of := subsets[i]; len(of) < degree {
			from := 0
			if len(of) > 0 {
				from = of[len(of)-1] + 1
			}
			for j := from; j < len(d.sizes); j++ {
				subsets = append(subsets, append(slices.Clone(of), j))
			}
		}
	}
	var workload [][]int
	occurs := make([]int64, len(d.sizes)) // the number of marginals of the workload that contain each column
	for _, w := range subsets {
		if len(w) == degree && d.cells(w) <= aimCells {
			workload = append(workload, w)
			for _, j := range w {
				occurs[j]++
			}
		}
	}
	for _, of := range subsets[1:] {
		within := func(w []int) bool {
			return !slices.ContainsFunc(of, func(j int) bool { return !slices.Contains(w, j) })
		}
		if !slices.ContainsFunc(workload, within) {
			continue
		}
		s := &scored{columns: of, exact: d.marginal(of...)}
		for _, j := range of {
			s.weight += occurs[j]
		}
		all = append(all, s)
	}
	return all
}
