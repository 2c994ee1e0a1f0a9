package class

import (
	"context"
	"math/big"
)

// MapTree returns the tree t with each hypothesis h replaced by to(h).
func MapTree[H, G any](t Tree[H], to func(H) G) Tree[G] { return &mappedTree[H, G]{t, to} }

type mappedTree[H, G any] struct {
	tree Tree[H]
	to   func(H) G
}

func (t *mappedTree[H, G]) Walker() Walker[G]  { return &mappedWalker[H, G]{t.tree.Walker(), t.to} }
func (t *mappedTree[H, G]) Plan() []int        { return t.tree.Plan() }
func (t *mappedTree[H, G]) Ceiling() int64     { return t.tree.Ceiling() }
func (t *mappedTree[H, G]) WalkerBytes() int64 { return WalkerBytes(t.tree) }

func (t *mappedTree[H, G]) Incumbent() (h G, cost int64) {
	own, cost := t.tree.Incumbent()
	return t.to(own), cost
}

// A mappedWalker is the walker of a mappedTree. Like the other types of this package that wrap a
// class, it does not embed the interface that it wraps: otherwise the compiler would generate a
// second copy of each method.
type mappedWalker[H, G any] struct {
	own Walker[H]
	to  func(H) G
}

func (w *mappedWalker[H, G]) Children() int              { return w.own.Children() }
func (w *mappedWalker[H, G]) Leaves() *big.Int           { return w.own.Leaves() }
func (w *mappedWalker[H, G]) ChildLeaves(i int) *big.Int { return w.own.ChildLeaves(i) }
func (w *mappedWalker[H, G]) Share(i int) Upper          { return w.own.Share(i) }
func (w *mappedWalker[H, G]) Bound() int64               { return w.own.Bound() }
func (w *mappedWalker[H, G]) Exact() bool                { return w.own.Exact() }
func (w *mappedWalker[H, G]) Up()                        { w.own.Up() }
func (w *mappedWalker[H, G]) Hypothesis() G              { return w.to(w.own.Hypothesis()) }

func (w *mappedWalker[H, G]) Down(i int, limit int64) (bound int64, entered bool) {
	return w.own.Down(i, limit)
}

func (w *mappedWalker[H, G]) Mass(lambda *big.Rat) (mass Mass[G], tight bool) {
	own, tight := w.own.Mass(lambda)
	if own == nil {
		return nil, false
	}
	return MapMass(own, 0, w.to), tight
}

// MapMass returns the mass m with each hypothesis h replaced by to(h), and with extra added to
// each cost.
func MapMass[H, G any](m Mass[H], extra int64, to func(H) G) Mass[G] {
	return &mappedMass[H, G]{m, extra, to}
}

type mappedMass[H, G any] struct {
	mass  Mass[H]
	extra int64
	to    func(H) G
}

func (m *mappedMass[H, G]) Bound() (f Upper, least int64) {
	f, least = m.mass.Bound()
	return f, least + m.extra
}

func (m *mappedMass[H, G]) Descend() Descent[G] { return &mappedDescent[H, G]{m.mass.Descend(), m} }

type mappedDescent[H, G any] struct {
	own Descent[H]
	of  *mappedMass[H, G]
}

func (d *mappedDescent[H, G]) Weights(ctx context.Context) ([]uint64, error) {
	return d.own.Weights(ctx)
}
func (d *mappedDescent[H, G]) Take(i int) { d.own.Take(i) }

func (d *mappedDescent[H, G]) Hypothesis() (h G, prior *big.Rat, cost int64) {
	own, prior, cost := d.own.Hypothesis()
	return d.of.to(own), prior, cost + d.of.extra
}
