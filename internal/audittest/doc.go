// Package audittest holds helpers for the audits of several packages: small classes of scorecards, tables of every
// audit.Shape, tables of persons, and mechanisms whose privacy loss is known exactly. It also has checks of many pairs
// of tables at once (sweeps). Package internal/audit uses it to audit the mechanisms of learn, synth, pairs and risk,
// and internal/papers/audit uses it to audit those of the papers.
package audittest

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Examples are labelled records whose attributes are category codes.
type Examples = []learn.Example[[]uint16]

// Bit returns 1 if b is true, and 0 if b is false.
func Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A claiming is a mechanism that claims another guarantee than its own.
type claiming[D, H any] struct {
	privacy.Mechanism[D, H]
	guarantee privacy.Guarantee
}

func (m claiming[D, H]) Guarantee() privacy.Guarantee { return m.guarantee }

func (m claiming[D, H]) Release(ctx context.Context, d D, c noise.Coins) (H, error) {
	return m.Mechanism.Release(ctx, d, c)
}

// Claiming returns the mechanism m with the guarantee g instead of its own. Tests use it with false guarantees, which
// an audit must refute.
func Claiming[D, H any](m privacy.Mechanism[D, H], g privacy.Guarantee) privacy.Mechanism[D, H] {
	return claiming[D, H]{m, g}
}
