package profile

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Magnitudes is the mechanism that releases noisy counts of the numbers of each column by order of magnitude. It adds
// independent noise to the count of each group (see Column): discrete Laplace noise for a pure guarantee, and discrete
// Gaussian noise for zCDP.
//
// Guarantee: ε-differential privacy or ρ-zCDP under the relation (docs/explanation/proofs/profile.md). Each column
// receives an equal share of the budget. Let w be the number of units (see table.Counts) of a person. Adding or
// removing a person changes the counts of a column by at most w in total. Replacing a person removes at most w units
// and adds at most w.
type Magnitudes struct {
	guarantee privacy.Guarantee
	gaussian  privacy.Guarantee // see Gaussian
	columns   int
	law       noise.Sampler
	deviation float64 // about the standard deviation of the noise, in units
}

// NewMagnitudes returns the mechanism for the given number of columns, with the guarantee g. This must be a
// privacy.Pure or a privacy.ZCDP.
func NewMagnitudes(columns int, g privacy.Guarantee) (*Magnitudes, error) {
	if columns < 1 {
		return nil, errors.New("profile: at least one column is required")
	}
	weight := table.Weight(g.Relation().Persons())
	changed := big.NewRat(weight*int64(columns), 1)
	if g.Relation().Replaces() {
		changed.Add(changed, changed)
	}
	m := &Magnitudes{guarantee: g, gaussian: g, columns: columns}
	switch g := g.(type) {
	case privacy.Pure:
		scale := changed.Quo(changed, g.Epsilon().Rat())
		m.law = noise.Laplace{Scale: scale}
		m.deviation, _ = scale.Float64()
		m.deviation *= math.Sqrt2
	case privacy.ZCDP:
		changed.Mul(changed, big.NewRat(weight, 1)) // the squared L2 sensitivity
		variance := g.NoiseWithin(changed, g.Total())
		var err error
		if m.gaussian, err = withSquare(g, privacy.NoiseSquare(changed, variance)); err != nil {
			return nil, err
		}
		m.law = noise.Gaussian{Sigma2: variance}
		m.deviation, _ = variance.Float64()
		m.deviation = math.Sqrt(m.deviation)
	default:
		return nil, fmt.Errorf("profile: the guarantee must be pure or zCDP, but it is %T", g)
	}
	return m, nil
}

// Guarantee returns the privacy guarantee of each release of the mechanism.
func (m *Magnitudes) Guarantee() privacy.Guarantee { return m.guarantee }

// Gaussian returns the guarantee of each release, including the μ² of its noise if it is zCDP. If the noise is too
// small for a GDP guarantee, it returns Guarantee.
func (m *Magnitudes) Gaussian() privacy.Guarantee { return m.gaussian }

// heavyDeviations is the minimum noisy count of a heavy group, in standard deviations of the noise. A heavy group has
// many rows compared with the noise.
const heavyDeviations = 3

// Heavy returns the minimum noisy count of a heavy group, in units (see table.Counts). A heavy group has many rows
// compared with the noise.
func (m *Magnitudes) Heavy() *big.Int {
	heavy, _ := big.NewFloat(math.Ceil(heavyDeviations * m.deviation)).Int(nil)
	return heavy
}

// Release returns the noisy count of each group of each column, in units (see table.Counts). Values that are not
// numbers belong to no group and are not counted. The columns must be the first attributes of the data, in order.
// Release returns the errors of the data d. If the sizes of the data do not fit the grids of the columns, it returns
// an error before it uses any randomness.
func (m *Magnitudes) Release(ctx context.Context, d table.Counts, columns []*Column, coins noise.Coins) ([][]*big.Int, error) {
	if len(columns) != m.columns || len(d.Sizes()) < m.columns {
		return nil, errors.New("profile: the columns of the data differ from those of the mechanism")
	}
	var of [][]table.Axis
	for j, c := range columns {
		if d.Sizes()[j] != len(c.groups)+1 {
			return nil, fmt.Errorf("profile: column %d of the data must have one code for each cell of its grid, and one more for other values", j+1)
		}
		cells := make([]uint16, len(c.groups)+1)
		for i, group := range c.groups {
			cells[i] = uint16(group)
		}
		cells[len(c.groups)] = uint16(c.size())
		of = append(of, []table.Axis{{Column: j, Cells: cells, Size: c.size() + 1}})
	}
	counts, err := d.Marginals(ctx, of)
	if err != nil {
		return nil, err
	}
	all := make([][]*big.Int, len(columns))
	for j, c := range columns {
		for _, n := range counts[j][:c.size()] {
			noisy := coins.Draw(m.law)
			all[j] = append(all[j], noisy.Add(noisy, big.NewInt(n)))
		}
	}
	return all, nil
}
