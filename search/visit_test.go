package search

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// A checker is the checker of a root with leaves of the bounds 0, 1, 2, …, and records the leaves whose bound it computes.
type checker struct {
	leaves, at int
	bounds     []int
}

func (k *checker) Children() int {
	if k.at < 0 {
		return k.leaves
	}
	return 0
}

func (k *checker) Down(i int) { k.at = i }
func (k *checker) Up()        { k.at = -1 }

func (k *checker) Bound() int64 {
	k.bounds = append(k.bounds, k.at)
	return int64(k.at)
}

// A quickChecker knows of even leaves whether they reach a cost.
type quickChecker struct{ checker }

func (k *quickChecker) Reaches(cost int64) bool { return k.at%2 == 0 && int64(k.at) >= cost }

// rootSplit is a certificate of the given cost for a root whose children are all closed.
func rootSplit(children int, cost int64) *Certificate {
	c := &Certificate{Cost: cost, Nodes: int64(1 + children), Bits: make([]byte, 1+children/8)}
	c.Bits[0] = 1
	return c
}

// Verify does not compute the bound of a node that reaches the cost.
func TestVerifyAsksQuickCheckers(t *testing.T) {
	k := &quickChecker{checker{leaves: 9, at: -1}}
	v := &verifier{ctx: context.Background(), k: k, cert: rootSplit(9, 0)}
	if err := v.visit(); err != nil || !slices.Equal(k.bounds, []int{1, 3, 5, 7}) {
		t.Errorf("bounds of %v, %v", k.bounds, err)
	}
	for cost := range int64(2) { // leaf 0 does not reach 1
		v := &verifier{ctx: context.Background(), k: &quickChecker{checker{leaves: 2, at: -1}}, cert: rootSplit(2, cost)}
		if err := v.visit(); errors.Is(err, ErrCertificate) != (cost == 1) {
			t.Errorf("cost %d: %v", cost, err)
		}
	}
}

// Verify asks for the error of the context once in 256 nodes.
func TestVerifyHeedsContext(t *testing.T) {
	const leaves, calls = 1000, 1 << 20
	ctx := &countdown{t.Context(), calls}
	v := &verifier{ctx: ctx, k: &checker{leaves: leaves, at: -1}, cert: rootSplit(leaves, 0)}
	if err := v.visit(); err != nil || ctx.left != calls-4 || v.at != 1+leaves {
		t.Errorf("%v, %d calls, %d nodes", err, calls-ctx.left, v.at)
	}
	for left := range 4 {
		v := &verifier{ctx: &countdown{t.Context(), left}, k: &checker{leaves: leaves, at: -1}, cert: rootSplit(leaves, 0)}
		if err := v.visit(); !errors.Is(err, context.Canceled) || v.at != int64(256*left) {
			t.Errorf("a context that ends at call %d: %v after %d nodes", left+1, err, v.at)
		}
	}
}

// A certificate has at least one node, and one byte for each eight nodes.
func TestWellFormed(t *testing.T) {
	for nodes := int64(-9); nodes < 30; nodes++ {
		for size := range 5 {
			c := Certificate{Nodes: nodes, Bits: make([]byte, size)}
			if err := c.wellFormed(); (err == nil) != (nodes > 0 && int64(size) == (nodes+7)/8) {
				t.Errorf("%d nodes in %d bytes: %v", nodes, size, err)
			}
		}
	}
}
