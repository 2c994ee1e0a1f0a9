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

// MostSigns is the maximum number D of signs of a row, including the constant sign. Computing the nearest correlation
// matrix takes about 20·D³ operations and 40·D² bytes.
const MostSigns = 1100

// A Mechanism releases noisy sums over all rows. Its letters are defined in the package comment. The sums are, in
// this order:
//
//   - the number of rows;
//   - for each column, the sums of its m signs;
//   - for each pair of columns, the sums of the m·m′ products of a sign of the first column and a sign of the second;
//     the sign of the second column varies fastest.
//
// Null records are not counted.
//
// Guarantee: ρ-zCDP or μ-GDP under the relation (docs/explanation/proofs/pairs.md, theorems 1 and 2). Each of the b sums
// of a block has discrete Gaussian noise with σ² = bc, and the number of rows has noise with σ² = c/v. Let S be the sum of
// (change of a sum)²/σ² over all sums. Adding a row changes each sum by 1, so S is (v + B)/c. Replacing a row changes
// the signs of some products, and S is then at most 4·flips/c. Under a relation of persons, sums are in units, a
// person has table.Weight units, and c is multiplied by the square of this weight. For μ-GDP, each σ² is greater by 13/5.
type Mechanism struct {
	guarantee  privacy.GaussianBudget
	attributes []attribute
	labelled   bool            // whether the last attribute is the label
	signs      int             // D
	moved      *big.Rat        // M, an upper bound on the squared sensitivity of the weighted sums, see moves
	total      *big.Rat        // v
	variance   map[int]float64 // by block size, the variance of the noise of a sum, in rows; the key 0 stands for the number of rows
}

// New returns the mechanism for tables whose attributes have the given numbers of values (sizes). If outcomes is not
// 0, the label is the last column and has outcomes values. New returns an error if a row would have more than
// MostSigns signs, or if a size or the guarantee g is invalid.
func New(sizes []int, outcomes int, g privacy.GaussianBudget) (*Mechanism, error) {
	m := &Mechanism{guarantee: g, labelled: outcomes != 0}
	if m.labelled {
		sizes = append(sizes[:len(sizes):len(sizes)], outcomes)
	}
	for j, k := range sizes {
		if k < 1 || k > math.MaxUint16+1 {
			return nil, fmt.Errorf("pairs: column %d has %d values; it must have 1 to %d", j+1, k, math.MaxUint16+1)
		}
	}
	if outcomes > table.MostOutcomes { // the loop above rejects negative numbers
		return nil, fmt.Errorf("pairs: the label has %d values; the maximum is %d", outcomes, table.MostOutcomes)
	}
	if m.attributes, m.signs = coded(sizes); m.signs > MostSigns {
		return nil, fmt.Errorf("the columns have too many values: they are coded by %d signs, and the maximum is %d (a column of k values has K - 1 signs, where K is k rounded up to a power of two); group values or use fewer columns", m.signs-1, MostSigns-1)
	}
	if g.Total().Sign() <= 0 {
		return nil, errors.New("pairs: ρ or μ must be positive")
	}
	m.moved = m.moves()
	weight := new(big.Rat).SetInt64(m.weight())
	m.moved.Mul(m.moved, weight.Mul(weight, weight))
	m.variance = m.variances()
	return m, nil
}

// Guarantee returns the privacy guarantee of each release of the mechanism.
func (m *Mechanism) Guarantee() privacy.Guarantee { return m.guarantee }

// weight returns the number of units as which a row or, under a relation of persons, a person is counted.
func (m *Mechanism) weight() int64 { return table.Weight(m.guarantee.Relation().Persons()) }

// moves returns an upper bound, for any two neighbouring tables, on the sum of (change of a sum)²·c/σ² over all sums,
// where σ² is the parameter of the noise of the sum. It also sets m.total, the weight v of the number of rows.
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
	most := big.NewRat(d+d*(d-1)/2, 1) // for a row that is added or removed, or that is a null record in one of the tables
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

// totalShare limits the privacy budget of the number of rows: the ρ of all blocks together is at least totalShare
// times the ρ of the number of rows. The limit matters only for tables with few columns. The number of rows gets more
// budget than a single block because all counts are multiplied by it.
const totalShare = 19

// Release returns the sums with noise. It returns an error if reading the data fails. If the columns of the data do
// not have the sizes that were given to New, it returns an error before it samples anything.
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

// law returns the distribution of the noise of each sum in a block. The parameter size is b, the number of sums in
// the block, and j is the index of the first attribute of the block, or negative for the number of rows. σ² is bc for
// a block and c/v for the number of rows, or 13/5 more (see Mechanism). It is rounded up to an integer.
func (m *Mechanism) law(j, size int) noise.Gaussian {
	sigma2 := new(big.Rat).SetInt64(int64(size))
	if j < 0 {
		sigma2.Inv(m.total)
	}
	sigma2 = m.guarantee.NoiseWithin(sigma2.Mul(sigma2, m.moved), m.guarantee.Total())
	up := new(big.Int).Sub(sigma2.Denom(), big.NewInt(1))
	return noise.Gaussian{Sigma2: new(big.Rat).SetInt(up.Add(up, sigma2.Num()).Quo(up, sigma2.Denom()))}
}

// blocks calls the function do for each block of sums, in the order in which the sums are stored. There is a block for
// the number of rows (j = k = -1), one for each attribute j (k = -1), and one for each pair of attributes j < k. The
// argument size is the number of sums in the block.
func (m *Mechanism) blocks(do func(j, k, size int)) {
	do(-1, -1, 1)
	for j, a := range m.attributes {
		do(j, -1, a.signs())
	}
	m.couples(func(j, k int) { do(j, k, m.attributes[j].signs()*m.attributes[k].signs()) })
}

// couples calls the function do for each pair of columns, with the indices j < k of the two columns.
func (m *Mechanism) couples(do func(j, k int)) {
	for j := range m.attributes {
		for k := j + 1; k < len(m.attributes); k++ {
			do(j, k)
		}
	}
}

// place returns the index, in a release, of the sum over all rows of sign r of column j times sign s of column k, for
// j < k. Sign 0 is the constant sign.
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

// Len returns the number of noisy sums that a release of the mechanism publishes.
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
		return errors.New("pairs: the columns of the data differ from those of the mechanism")
	}
	return nil
}
