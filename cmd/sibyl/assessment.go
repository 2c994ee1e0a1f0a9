package main

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
)

// An assessment is what follows from the numbers of rows of each outcome, known
// exactly or up to noise. All of it is a function of the released counts and of public
// numbers, so none of it costs anything.
type assessment struct {
	rows     *big.Int // nil where the number of rows is private
	outcomes [learn.Outcomes]count
	inside   count // rows inside the schema's domain, of which all below speaks
	errors   count
	cost     *count // of the errors, where they do not all cost 1

	accuracy    share // of the rows inside
	sensitivity share // of those whose label is 1
	specificity share // of those whose label is 0
}

// A count is a number of rows, and what it may be at least and at most.
type count struct{ value, least, most *big.Int }

// A share is a ratio between 0 and 1, and what it may be at least and at most; its
// value is nil where it is one of no rows.
type share struct{ value, least, most *big.Rat }

// statements is how many intervals an assessment rests on, each of which may miss:
// those of the outcomes, of the errors and of what is right.
const statements = int64(learn.Outcomes + 2)

// assess returns the assessment of counts whose noise is within one for each and within
// two for each sum of two; 0 and 0 for none. Rows is nil where it is private.
func assess(noisy []*big.Int, one, two, rows *big.Int, loss learn.Loss) assessment {
	a := assessment{rows: rows}
	for i, v := range noisy {
		a.outcomes[i] = around(v, one, rows)
	}
	sum := func(i, j learn.Outcome) count { return around(new(big.Int).Add(noisy[i], noisy[j]), two, rows) }
	a.errors = sum(learn.FalsePositive, learn.FalseNegative)
	outside := a.outcomes[learn.Outside]
	var right count
	if rows != nil {
		a.inside = count{minus(rows, outside.value), minus(rows, outside.most), minus(rows, outside.least)}
		right = count{minus(a.inside.value, a.errors.value), minus(a.inside.least, a.errors.most), minus(a.inside.most, a.errors.least)}
	} else {
		right = sum(learn.TruePositive, learn.TrueNegative)
		a.inside = right.plus(a.errors)
	}
	a.accuracy = shareOf(right, a.errors)
	a.sensitivity = shareOf(a.outcomes[learn.TruePositive], a.outcomes[learn.FalseNegative])
	a.specificity = shareOf(a.outcomes[learn.TrueNegative], a.outcomes[learn.FalsePositive])
	if loss != learn.ZeroOne && loss.Validate() == nil {
		cost := a.outcomes[learn.FalsePositive].times(loss.FalsePositive).plus(a.outcomes[learn.FalseNegative].times(loss.FalseNegative))
		a.cost = &cost
	}
	return a
}

// around returns v give or take w, cut to what is possible: at least 0, and at most top
// where that is known.
func around(v, w, top *big.Int) count {
	possible := func(v *big.Int) *big.Int {
		switch {
		case v.Sign() < 0:
			return new(big.Int)
		case top != nil && v.Cmp(top) > 0:
			return top
		}
		return v
	}
	return count{possible(v), possible(new(big.Int).Sub(v, w)), possible(new(big.Int).Add(v, w))}
}

// minus returns a - b, at least 0.
func minus(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return new(big.Int)
	}
	return new(big.Int).Sub(a, b)
}

func (c count) plus(d count) count {
	add := func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }
	return count{add(c.value, d.value), add(c.least, d.least), add(c.most, d.most)}
}

func (c count) times(n int64) count {
	factor := big.NewInt(n)
	mul := func(a *big.Int) *big.Int { return new(big.Int).Mul(a, factor) }
	return count{mul(c.value), mul(c.least), mul(c.most)}
}

// shareOf returns a/(a + b), which grows with a and falls with b.
func shareOf(a, b count) share {
	s := share{ratio(a.value, b.value), ratio(a.least, b.most), ratio(a.most, b.least)}
	if s.least == nil {
		s.least = new(big.Rat)
	}
	if s.most == nil {
		s.most = big.NewRat(1, 1)
	}
	return s
}

// ratio returns a/(a + b), nil where both are 0.
func ratio(a, b *big.Int) *big.Rat {
	sum := new(big.Int).Add(a, b)
	if sum.Sign() == 0 {
		return nil
	}
	return new(big.Rat).SetFrac(a, sum)
}

// below returns the greatest float that is at most r.
func below(r *big.Rat) float64 {
	f, _ := r.Float64()
	if new(big.Rat).SetFloat64(f).Cmp(r) > 0 {
		return math.Nextafter(f, math.Inf(-1))
	}
	return f
}

// above returns the least float that is at least r.
func above(r *big.Rat) float64 { return -below(new(big.Rat).Neg(r)) }
