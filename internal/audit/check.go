package audit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Report is the result of checking a claim of pure ε-differential privacy.
type Report[T comparable] struct {
	Epsilon  privacy.Decimal
	Relation privacy.Relation
	Pairs    int // the number of pairs of neighbours that were compared
	// Worst encloses the largest log-ratio of all pairs of neighbours. Worst.At is an outcome for the pair
	// Counterexample, which holds two indices of the world's tables.
	Worst          LogRatio[T]
	Counterexample [2]int
	// Outcomes is the number of different outcomes that were seen on any table.
	Outcomes int
}

// Refuted reports whether the claim is proved false: the log-ratio of the outcome Worst.At exceeds
// ε on the pair of tables Counterexample.
func (r Report[T]) Refuted() bool {
	up, _ := r.Epsilon.Rat().Float64()
	return r.Worst.Lower > math.Nextafter(up, math.Inf(1))
}

// Confirmed reports whether the guarantee holds, up to slack, on all tables of the world: ε + slack
// is an upper bound on the log-ratio of every outcome that was seen, and all other outcomes
// together have a probability of at most slack. If neither Refuted nor Confirmed returns true, the
// check is inconclusive. Repeat it with a lower Options.Floor.
func (r Report[T]) Confirmed(slack float64) bool {
	epsilon, _ := r.Epsilon.Rat().Float64()
	return r.Pairs > 0 && r.Worst.Upper <= epsilon+slack && r.Worst.Unseen <= slack
}

// String describes the report: the interval that contains the largest log-ratio of two neighbours,
// in units of ε.
func (r Report[T]) String() string {
	epsilon, _ := r.Epsilon.Rat().Float64()
	return fmt.Sprintf("ε = %v (%v): %.9f to %.9f ε over %d pairs and %d outcomes, all but %.1g of the probability seen",
		r.Epsilon, r.Relation, r.Worst.Lower/epsilon, r.Worst.Upper/epsilon, r.Pairs, r.Outcomes, r.Worst.Unseen)
}

// ErrNotPure reports that the guarantee to check is not ε-DP with a finite ε and δ = 0.
var ErrNotPure = errors.New("audit: the guarantee must have δ = 0")

// ErrRelation reports that the neighbour relation of a world differs from that of the guarantee to check.
var ErrRelation = errors.New("audit: the neighbour relation of the tables differs from that of the guarantee")

// Check computes the output distribution of run on every table of the world, and compares the distributions of all
// pairs of neighbours with the given ε. If run returns an error, Check stops and returns this error.
//
// A mechanism that can fail after it has read data reveals something by its failure. So the failure is an outcome
// that the guarantee must cover, and the parameter run must return it as a value of T, not as an error.
func Check[D any, T comparable](run func(D, noise.Coins) (T, error), epsilon privacy.Decimal, w World[D], o Options) (Report[T], error) {
	o = o.filled()
	laws := make([]Law[T], len(w.Tables))
	seen := map[T]bool{}
	recheck := o.Recheck
	for i, table := range w.Tables {
		var failed error
		law, left, err := enumerateRechecking(func(c noise.Coins) T {
			x, err := run(table, c)
			if err != nil && failed == nil {
				failed = err
			}
			return x
		}, o, recheck)
		if err = errors.Join(err, failed); err != nil {
			return Report[T]{}, fmt.Errorf("table %d: %w", i, err)
		}
		laws[i], recheck = law, left
		for x := range law.lower {
			seen[x] = true
		}
	}
	r := Report[T]{Epsilon: epsilon, Relation: w.Relation, Pairs: len(w.Pairs), Outcomes: len(seen)}
	for _, pair := range w.Pairs {
		c := Compare(laws[pair[0]], laws[pair[1]])
		if c.Lower > r.Worst.Lower {
			r.Worst.Lower, r.Worst.At, r.Counterexample = c.Lower, c.At, pair
		}
		r.Worst.Upper = max(r.Worst.Upper, c.Upper)
		r.Worst.Unseen = max(r.Worst.Unseen, c.Unseen)
	}
	return r, nil
}

// CheckMechanism compares the output distributions of a mechanism with the ε of its own guarantee. This guarantee must
// be pure, and its neighbour relation must be that of the world. The function name must map different outcomes to
// different texts.
func CheckMechanism[D, T any](m privacy.Mechanism[D, T], name func(T) string, w World[D], o Options) (Report[string], error) {
	g := m.Guarantee()
	if g.Relation() != w.Relation {
		return Report[string]{}, fmt.Errorf("%w: it is %v for the tables, and %v for the guarantee", ErrRelation, w.Relation, g.Relation())
	}
	epsilon, err := privacy.Epsilon(g, privacy.Decimal{})
	if err != nil {
		return Report[string]{}, fmt.Errorf("%w: %w", ErrNotPure, err)
	}
	return Check(func(d D, c noise.Coins) (string, error) {
		x, err := m.Release(context.Background(), d, c)
		if err != nil {
			return "", err
		}
		return name(x), nil
	}, epsilon, w, o)
}
