package oracletest

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// Own tests the two oracles of package oracle, exhaustive enumeration and search, on the fixed cases of the suite s.
func Own[X, H any](t *testing.T, s classtest.Suite[X, H]) {
	for name, c := range s.Fixed {
		t.Run(name, func(t *testing.T) {
			Run(t, c, oracle.Exhaust[X, H])
			Run(t, c, BySearch[X, H])
		})
	}
}

// BySearch returns the oracle oracle.Search(c). Tests use it as a constructor of type New.
func BySearch[X, H any](c class.Enumerable[X, H]) (oracle.Minimizer[X, H], error) {
	return oracle.Search(c), nil
}

// Weak wraps an oracle and changes its Kind to Certifiable, so that callers must expect failures.
type Weak[X, H any] struct{ oracle.Minimizer[X, H] }

// Kind returns oracle.Certifiable.
func (Weak[X, H]) Kind() oracle.Kind { return oracle.Certifiable }

// Floating wraps an oracle and changes its Kind to Certifiable. Its method FloatBound states that its answers rely on
// a bound that was computed in floating point.
type Floating[X, H any] struct{ oracle.Minimizer[X, H] }

// Kind returns oracle.Certifiable.
func (Floating[X, H]) Kind() oracle.Kind { return oracle.Certifiable }

// FloatBound returns true.
func (Floating[X, H]) FloatBound() bool { return true }
