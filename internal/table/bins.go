package table

import (
	"math/big"
	"slices"
	"time"
)

// mostBins and outerBins are the maximum numbers of bins (see Schema.Binned) of one attribute: of all its intervals
// together, and of the first or the last interval. The category Other is not counted. The first and the last interval
// have a fixed share because their numbers often differ by large factors; the inner intervals share the remaining bins
// equally.
const (
	mostBins  = 512 // of all intervals
	outerBins = 32  // of the first and the last one
)

// Binned returns a copy of the schema in which intervals are divided into bins, and which has no rules. Only
// attributes are changed whose synthetic values are numbers or dates sampled from intervals. For each attribute with
// bins, values lists the category of the original schema that contains each category of the binned schema; for the
// other attributes, values has nil.
//
// A bin is either a single number, or all numbers between two single numbers. The single numbers of an interval are
// its first number, the maximum of the attribute, and round numbers such as 500 and 20000, because many rows often
// have these values. For dates, the first days of years and months are single numbers, and the days between them are
// divided evenly. If the first or the last interval has too many round numbers, those nearest to the inner intervals
// are used. An interval of few numbers is divided into single numbers.
//
// An attribute has at most mostBins bins. It is left unchanged if fewer than four bins would remain for each inner
// interval, or if each interval is a single number. The result depends on the schema alone, so it needs no privacy
// budget.
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

// bin divides the intervals of the attribute into bins (see Schema.Binned). It returns, for each new category, the
// former category that contains it. If the attribute has no bins, bin returns nil and changes nothing.
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

// Divide replaces each interval of an attribute by several smaller intervals, and returns, for each new category,
// the former category that contains it. The attribute's synthetic values must be sampled from intervals. Divide
// calls the function starts with the index, the first number and the last number of each interval. The function
// returns the first numbers of the new intervals in increasing order, beginning with the first number of the divided
// interval. All these numbers are integers, in units of the last decimal place that the attribute's numbers have
// (see Written).
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

// starts returns the first number of each bin of the interval r, in increasing order. The parameter most is the
// maximum number of bins. The parameters lowest and highest state whether r is the first and whether it is the last
// interval of the attribute.
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

// evenly divides the range r of integers into bins of about equal sizes, at most as many as the parameter most, and
// returns the first number of each bin.
func evenly(r span, most int) (first []int64) {
	numbers := r.most - r.least + 1
	n := min(numbers, int64(most))
	for k := range n {
		first = append(first, r.least+k*(numbers/n)+k*(numbers%n)/n)
	}
	return first
}

// roundDates returns two lists of days in the range r: the first days of years, and the first days of months. Each
// list stops after mostBins+1 days. A day is given as the number of days since 1970-01-01.
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

// roundNumbers returns lists of the round numbers in the range r, ordered from the roundest list to the least round.
// The first list holds 0. The next four hold the numbers ±d·10^k for the digits d = 1, d = 5, d = 2, and then all
// other digits. Each further list holds the multiples of a step 5·10^k or 10^k, with decreasing steps; the last of
// these lists is the first with more than mostBins numbers.
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
