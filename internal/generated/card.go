package generated

import (
	"math"
	"math/rand/v2"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Card gives points to the categories of some attributes. The sum of a record's points serves as the logarithm of
// the odds of an outcome.
type Card struct {
	attributes []int
	points     [][]float64
}

// NewCard returns a Card with random points on n random attributes, or on all attributes if there are fewer. The
// parameter sizes holds the number of categories of each attribute. The points are scaled so that the variance of a
// total does not depend on n.
func NewCard(rng *rand.Rand, sizes []int, n int) *Card {
	used := rng.Perm(len(sizes))[:min(len(sizes), n)]
	c := &Card{used, make([][]float64, len(used))}
	for i, j := range used {
		for range sizes[j] {
			c.points[i] = append(c.points[i], 4*rng.NormFloat64()/math.Sqrt(float64(len(used))))
		}
	}
	return c
}

// Total returns the sum of the given number start and the points of the record.
func (c *Card) Total(x table.Record, start float64) float64 {
	for i, j := range c.attributes {
		start += c.points[i][x[j]]
	}
	return start
}
