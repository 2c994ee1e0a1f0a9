package table

import (
	"math/rand/v2"
	"slices"
)

// A Density is a probability distribution on an interval of integers, which represent numbers in units of their last
// decimal place. The interval is divided into pieces, and all integers of a piece have the same probability. Results
// are bit-identical on all machines.
type Density struct {
	least int64
	ends  []int64   // the last number of each piece, increasing
	below []float64 // by piece, the probability of all pieces before it; the last element is 1
}

// NewDensity returns a density on an interval of integers whose first integer is least. The slice ends holds the last
// integer of each piece, in increasing order, and weights holds a number proportional to the probability of each piece.
// The weights must not be negative, and their sum must be positive and finite.
func NewDensity(least int64, ends []int64, weights []float64) *Density {
	d := &Density{least: least, ends: ends, below: make([]float64, len(ends)+1)}
	for k, w := range weights {
		d.below[k+1] = d.below[k] + w
	}
	sum := d.below[len(ends)]
	for k := range d.below {
		d.below[k] /= sum
	}
	return d
}

// start returns the least integer of the piece with the given index.
func (d *Density) start(piece int) int64 {
	if piece == 0 {
		return d.least
	}
	return d.ends[piece-1] + 1
}

// upTo returns the probability that a sample is at most x.
func (d *Density) upTo(x int64) float64 {
	if x < d.least {
		return 0
	}
	k, _ := slices.BinarySearch(d.ends, x)
	if k == len(d.ends) {
		return 1
	}
	start := d.start(k)
	part := (float64(x-start) + 1) / (float64(d.ends[k]-start) + 1)
	return d.below[k] + float64((d.below[k+1]-d.below[k])*part)
}

// Ends returns the last integer of each piece of the density, in increasing order. It must not be changed.
func (d *Density) Ends() []int64 { return d.ends }

// Mean returns the mean of the distribution.
func (d *Density) Mean() float64 {
	mean := 0.0
	for k, end := range d.ends {
		mean += float64((d.below[k+1] - d.below[k]) * (float64(d.start(k)) + float64(end)) / 2)
	}
	return mean
}

// Between returns the probability that a sample is from least to most, both included.
func (d *Density) Between(least, most int64) float64 {
	if least > most {
		return 0
	}
	return max(0, d.upTo(most)-d.upTo(least-1))
}

// Part returns the conditional distribution of a sample, given that it is from least to most and not one of the
// excluded numbers (without). If this event has probability 0, Part returns nil.
func (d *Density) Part(least, most int64, without []int64) *Density {
	least, most = max(least, d.least), min(most, d.ends[len(d.ends)-1])
	if least > most {
		return nil
	}
	ends := append(slices.Clone(d.ends), most)
	for _, x := range without {
		ends = append(ends, x-1, x)
	}
	slices.Sort(ends)
	ends = slices.DeleteFunc(slices.Compact(ends), func(x int64) bool { return x < least || x > most })
	weights := make([]float64, len(ends))
	start, sum := least, 0.0
	for k, end := range ends {
		if start != end || !slices.Contains(without, end) {
			weights[k] = d.Between(start, end)
		}
		sum += weights[k]
		start = end + 1
	}
	if sum <= 0 {
		return nil
	}
	return NewDensity(least, ends, weights)
}

// Only returns the conditional distribution of a sample, given that it is one of the listed numbers, which must be
// increasing. If this event has probability 0, Only returns nil.
func (d *Density) Only(numbers []int64) *Density {
	var ends []int64
	var weights []float64
	sum := 0.0
	for _, x := range numbers {
		if k := len(ends); k > 0 && ends[k-1] < x-1 {
			ends, weights = append(ends, x-1), append(weights, 0)
		}
		ends, weights = append(ends, x), append(weights, d.Between(x, x))
		sum += weights[len(weights)-1]
	}
	if sum <= 0 {
		return nil
	}
	return NewDensity(numbers[0], ends, weights)
}

// quantile returns the u-quantile of the distribution, for u from 0 to 1: the probability of smaller numbers is at most
// u, and that of greater numbers at most 1 - u.
func (d *Density) quantile(u float64) int64 {
	k, found := slices.BinarySearch(d.below, u)
	if !found {
		k--
	}
	for k+1 < len(d.ends) && d.below[k+1] <= u { // pieces of probability 0
		k++
	}
	k = min(k, len(d.ends)-1)
	for k > 0 && d.below[k+1] == d.below[k] { // u is 1, and the last pieces have probability 0
		k--
	}
	x := d.start(k)
	if w := d.below[k+1] - d.below[k]; w > 0 {
		x += int64(float64(d.ends[k]-x+1) * ((u - d.below[k]) / w))
	}
	return min(x, d.ends[k])
}

// sample returns a random integer from least to most, with the conditional distribution of the density on this range.
// The range must lie in the interval of the density. If it has probability 0, all its integers are equally likely.
func (d *Density) sample(r *rand.Rand, least, most int64) int64 {
	from := d.upTo(least - 1)
	to := d.upTo(most)
	if from >= to {
		return least + r.Int64N(most-least+1)
	}
	return min(max(d.quantile(from+float64(r.Float64()*(to-from))), least), most)
}

// Before returns the probability that a sample has a certain property and lies below the quantile u of the distribution
// d. The parameter part is the conditional distribution of samples with this property, and share is the property's
// probability. If only a part of the samples that equal the quantile counts as below it, those with the property are
// counted first.
func (d *Density) Before(u float64, part *Density, share float64) float64 {
	x := d.quantile(u)
	before := float64(share * part.upTo(x-1))
	return before + min(max(0, u-d.upTo(x-1)), float64(share*part.Between(x, x)))
}
