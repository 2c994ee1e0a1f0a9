package audit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Report is the result of the test of one claim of pure ε-differential privacy.
type Report[T comparable] struct {
	Epsilon  privacy.Decimal
	Relation privacy.Relation
	Pairs    int // of neighbours compared
	// Worst encloses the largest log-ratio of all pairs; At is an outcome of
	// the pair Counterexample, positions in the world's tables.
	Worst          LogRatio[T]
	Counterexample [2]int
	// Outcomes is the number of outcomes seen anywhere.
	Outcomes int
}

// Refuted reports that the claim is false: on the pair Counterexample, the
// outcome Worst.At betrays more than ε.
func (r Report[T]) Refuted() bool {
	up, _ := r.Epsilon.Rat().Float64()
	return r.Worst.Lower > math.Nextafter(up, math.Inf(1))
}

// Confirmed reports that on all tables of the world ε + slack is an upper bound
// for every outcome seen, and that all others have a probability of at most
// slack together. Where neither Refuted nor Confirmed holds, nothing is known:
// lower the floor.
func (r Report[T]) Confirmed(slack float64) bool {
	epsilon, _ := r.Epsilon.Rat().Float64()
	return r.Pairs > 0 && r.Worst.Upper <= epsilon+slack && r.Worst.Unseen <= slack
}

// String gives the enclosure in units of ε.
func (r Report[T]) String() string {
	epsilon, _ := r.Epsilon.Rat().Float64()
	return fmt.Sprintf("ε = %v (%v): %.9f to %.9f ε over %d pairs and %d outcomes, all but %.1g of the probability seen",
		r.Epsilon, r.Relation, r.Worst.Lower/epsilon, r.Worst.Upper/epsilon, r.Pairs, r.Outcomes, r.Worst.Unseen)
}

// ErrNotPure reports a guarantee that no finite ε at δ = 0 states.
var ErrNotPure = errors.New("audit: the guarantee is not pure")

// ErrRelation reports a world whose neighbours are not those of the guarantee.
var ErrRelation = errors.New("audit: the world has another neighbour relation than the guarantee")

// Check enumerates the law of run on every table of the world and compares all
// neighbours. A run that returns an error ends the check with it: a
// mechanism's failures after it has read data are outcomes, to be made values
// of T by the caller if the guarantee is to cover them.
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

// CheckMechanism checks a mechanism against the ε of its own guarantee, which must be pure and
// under the relation of the world. name distinguishes the outcomes.
func CheckMechanism[D, T any](m privacy.Mechanism[D, T], name func(T) string, w World[D], o Options) (Report[string], error) {
	g := m.Guarantee()
	if g.Relation() != w.Relation {
		return Report[string]{}, fmt.Errorf("%w: %v and %v", ErrRelation, w.Relation, g.Relation())
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
