package compare

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/internal/rule"
)

// Parities describes a class of parities (exclusive ors) over bits of the columns. A column has one bit for each value
// except the first or, if Digits is true, the binary digits of the value's code as bits.
type Parities struct {
	Digits bool
	Most   int // the maximum number of bits of a parity; 0 for no limit
}

// mostTabulated and mostParities limit the size of a class of parities. With at most mostTabulated bits, the
// differences of all parities are computed in one table. With more bits, there may be at most mostParities parities,
// each of which takes a few accesses to all records.
const (
	mostTabulated = 22
	mostParities  = 1 << 17
)

// Validate returns an error if the class is invalid for columns with the given numbers of values, or if the proof for
// this class would take too long.
func (o Parities) Validate(sizes []int) error {
	_, err := o.over(sizes)
	return err
}

// over returns the class of parities that o describes, for columns with the given numbers of values.
func (o Parities) over(sizes []int) (class.Class[[]uint16, parity.Parity], error) {
	c, err := parity.New(parity.Attributes(sizes, o.Digits), parity.Options{Most: o.Most})
	if err != nil {
		return nil, err
	}
	if c.Bits() <= mostTabulated {
		return tabulated.New[[]uint16](c)
	}
	if c.Size().Cmp(big.NewInt(mostParities)) > 0 {
		return nil, fmt.Errorf("compare: %v parities of %d bits are too many for a proof; with more than %d bits, at most %d parities are supported; limit the bits of a parity", c.Size(), c.Bits(), mostTabulated, mostParities)
	}
	return c, nil
}

// WorstParity finds the parity, among those that o describes, for which the shares of rows that satisfy it differ most
// between the two tables. It proves that no other parity differs more. It returns the errors of Validate, and the
// context's error.
func (p *Pair) WorstParity(ctx context.Context, o Parities) (Worst, error) {
	h, difference, err := worstOf(ctx, p, o.over)
	if err != nil {
		return Worst{}, err
	}
	bits := rule.Bits(p.sizes, o.Digits)
	most := len(bits)
	if o.Most > 0 {
		most = min(o.Most, most)
	}
	var q rule.Odd
	for i, b := range bits {
		if h.Bits>>i&1 == 1 {
			q = append(q, b)
		}
	}
	if err := p.checkParity(ctx, q, difference, bits, most); err != nil {
		return Worst{}, err
	}
	w := p.worst(rule.Decision{Formula: q})
	w.Order, w.Certified = most, true
	return w, nil
}
