package pairs

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

// MostSigns is the greatest number D of signs of a row: the nearest correlation matrix
// takes about 20·D³ operations and 40·D² bytes.
const MostSigns = 1100

// A Mechanism releases noisy sums of the signs of all rows and of their products: the
// number of rows, then of each column its m sums, then of each pair of columns, in order,
// its m·m′ sums, the first column's sign changing last. Null rows count for nothing.
//
// Guarantee: ρ-zCDP under its relation, with discrete Gaussian noise of parameter bc in
// each of the b sums of a block, and of c/v in the number of rows. Adding a row moves every
// sum by one, which is v + B in units of the noise; replacing it changes the sign of some
// products, which is at most 4·flips (docs/explanation/proofs/pairs.md, theorems 1 and 2). Of persons,
// sums are in units, of which a person weighs table.Weight, and c is as many times as
// large, squared.
type Mechanism struct {
	guarantee  privacy.ZCDP
	attributes []attribute
	labelled   bool
	signs      int
	parameter  *big.Rat // c
	total      *big.Rat // v
	variance   map[int]float64
}

// New returns the mechanism over tables of these sizes, with their outcome as the last
// column where outcomes is not 0. More than MostSigns signs are an error, in one sentence.
func New(sizes []int, outcomes int, g privacy.ZCDP) (*Mechanism, error) {
	m := &Mechanism{guarantee: g, labelled: outcomes != 0}
	if m.labelled {
		sizes = append(sizes[:len(sizes):len(sizes)], outcomes)
	}
	for j, k := range sizes {
		if k < 1 || k > math.MaxUint16+1 {
			return nil, fmt.Errorf("pairs: column %d has %d values", j+1, k)
		}
	}
	if outcomes > table.MostOutcomes { // a negative one is refused as a size
		return nil, fmt.Errorf("pairs: an outcome of %d values", outcomes)
	}
	if m.attributes, m.signs = coded(sizes); m.signs > MostSigns {
		return nil, fmt.Errorf("the columns have %d signs, one less than the next power of two of their values each, of which pairs takes %d in all; make groups of values, or take fewer columns", m.signs-1, MostSigns-1)
	}
	if g.Rho().Sign() <= 0 {
		return nil, errors.New("pairs: the zero guarantee, which affords nothing")
	}
	m.parameter = m.moves()
	m.parameter.Quo(m.parameter, new(big.Rat).Add(g.Rho(), g.Rho()))
	weight := new(big.Rat).SetInt64(m.weight())
	m.parameter.Mul(m.parameter, weight.Mul(weight, weight))
	m.variance = m.variances()
	return m, nil
}

// Guarantee returns the guarantee, which holds for every release.
func (m *Mechanism) Guarantee() privacy.Guarantee { return m.guarantee }

// weight is what a row or person weighs.
func (m *Mechanism) weight() int64 { return table.Weight(m.guarantee.Relation().Persons()) }

// moves bounds how far neighbours move the sums: the squared changes, each divided by its
// noise in units of c.
func (m *Mechanism) moves() *big.Rat {
	var u []*big.Rat
	for _, a := range m.attributes {
		if a.signs() > 0 {
			u = append(u, big.NewRat(1, int64(a.signs())))
		}
	}
	d := int64(len(u))
	m.total = big.NewRat(d+d*(d-1)/2, totalShare)
	if one := big.NewRat(1, 1); m.total.Cmp(one) < 0 {
		m.total = one
	}
	most := big.NewRat(d+d*(d-1)/2, 1) // a row that comes or goes, or is null on one side
	most.Add(most, m.total)
	if !m.guarantee.Relation().Replaces() {
		return most
	}
	flipped := flips(u)
	if flipped.Mul(flipped, big.NewRat(4, 1)); flipped.Cmp(most) > 0 {
		return flipped
	}
	return most
}

// totalShare is how many times as much of ρ all blocks have as the number of rows, at
// least, by which all counts are multiplied.
const totalShare = 19

// Release draws the noisy sums. It fails as the data does, or where that is of other sizes,
// before any draw.
func (m *Mechanism) Release(ctx context.Context, d table.Counts, coins noise.Coins) ([]*big.Int, error) {
	if err := m.fits(d); err != nil {
		return nil, err
	}
	sums, err := m.sums(ctx, d)
	if err != nil {
		return nil, err
	}
	noisy := make([]*big.Int, 0, len(sums))
	m.blocks(func(j, _, size int) {
		law := m.law(j, size)
		for range size {
			k := coins.Draw(law)
			noisy = append(noisy, k.Add(k, big.NewInt(sums[len(noisy)])))
		}
	})
	return noisy, nil
}

// law returns the noise of each sum in a block of so many, or of the number of rows where j
// is negative: a whole σ² that is at least bc, or c/v.
func (m *Mechanism) law(j, size int) noise.Gaussian {
	sigma2 := new(big.Rat).SetInt64(int64(size))
	if j < 0 {
		sigma2.Inv(m.total)
	}
	sigma2.Mul(sigma2, m.parameter)
	up := new(big.Int).Sub(sigma2.Denom(), big.NewInt(1))
	return noise.Gaussian{Sigma2: new(big.Rat).SetInt(up.Add(up, sigma2.Num()).Quo(up, sigma2.Denom()))}
}

// blocks calls do for each block in the order of its sums, with the number of these and
// the places of its attributes: none (-1, -1), one (j, -1) or two, j < k.
func (m *Mechanism) blocks(do func(j, k, size int)) {
	do(-1, -1, 1)
	for j, a := range m.attributes {
		do(j, -1, a.signs())
	}
	m.couples(func(j, k int) { do(j, k, m.attributes[j].signs()*m.attributes[k].signs()) })
}

// couples calls do for each pair of columns, j < k.
func (m *Mechanism) couples(do func(j, k int)) {
	for j := range m.attributes {
		for k := j + 1; k < len(m.attributes); k++ {
			do(j, k)
		}
	}
}

// place returns the place among the sums of the product of two signs of columns j < k, of
// which 0 is the constant one.
func (m *Mechanism) place(j, k, r, s int) int {
	a, b := m.attributes[j], m.attributes[k]
	switch {
	case r == 0 && s == 0:
		return 0
	case s == 0:
		return a.first + r - 1
	case r == 0:
		return b.first + s - 1
	}
	return a.pairs + a.signs()*(b.first-a.first-a.signs()) + (r-1)*b.signs() + s - 1
}

// Len is the number of sums.
func (m *Mechanism) Len() int {
	n := 0
	m.blocks(func(_, _, size int) { n += size })
	return n
}

func (m *Mechanism) fits(d table.Counts) error {
	columns := len(m.attributes)
	if m.labelled {
		columns--
	}
	fit := len(d.Sizes()) == columns && (!m.labelled || d.Outcomes() == m.attributes[columns].size)
	for j := 0; fit && j < columns; j++ {
		fit = d.Sizes()[j] == m.attributes[j].size
	}
	if !fit {
		return errors.New("pairs: data of other columns")
	}
	return nil
}
