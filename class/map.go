package class

import "math/big"

// MapTree returns the tree with each hypothesis h replaced by to(h).
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

type mappedWalker[H, G any] struct {
	Walker[H]
	to func(H) G
}

func (w *mappedWalker[H, G]) Hypothesis() G { return w.to(w.Walker.Hypothesis()) }

func (w *mappedWalker[H, G]) Mass(lambda *big.Rat) (mass Mass[G], tight bool) {
	own, tight := w.Walker.Mass(lambda)
	if own == nil {
		return nil, false
	}
	return MapMass(own, 0, w.to), tight
}

// MapMass returns the mass with each hypothesis h replaced by to(h), and with extra added to each
// cost.
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
	Descent[H]
	of *mappedMass[H, G]
}

func (d *mappedDescent[H, G]) Hypothesis() (h G, prior *big.Rat, cost int64) {
	own, prior, cost := d.Descent.Hypothesis()
	return d.of.to(own), prior, cost + d.of.extra
}
