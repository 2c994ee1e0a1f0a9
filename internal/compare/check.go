package compare

import (
	"context"
	"fmt"
	"slices"
)

// check verifies two statements:
//   - The tables differ on the conjunction c by the given difference: the absolute value of the sum of the weights
//     (see Pair.weigh) of the records that satisfy it.
//   - They do not differ more on any conjunction with at most the given number of literals.
//
// If one of these statements is false, check returns an error that wraps errRefuted. If ctx is canceled, it returns
// ctx.Err().
//
// check is independent of the search and shares no code with it. It counts the rows that satisfy c one by one, and
// enumerates all conjunctions. The parameter order holds the columns in the order of the enumeration, which does not
// affect the result.
func (p *Pair) check(ctx context.Context, c Conjunction, difference int64, literals int, order []int) error {
	for n, l := range c {
		if l.Column < 0 || l.Column >= len(p.columns) || int(l.Value) >= p.sizes[l.Column] || n > 0 && l.Column <= c[n-1].Column {
			return fmt.Errorf("%w: the query is not a conjunction", errRefuted)
		}
	}
	if d := p.difference(p.count(c.Rule())); d != difference {
		return fmt.Errorf("%w: the query has a difference of %d/%d between the tables, but the search reported another difference", errRefuted, d, p.total)
	}
	k, err := newChecker(ctx, p, order, difference)
	if err != nil {
		return err
	}
	records, weights := p.all()
	whole := int64(0)
	for _, w := range weights {
		whole += w
	}
	if abs(whole) > difference {
		return fmt.Errorf("%w: the difference of the conjunction without literals is %d/%d, more than the search reported", errRefuted, abs(whole), p.total)
	}
	return k.walk(records, weights, 0, literals)
}

// all returns the indices of all records of both tables, and the weights of these records (see Pair.weigh).
func (p *Pair) all() (records []uint32, weights []int64) {
	for i := range p.Len() {
		records, weights = append(records, uint32(i)), append(weights, p.weigh(i))
	}
	return records, weights
}

// A checker proves an upper bound on the difference between the tables for all conjunctions: the weights of the
// records that satisfy a conjunction (see Pair.weigh) never sum to more than the bound in absolute value.
type checker struct {
	ctx     context.Context
	pair    *Pair
	columns [][]uint16 // the columns, in the order in which literals are decided
	tails   *tails
	signs   [2][]int64 // by value, the sums of positive and of negative weights; all 0 between uses
	bound   int64
}

func newChecker(ctx context.Context, p *Pair, order []int, bound int64) (*checker, error) {
	each := slices.Sorted(slices.Values(order))
	for j := range p.columns {
		if len(each) != len(p.columns) || each[j] != j {
			return nil, fmt.Errorf("%w: the order of the columns must contain each column exactly once", errRefuted)
		}
	}
	k := &checker{ctx: ctx, pair: p, bound: bound}
	for _, j := range order {
		k.columns = append(k.columns, p.codes[j])
	}
	k.tails = newTails(p.Len(), k.columns)
	for sign := range k.signs {
		k.signs[sign] = make([]int64, slices.Max(p.sizes))
	}
	return k, nil
}

// walk proves the bound of the checker for all conjunctions that extend a given one. The extensions have at least one
// further literal, at most the given number of them, and only on the columns from the given level on. The parameter
// records holds the records that satisfy the given conjunction, with their weights.
func (k *checker) walk(records []uint32, weights []int64, level, literals int) error {
	if literals == 0 || level == len(k.columns) {
		return nil
	}
	if err := k.ctx.Err(); err != nil {
		return err
	}
	if literals == 1 {
		return k.last(records, weights, level)
	}
	records, weights = k.tails.gather(records, weights, level)
	column := k.columns[level]
	above, beyond := k.above(records, weights, column)
	if !above {
		return nil
	}
	for v, sum := range beyond {
		if abs(sum) > k.bound {
			return fmt.Errorf("%w: a conjunction has the difference %d/%d between the tables, more than the search reported", errRefuted, abs(sum), k.pair.total)
		}
		var these []uint32
		var theirs []int64
		for n, i := range records {
			if column[i] == v {
				these, theirs = append(these, i), append(theirs, weights[n])
			}
		}
		if err := k.walk(these, theirs, level+1, literals-1); err != nil {
			return err
		}
	}
	return k.walk(records, weights, level+1, literals)
}

// last proves the bound of the checker for all conjunctions that extend a given one by exactly one literal. It
// computes the sum of weights for each value of each column.
func (k *checker) last(records []uint32, weights []int64, level int) error {
	sums := k.signs[0]
	for _, column := range k.columns[level:] {
		for n, i := range records {
			sums[column[i]] += weights[n]
		}
		greatest := int64(0)
		for _, i := range records {
			greatest = max(greatest, abs(sums[column[i]]))
			sums[column[i]] = 0
		}
		if greatest > k.bound {
			return fmt.Errorf("%w: a conjunction has the difference %d/%d between the tables, more than the search reported", errRefuted, greatest, k.pair.total)
		}
	}
	return nil
}

// above reports whether the sum of the positive weights or that of the negative weights exceeds the bound in absolute
// value. It also returns the values of the column for which the records with this value alone exceed the bound in
// this way, each with the sum of all weights of its records.
func (k *checker) above(records []uint32, weights []int64, column []uint16) (bool, map[uint16]int64) {
	var all [2]int64
	for n, i := range records {
		sign := 0
		if weights[n] < 0 {
			sign = 1
		}
		all[sign] += weights[n]
		k.signs[sign][column[i]] += weights[n]
	}
	values := map[uint16]int64{}
	for _, i := range records {
		up, down := &k.signs[0][column[i]], &k.signs[1][column[i]]
		if *up > k.bound || *down < -k.bound {
			values[column[i]] = *up + *down
		}
		*up, *down = 0, 0
	}
	return all[0] > k.bound || all[1] < -k.bound, values
}
