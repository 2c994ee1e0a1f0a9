package generated

import (
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// components is the number of distributions that a Mixture combines.
const components = 3

// A Mixture is a random probability distribution on records, for generating tables. It is a mixture of three
// distributions, in each of which the attributes are independent and have random marginals.
type Mixture struct {
	// Copies is the probability that an attribute has the value of the first one.
	Copies float64

	sums [][components][]float64 // cumulative distributions of the categories, by attribute
}

// NewMixture returns a random Mixture for attributes with the given numbers of categories.
func NewMixture(rng *rand.Rand, sizes []int) *Mixture {
	m := &Mixture{sums: make([][components][]float64, len(sizes))}
	for j, n := range sizes {
		for k := range components {
			of := make([]float64, n)
			total := 0.0
			for c := range of {
				total += rng.ExpFloat64()
				of[c] = total
			}
			for c := range of {
				of[c] /= total
			}
			m.sums[j][k] = of
		}
	}
	return m
}

// Sample samples a record from the mixture, and stores it in x.
func (m *Mixture) Sample(rng *rand.Rand, x table.Record) {
	k := rng.IntN(components)
	for j := range m.sums {
		of := m.sums[j][k]
		c, _ := slices.BinarySearch(of, rng.Float64())
		x[j] = uint16(min(c, len(of)-1))
		if m.Copies > 0 && rng.Float64() < m.Copies {
			x[j] = uint16(min(int(x[0]), len(of)-1))
		}
	}
}
