package numeric

import (
	"fmt"
	"slices"
)

// A Column is a numeric attribute of records, with the set of its possible weights. It is public.
type Column struct {
	// Lo and Hi are the least and the greatest value of the attribute.
	Lo, Hi int64
	// Weights lists the possible weights in ascending order.
	Weights []int64
}

// Bounded returns a column whose values are lo..hi and whose possible weights are -b..b.
func Bounded(lo, hi, b int64) Column {
	c := Column{Lo: lo, Hi: hi}
	for w := -b; w <= b; w++ {
		c.Weights = append(c.Weights, w)
	}
	return c
}

// mostWeight is the maximum absolute value of a weight. mostWeights is the maximum number of
// possible weights of a column.
const (
	mostWeight  = 1 << 20
	mostWeights = 1 << 12
)

// validate returns an error if the range or the possible weights of the column are invalid.
func (c Column) validate() error {
	switch {
	case c.Lo > c.Hi:
		return fmt.Errorf("the range of values %d..%d is empty, because its start exceeds its end", c.Lo, c.Hi)
	case c.Lo < -mostTotal || c.Hi > mostTotal:
		return fmt.Errorf("the values %d..%d exceed 60 bits", c.Lo, c.Hi)
	case len(c.Weights) == 0:
		return fmt.Errorf("the list of weights must not be empty")
	case len(c.Weights) > mostWeights:
		return fmt.Errorf("the list of weights has %d entries, but must have at most %d", len(c.Weights), mostWeights)
	}
	for i, w := range c.Weights {
		if w < -mostWeight || w > mostWeight {
			return fmt.Errorf("the weight %d must be within -2^20..2^20", w)
		}
		if i > 0 && w <= c.Weights[i-1] {
			return fmt.Errorf("weights must increase, but %d comes before %d", c.Weights[i-1], w)
		}
	}
	return nil
}

// smallest returns the possible weight of the column with the least absolute value.
func (c Column) smallest() int64 {
	return slices.MinFunc(c.Weights, func(v, w int64) int { return int(max(v, -v) - max(w, -w)) })
}

// reach returns the least and the greatest product of the value x of a record with a possible weight
// of the column.
func (c Column) reach(x int64) (low, high int64) {
	first, last := c.Weights[0]*x, c.Weights[len(c.Weights)-1]*x
	return min(first, last), max(first, last)
}

// square returns the greatest square of a possible weight of the column.
func (c Column) square() int64 {
	first, last := c.Weights[0], c.Weights[len(c.Weights)-1]
	return max(first*first, last*last)
}
