package table

import (
	"math/big"
	"slices"
	"time"
)

// Maximum numbers of bins of an attribute, without the category Other. The first and the last interval have more bins than the
// others, because their numbers often differ by large factors.
const (
	mostBins  = 512 // of all intervals
	outerBins = 32  // of the first and the last one
)

// Binned returns the schema with finer cuts for each attribute whose synthetic values are sampled from intervals of
// numbers or dates: it divides these intervals into bins. The result values has an entry for each attribute: the
// category of s that contains each category of the binned schema. The entry is nil if the attribute has no bins.
//
// A bin is either a single number, or all numbers between two such numbers. The single numbers of an interval are its
// first number, the limits of the attribute, and round numbers such as 500 and 20000, because these often have many
// rows. For dates, they are the first days of years and of months, and the days between them are divided evenly. If an
// outer interval has too many round numbers, those next to the other intervals are used. An interval of few numbers is
// divided into single numbers. An attribute has at most mostBins bins. It has none if that allows fewer than four bins
// for each interval, or if each interval is a single number.
//
// The result depends on s alone, so it needs no privacy budget. The binned schema has no rules.
func (s *Schema) Binned() (binned *Schema, values [][]uint16) {
	binned, values = s.clone(), make([][]uint16, len(s.Attributes))
	binned.Rules = nil
	for j := range binned.Attributes {
		if a := &binned.Attributes[j]; a.ranged() {
			values[j] = a.bin()
		}
	}
	return binned, values
}

// bin divides the intervals of the attribute into bins. It returns the former category of each new category, or nil
// if the attribute has no bins.
func (a *Attribute) bin() (values []uint16) {
	ranges, _ := a.ranges(a.Cuts)
	inner := (mostBins - 2*outerBins) / max(1, len(ranges)-2)
	if inner < 4 || !slices.ContainsFunc(ranges, func(r span) bool { return r.least < r.most }) {
		return nil
	}
	return a.Divide(func(i int, least, most int64) []int64 {
		bins := inner
		if i == 0 || i+1 == len(ranges) {
			bins = outerBins
		}
		return a.starts(span{least, most}, i == 0, i+1 == len(ranges), bins)
	})
}

// Divide divides the intervals of an attribute whose synthetic values are sampled from intervals, and returns the former
// category of each new category. The function starts returns the first numbers of the new intervals within interval i:
// increasing numbers that begin with least. The numbers of interval i are those from least to most. All of them are in
// units of 10^-places (see Written).
func (a *Attribute) Divide(starts func(i int, least, most int64) []int64) (values []uint16) {
	ranges, _ := a.ranges(a.Cuts)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(a.places())), nil)
	var cuts []Decimal
	for i, r := range ranges {
		for _, first := range starts(i, r.least, r.most) {
			switch {
			case first > r.least:
				cuts = append(cuts, Decimal(new(big.Rat).SetFrac(big.NewInt(first), unit).FloatString(a.places())))
			case i > 0:
				cuts = append(cuts, a.Cuts[i-1]) // which may lie below r.least, between two numbers
			}
			values = append(values, uint16(i))
		}
	}
	if a.Other != "" {
		values = append(values, uint16(len(ranges)))
	}
	a.Cuts = cuts
	return values
}

// starts returns the first numbers of at most the given number of bins (most) of the interval r. The parameters lowest and
// highest say whether r is the first and whether it is the last interval of the attribute.
func (a *Attribute) starts(r span, lowest, highest bool, most int) (first []int64) {
	if r.most-r.least < int64(most) {
		return evenly(r, most)
	}
	round, room := roundNumbers, most/2 // the maximum number of single numbers
	if a.IsDate() {
		round, room = roundDates, most/4
	}
	single := []int64{r.least}
	if highest {
		single = append(single, r.most)
	}
	for _, round := range round(r) {
		round = slices.DeleteFunc(round, func(x int64) bool { return slices.Contains(single, x) })
		if left := room - len(single); len(round) > left {
			if lowest != highest { // the numbers next to the other intervals
				slices.Sort(round)
				if lowest {
					slices.Reverse(round)
				}
				single = append(single, round[:max(0, left)]...)
			}
			break
		}
		single = append(single, round...)
	}
	for _, x := range single {
		first = append(first, x)
		if x < r.most {
			first = append(first, x+1)
		}
	}
	if a.IsDate() {
		first = append(first, evenly(r, most-len(first))...)
	}
	slices.Sort(first)
	return slices.Compact(first)
}

// evenly returns the first numbers of at most the given number of bins (most) of about equal sizes.
func evenly(r span, most int) (first []int64) {
	numbers := r.most - r.least + 1
	n := min(numbers, int64(most))
	for k := range n {
		first = append(first, r.least+k*(numbers/n)+k*(numbers%n)/n)
	}
	return first
}

// roundDates returns the days in the range r on which a year begins, and then those on which a month begins. It ends with
// a list of more than mostBins days.
func roundDates(r span) [][]int64 {
	list := func(months int) (days []int64) {
		from := time.Unix(r.least*daySeconds, 0).UTC()
		for month := 0; len(days) <= mostBins; month += months {
			day := dayOf(from.Year(), 1+month, 1)
			if day > r.most {
				break
			}
			if day >= r.least {
				days = append(days, day)
			}
		}
		return days
	}
	return [][]int64{list(12), list(1)}
}

// roundNumbers returns lists of round numbers in the range r, the roundest first: the multiples of 1, 5, 2 and then all
// other digits with each power of ten, and then the multiples of decreasing steps 5·10^k and 10^k. It ends with a list of
// more than mostBins numbers.
func roundNumbers(r span) (lists [][]int64) {
	var powers []int64
	for p := int64(1); p <= max(r.most, -r.least); p *= 10 { // numbers in spans have at most 18 digits
		powers = append(powers, p)
	}
	for _, digits := range [][]int64{{0}, {1}, {5}, {2}, {3, 4, 6, 7, 8, 9}} {
		var list []int64
		for _, p := range powers {
			for _, d := range digits {
				for _, x := range []int64{-d * p, d * p} {
					if x >= r.least && x <= r.most && !slices.Contains(list, x) {
						list = append(list, x)
					}
				}
			}
		}
		lists = append(lists, list)
	}
	for _, p := range slices.Backward(powers) {
		for _, step := range []int64{5 * p, p} {
			var list []int64
			for x := r.least + ((-r.least)%step+step)%step; x <= r.most; x += step {
				if list = append(list, x); len(list) > mostBins {
					return append(lists, list)
				}
			}
			lists = append(lists, list)
		}
	}
	return lists
}
