package experiment

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/simplex"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A flat is a table in memory: its distinct records, stored by column, with the number of rows equal to each. The
// label is the last column. Null rows are omitted.
type flat struct {
	schema  *table.Schema // the schema with the label as an attribute
	sizes   []int
	columns [][]uint16 // for each column, its codes in the distinct records
	counts  []int64    // the number of rows equal to each distinct record
	table   *table.Table
}

// flatten converts a Sample to a flat table.
func flatten(s *Sample) (*flat, error) {
	schema, err := s.Schema.Flat()
	if err != nil {
		return nil, err
	}
	f := &flat{schema: schema, sizes: schema.Sizes()}
	f.columns = make([][]uint16, len(f.sizes))
	b := schema.Builder()
	for i := range s.Rows.Len() {
		record := s.Rows.Record(i, nil)
		if s.Schema.Label != nil {
			record = append(record, uint16(s.Rows.Outcome(i)))
		}
		for j, code := range record {
			f.columns[j] = append(f.columns[j], code)
		}
		f.counts = append(f.counts, s.Rows.Count(i))
		if err := b.Add(record, false, s.Rows.Count(i)); err != nil {
			return nil, err
		}
	}
	f.table = b.Table()
	return f, nil
}

// of returns a table with the given rows of category codes and the schema of f.
func (f *flat) of(rows [][]uint16) (*table.Table, error) {
	b := f.schema.Builder()
	for _, r := range rows {
		if err := b.Add(r, false, 1); err != nil {
			return nil, err
		}
	}
	return b.Table(), nil
}

// rows returns the number of rows, which is private under add-remove.
func (f *flat) rows() (n int64) {
	for _, c := range f.counts {
		n += c
	}
	return n
}

// marginal returns the counts of the cells of the marginal on the given columns, in the lexicographic order of the
// cells' codes.
func (f *flat) marginal(columns ...int) []int64 {
	cells := make([]int64, f.cells(columns))
	for i, n := range f.counts {
		at := 0
		for _, j := range columns {
			at = at*f.sizes[j] + int(f.columns[j][i])
		}
		cells[at] += n
	}
	return cells
}

// cells returns the number of cells of the marginal on the given columns.
func (f *flat) cells(columns []int) int {
	n := 1
	for _, j := range columns {
		n *= f.sizes[j]
	}
	return n
}

// pairs lists all pairs of columns of the table.
func (f *flat) pairs() (all [][2]int) {
	for j := range f.sizes {
		for k := j + 1; k < len(f.sizes); k++ {
			all = append(all, [2]int{j, k})
		}
	}
	return all
}

// A budget holds the privacy budget and the random sources of a synthesizer. All synthesizers except bootstrap add
// exact noise and satisfy (ε, δ)-differential privacy under the given neighbour relation: synth by μ-GDP, and the
// others by ρ-zCDP.
type budget struct {
	relation privacy.Relation
	rho      *big.Rat
	mu       privacy.Decimal
	coins    noise.Coins
	random   *rand.Rand // the random source of post-processing
	spent    *big.Rat   // the sum of the ρ of measurements and selections so far
}

// pay records the privacy cost rho of a measurement or selection.
func (b budget) pay(rho *big.Rat) { b.spent.Add(b.spent, rho) }

// share returns the fraction parts/of of the budget ρ.
func (b budget) share(parts, of int64) *big.Rat {
	return new(big.Rat).Mul(b.rho, big.NewRat(parts, of))
}

// moves returns the maximum number of cells of a marginal whose counts differ between neighbouring tables. Each of
// these counts differs by 1, so moves is also the squared ℓ2 sensitivity of the counts.
func (b budget) moves() int64 {
	if b.relation.Replaces() {
		return 2
	}
	return 1
}

// noise returns the Gaussian noise for the counts of a marginal, at a privacy cost of rho. Its variance is
// m/(2·rho), rounded up to an integer, where m is the squared ℓ2 sensitivity of the counts (moves).
func (b budget) noise(rho *big.Rat) noise.Gaussian {
	sigma2 := new(big.Rat).Quo(big.NewRat(b.moves(), 2), rho)
	return noise.Gaussian{Sigma2: new(big.Rat).SetInt(ceil(sigma2))}
}

// measure adds Gaussian noise to the counts of a marginal, at a privacy cost of rho.
func (b budget) measure(counts []int64, rho *big.Rat) []float64 {
	b.pay(rho)
	law := b.noise(rho)
	noisy := make([]float64, len(counts))
	for i, n := range counts {
		k := b.coins.Draw(law)
		noisy[i], _ = new(big.Float).SetInt(k.Add(k, big.NewInt(n))).Float64()
	}
	return noisy
}

// ceil returns the least integer that is at least x, for x ≥ 0.
func ceil(x *big.Rat) *big.Int {
	up := new(big.Int).Sub(x.Denom(), big.NewInt(1))
	return up.Add(up, x.Num()).Quo(up, x.Denom())
}

// columns measures the one-way marginal of every column with noise, each with an equal part of rho. It returns the
// estimated distribution of each column, and an estimate of the number of rows, at least 1, computed from the sums
// of all marginals.
func (b budget) columns(d *flat, rho *big.Rat) (shares [][]float64, total float64) {
	rho = new(big.Rat).Quo(rho, big.NewRat(int64(len(d.sizes)), 1))
	weights := 0.0
	for j := range d.sizes {
		noisy := b.measure(d.marginal(j), rho)
		shares = append(shares, noisy)
		for _, n := range noisy {
			total += n / float64(len(noisy))
		}
		weights += 1 / float64(len(noisy))
	}
	total = max(total/weights, 1)
	for j := range shares {
		shares[j] = simplex.Project(shares[j], total)
		for v := range shares[j] {
			shares[j][v] /= total
		}
	}
	return shares, total
}

// errTooWide is returned for a table whose domain is too large for a synthesizer.
var errTooWide = errors.New("the columns of the table have too many values for this engine; group values in the schema")

// A picker samples an index from a discrete distribution. It holds the cumulative sums of the probabilities.
type picker []float64

// newPicker returns the picker with probabilities proportional to shares.
func newPicker(shares []float64) picker {
	p := make(picker, len(shares))
	sum := 0.0
	for i, s := range shares {
		sum += s
		p[i] = sum
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

func (p picker) draw(r *rand.Rand) int {
	at, _ := slices.BinarySearch(p, r.Float64())
	return min(at, len(p)-1)
}

// A synthesizer is an engine that generates synthetic rows from a table.
type synthesizer struct {
	name string
	// make returns the rows. It returns the context's error, or an error if it does not support the table.
	make func(context.Context, *flat, budget) ([][]uint16, error)
}

// synthesizers lists all engines that generate synthetic rows.
func synthesizers() []synthesizer {
	return []synthesizer{
		{"synth", sibylSynth},
		{"independent", independent},
		{"mwem", mwem},
		{"dualquery", dualQuery},
		{"projection", projected},
		{"mst", mst},
		{"aim", aim(2)},
		{"aim-triples", aim(3)},
		{"bootstrap", bootstrap},
	}
}

// Synthesizers returns the names of all engines that generate synthetic rows.
func Synthesizers() (names []string) {
	for _, s := range synthesizers() {
		names = append(names, s.name)
	}
	return names
}

// independent is the synthesizer that measures the one-way marginal of each column with noise, and samples the
// columns independently of each other.
func independent(_ context.Context, d *flat, b budget) ([][]uint16, error) {
	shares, total := b.columns(d, b.rho)
	return product(shares, int(math.Round(total)), b.random), nil
}

// product samples n rows from the product of the given distributions of the columns.
func product(shares [][]float64, n int, random *rand.Rand) [][]uint16 {
	rows := make([][]uint16, n)
	pickers := make([]picker, len(shares))
	for j, s := range shares {
		pickers[j] = newPicker(s)
	}
	for i := range rows {
		rows[i] = make([]uint16, len(shares))
		for j, p := range pickers {
			rows[i][j] = uint16(p.draw(random))
		}
	}
	return rows
}

// bootstrap samples rows of the table with replacement. It is NOT PRIVATE. It shows the error that comes from
// sampling alone, without noise and without a model.
func bootstrap(_ context.Context, d *flat, b budget) ([][]uint16, error) {
	n := d.rows()
	if n == 0 {
		return nil, nil
	}
	shares := make([]float64, len(d.counts))
	for i, c := range d.counts {
		shares[i] = float64(c)
	}
	p := newPicker(shares)
	rows := make([][]uint16, n)
	for i := range rows {
		at := p.draw(b.random)
		for _, column := range d.columns {
			rows[i] = append(rows[i], column[at])
		}
	}
	return rows, nil
}
