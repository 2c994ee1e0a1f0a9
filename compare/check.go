package compare

import (
	"context"
	"fmt"
	"slices"
)

// check proves that a conjunction has the difference |Σ w|, and that none of at most so many
// literals has a greater one; or it fails with an error that wraps errRefuted, or the context's.
// It trusts nothing, and the order of columns may be any: it counts the query's rows by the
// definition, and walks the tree of all conjunctions anew, by code of its own, where a part of a
// record is a number that a map gives to it, and sums are added up by that number.
func (p *Pair) check(ctx context.Context, c Conjunction, difference int64, literals int, order []int) error {
	for n, l := range c {
		if l.Column < 0 || l.Column >= len(p.columns) || int(l.Value) >= p.sizes[l.Column] || n > 0 && l.Column <= c[n-1].Column {
			return fmt.Errorf("%w: the query is no conjunction", errRefuted)
		}
	}
	if d := p.difference(p.count(c)); d != difference {
		return fmt.Errorf("%w: the query's difference is %d of %d", errRefuted, d, p.total)
	}
	k, err := newChecker(ctx, p, order, difference)
	if err != nil {
		return err
	}
	records, weights := make([]uint32, p.Len()), make([]int64, p.Len())
	whole := int64(0)
	for i := range records {
		records[i], weights[i] = uint32(i), p.weight(i)
		whole += weights[i]
	}
	if abs(whole) > difference {
		return fmt.Errorf("%w: the conjunction of no literal has the difference %d of %d", errRefuted, abs(whole), p.total)
	}
	return k.walk(records, weights, 0, literals)
}

// A checker proves that no conjunction has |Σ w| above a bound.
type checker struct {
	ctx   context.Context
	pair  *Pair
	order []int
	tail  [][]uint32 // tail[k][i] numbers what record i has in the columns order[k:]: equal ones alike
	total []int64    // of each number; all 0 between uses
	signs [2][]int64 // sums of positive and of negative weights of each value, the same
	bound int64
}

func newChecker(ctx context.Context, p *Pair, order []int, bound int64) (*checker, error) {
	each := slices.Sorted(slices.Values(order))
	for j := range p.columns {
		if len(each) != len(p.columns) || each[j] != j {
			return nil, fmt.Errorf("%w: its columns are not each there once", errRefuted)
		}
	}
	k := &checker{ctx: ctx, pair: p, order: order, bound: bound, total: make([]int64, p.Len())}
	for i := range k.signs {
		k.signs[i] = make([]int64, slices.Max(p.sizes))
	}
	tail := make([]uint32, p.Len())
	k.tail = append(k.tail, tail)
	number := map[uint64]uint32{}
	for _, j := range slices.Backward(order) {
		longer := make([]uint32, p.Len())
		clear(number)
		for i, code := range p.codes[j] {
			key := uint64(tail[i])<<16 | uint64(code)
			n, ok := number[key]
			if !ok {
				n = uint32(len(number))
				number[key] = n
			}
			longer[i] = n
		}
		tail = longer
		k.tail = append(k.tail, tail)
	}
	slices.Reverse(k.tail)
	return k, nil
}

// walk proves the bound for the conjunctions that go on from one, satisfied by records of
// some weights, with at most so many literals on the columns order[level:].
func (k *checker) walk(records []uint32, weights []int64, level, literals int) error {
	if literals == 0 || level == len(k.order) {
		return nil
	}
	if err := k.ctx.Err(); err != nil {
		return err
	}
	records, weights = k.gather(records, weights, level)
	column := k.pair.codes[k.order[level]]
	above, beyond := k.above(records, weights, column)
	if !above {
		return nil
	}
	for v, sum := range beyond {
		if abs(sum) > k.bound {
			return fmt.Errorf("%w: a conjunction has the difference %d of %d", errRefuted, abs(sum), k.pair.total)
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

// above tells whether the weights of one sign exceed the bound, and of which values of the
// column they do, with the sums of all their weights.
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

// gather leaves one record for each tail from the level on, with all their weight.
func (k *checker) gather(records []uint32, weights []int64, level int) ([]uint32, []int64) {
	tail := k.tail[level]
	for n, i := range records {
		k.total[tail[i]] += weights[n]
	}
	var some []uint32
	var theirs []int64
	for _, i := range records {
		if t := &k.total[tail[i]]; *t != 0 {
			some, theirs = append(some, i), append(theirs, *t)
			*t = 0
		}
	}
	return some, theirs
}
