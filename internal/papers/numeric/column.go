package numeric

import (
	"fmt"
	"slices"
)

// A Column is a numeric attribute of records with the weights it may have, all
// of it public.
type Column struct {
	// Lo and Hi are the least and the greatest value of a record.
	Lo, Hi int64
	// Weights are the possible weights, ascending.
	Weights []int64
}

// Bounded returns the column of values lo..hi with the weights -b..b.
func Bounded(lo, hi, b int64) Column {
	c := Column{Lo: lo, Hi: hi}
	for w := -b; w <= b; w++ {
		c.Weights = append(c.Weights, w)
	}
	return c
}

// mostWeight is the greatest absolute weight, and mostWeights the greatest
// number of weights of a column.
const (
	mostWeight  = 1 << 20
	mostWeights = 1 << 12
)

// validate says in one clause what is wrong.
func (c Column) validate() error {
	switch {
	case c.Lo > c.Hi:
		return fmt.Errorf("no value is at least %d and at most %d", c.Lo, c.Hi)
	case c.Lo < -mostTotal || c.Hi > mostTotal:
		return fmt.Errorf("values %d..%d leave 60 bits", c.Lo, c.Hi)
	case len(c.Weights) == 0:
		return fmt.Errorf("there is no weight to choose")
	case len(c.Weights) > mostWeights:
		return fmt.Errorf("%d weights are more than %d", len(c.Weights), mostWeights)
	}
	for i, w := range c.Weights {
		if w < -mostWeight || w > mostWeight {
			return fmt.Errorf("a weight of %d is outside -2^20..2^20", w)
		}
		if i > 0 && w <= c.Weights[i-1] {
			return fmt.Errorf("the weights %d, %d are not ascending", c.Weights[i-1], w)
		}
	}
	return nil
}

// gentlest returns the weight of least absolute value.
func (c Column) gentlest() int64 {
	return slices.MinFunc(c.Weights, func(v, w int64) int { return int(max(v, -v) - max(w, -w)) })
}

// reach returns the least and the greatest product of value x with a weight.
func (c Column) reach(x int64) (low, high int64) {
	first, last := c.Weights[0]*x, c.Weights[len(c.Weights)-1]*x
	return min(first, last), max(first, last)
}

// square returns the greatest square of a weight.
func (c Column) square() int64 {
	first, last := c.Weights[0], c.Weights[len(c.Weights)-1]
	return max(first*first, last*last)
}
