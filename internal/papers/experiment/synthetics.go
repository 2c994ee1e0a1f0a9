package experiment

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"github.com/sibyl-dp/sibyl/internal/compare"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Synthetics compares the rows that synthesizers (engines) generate with the rows of public tables. Its results are
// not private.
type Synthetics struct {
	Runs
	Engines []string // names of synthesizers, from Synthesizers
	Steps   int64    // the maximum number of steps of the search for the worst conjunction; 0 means no limit

	// Tell receives the result of each engine on each table at each ε.
	Tell func(Synthesized)
}

// triples is the maximum number of three-way marginals in the comparison of two tables.
const triples = 200

// Synthesized holds the results of one engine on one table with one ε. They are means over the releases (draws),
// unless stated otherwise.
type Synthesized struct {
	Table    string `json:"table"`
	Rows     int64  `json:"rows"`
	Engine   string `json:"engine"`
	Epsilon  string `json:"epsilon"`
	Delta    string `json:"delta"`
	Relation string `json:"relation"`

	Draws     int      `json:"draws"`
	Worst     *float64 `json:"worst,omitempty"`    // the largest difference between a conjunction's frequencies in the real and the synthetic rows
	Certified bool     `json:"certified"`          // whether the search proved the worst conjunction in every draw
	Ones      *float64 `json:"ones,omitempty"`     // the mean L1 distance of one-way marginals
	Pairs     *float64 `json:"pairs,omitempty"`    // the mean L1 distance of two-way marginals
	Triples   *float64 `json:"triples,omitempty"`  // the mean L1 distance of three-way marginals
	Area      *float64 `json:"auc,omitempty"`      // the AUC, on the real rows, of a regression trained on the synthetic ones
	Accuracy  *float64 `json:"accuracy,omitempty"` // the accuracy of the same regression

	// Standard errors of the means in the preceding fields.
	WorstError   *float64 `json:"worst_error,omitempty"`
	OnesError    *float64 `json:"ones_error,omitempty"`
	PairsError   *float64 `json:"pairs_error,omitempty"`
	TriplesError *float64 `json:"triples_error,omitempty"`
	AreaError    *float64 `json:"auc_error,omitempty"`

	Seconds   float64 `json:"seconds"`                     // the mean time of a draw
	Processor float64 `json:"seconds_processor,omitempty"` // the maximum processor time of a draw; 0 if unknown
	Bytes     uint64  `json:"bytes"`                       // the maximum memory of the process, sampled periodically

	Left string `json:"left_out,omitempty"` // the reason if there are fewer draws than requested
}

// On generates synthetic rows of the table s by all engines, and compares them with the rows of s.
func (p *Synthetics) On(ctx context.Context, s *Sample) error {
	real, err := flatten(s)
	if err != nil {
		return err
	}
	for _, epsilon := range p.Epsilons {
		rho, err := privacy.RhoWithin(epsilon, p.Delta)
		if err != nil {
			return err
		}
		mu, err := privacy.MuWithin(epsilon, p.Delta)
		if err != nil {
			return err
		}
		for _, e := range synthesizers() {
			if !slices.Contains(p.Engines, e.name) {
				continue
			}
			made, err := p.try(ctx, s.Name, real, e, epsilon, rho.Rat(), mu)
			if err != nil {
				return err
			}
			p.Tell(*made)
		}
	}
	return nil
}

// try runs one engine as often as Draws says. The parameters rho and mu are the largest ρ and μ that the given
// epsilon allows; a run uses one of them as its budget.
func (p *Synthetics) try(ctx context.Context, name string, real *flat, e synthesizer, epsilon privacy.Decimal, rho *big.Rat, mu privacy.Decimal) (*Synthesized, error) {
	out := &Synthesized{Table: name, Rows: real.rows(), Engine: e.name, Epsilon: epsilon.String(), Delta: p.Delta.String(), Relation: p.Relation.String(), Certified: true}
	var worst, ones, twos, threes, areas, accuracies []float64
	for draw := range p.Draws {
		var held uint64
		limited, end := context.WithTimeoutCause(ctx, p.Limit, errLimit)
		debug.FreeOSMemory()
		stop := watchMemory(&held)
		start, before := time.Now(), processorTime()
		rows, err := e.make(limited, real, budget{p.Relation, rho, mu, noise.Crypto(), rand.New(rand.NewPCG(uint64(draw), 1)), new(big.Rat)})
		out.Seconds += time.Since(start).Seconds()
		out.Processor, out.Bytes = max(out.Processor, (processorTime()-before).Seconds()), max(out.Bytes, held)
		stop()
		cause := context.Cause(limited)
		end()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				err = cause
			}
			out.Left = err.Error()
			break
		}
		synthetic, err := real.of(rows)
		if err != nil {
			return nil, err
		}
		d, err := p.differ(ctx, real, synthetic)
		if err != nil {
			return nil, err
		}
		out.Draws++
		out.Certified = out.Certified && d.worst.Certified
		worst, ones, twos, threes = append(worst, d.worst.Error), append(ones, d.ones), append(twos, d.pairs), append(threes, d.triples)
		if d.learned != nil {
			areas, accuracies = append(areas, d.learned.AUC), append(accuracies, d.learned.Accuracy)
		}
	}
	out.Seconds /= float64(max(out.Draws, 1))
	out.Certified = out.Certified && out.Draws > 0
	out.Worst, out.WorstError = meanOf(worst)
	out.Ones, out.OnesError = meanOf(ones)
	out.Pairs, out.PairsError = meanOf(twos)
	out.Triples, out.TriplesError = meanOf(threes)
	out.Area, out.AreaError = meanOf(areas)
	out.Accuracy, _ = meanOf(accuracies)
	return out, nil
}

// A difference holds the distances between a synthetic table and the real table.
type difference struct {
	worst                compare.Worst
	ones, pairs, triples float64
	learned              *compare.Test // nil if the last column is not a binary label
}

// differ measures the distances between a synthetic table and the real table.
func (p *Synthetics) differ(ctx context.Context, real *flat, synthetic *table.Table) (d difference, err error) {
	both, err := compare.New(real.schema, real.table, synthetic)
	if err != nil {
		return d, err
	}
	if d.worst, err = both.WorstConjunction(ctx, compare.Limits{Steps: p.Steps}); err != nil {
		return d, err
	}
	one, err := both.Errors(ctx, 1, compare.Sample{})
	if err != nil {
		return d, err
	}
	two, err := both.Errors(ctx, 2, compare.Sample{})
	if err != nil {
		return d, err
	}
	three, err := both.Errors(ctx, 3, compare.Sample{Most: triples})
	if err != nil {
		return d, err
	}
	d.ones, d.pairs, d.triples = one.MeanL1, two.MeanL1, three.MeanL1
	last := len(real.sizes) - 1
	if real.sizes[last] != 2 || len(real.counts) == 0 {
		return d, nil
	}
	l, err := both.Learn(last)
	if err == nil {
		d.learned = &l.Synthetic
	}
	if errors.Is(err, compare.ErrWide) || errors.Is(err, compare.ErrColumn) {
		return d, nil
	}
	return d, err
}

// Line returns the results as a row of a text table with the columns SynthesizedColumns.
func (s Synthesized) Line() []string {
	number := func(x *float64) string {
		if x == nil {
			return ""
		}
		return fmt.Sprintf("%.4f", *x)
	}
	worst := number(s.Worst)
	if s.WorstError != nil {
		worst += fmt.Sprintf(" ±%.4f", *s.WorstError)
	}
	if s.Worst != nil && !s.Certified {
		worst = "≥" + worst
	}
	return []string{
		s.Table, s.Epsilon, s.Engine, worst, number(s.Ones), number(s.Pairs), number(s.Triples), number(s.Area), number(s.Accuracy),
		fmt.Sprintf("%.2f", s.Seconds), fmt.Sprintf("%.2f", s.Processor), fmt.Sprint(s.Bytes >> 20), s.Left,
	}
}

// SynthesizedColumns returns the header of the rows of Synthesized.Line.
func SynthesizedColumns() []string {
	return []string{"table", "ε", "engine", "worst", "ones", "pairs", "triples", "AUC", "accuracy", "seconds", "processor", "MiB", "left out"}
}

// Published returns published results of other programs on the table adult-discrete as rows of text, for the given ε
// and δ = 1e-9 under add-remove. The programs are AIM (with models of 10 to 80 MB), MST, and MWEM with graphical
// models (MWEM+PGM). The results were measured on the output of the original programs, not of this package.
func Published(epsilon string) (lines [][]string) {
	for _, p := range []struct{ epsilon, engine, worst, pairs, triples, area, accuracy string }{
		{"0.3", "AIM", "0.037", "0.134", "0.251", "", ""},
		{"0.3", "MST", "0.043", "0.171", "0.335", "", ""},
		{"0.3", "MWEM+PGM", "0.095", "0.206", "0.363", "", ""},
		{"1", "AIM", "0.0206", "0.085", "0.183", "0.8990", "0.8458"},
		{"1", "MST", "0.033", "0.105", "0.227", "0.8210", "0.7946"},
		{"1", "MWEM+PGM", "0.059", "0.139", "0.267", "", ""},
		{"3", "AIM", "0.016", "0.056", "0.138", "", ""},
		{"3", "MST", "0.037", "0.091", "0.213", "", ""},
		{"3", "MWEM+PGM", "0.037", "0.096", "0.207", "", ""},
	} {
		if p.epsilon == epsilon {
			lines = append(lines, []string{AdultDiscrete, p.epsilon, p.engine + " (published)", p.worst, "", p.pairs, p.triples, p.area, p.accuracy, "", "", "", ""})
		}
	}
	return lines
}
