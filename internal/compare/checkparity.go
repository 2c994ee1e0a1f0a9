package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/rule"
)

// checkParity proves that the tables differ on the parity q by the given difference, and that no parity of the class
// has a greater one. The class consists of the parities of at most the given number (most) of the given bits.
// Otherwise checkParity returns an error that wraps errRefuted, or the context's error.
//
// The proof bounds sums of weights w of records (see Pair.weigh). Let χ be -1 for records that satisfy the parity and
// 1 for all others. The sum of w over the satisfying records is then (Σ w - Σ w·χ)/2, where both sums are over all
// records, so it suffices to bound |Σ w·χ|. The bits are decided one after the other, and records that agree in all
// later bits are merged. Then |Σ w·χ| is at most the sum of the absolute weights of the merged records.
func (p *Pair) checkParity(ctx context.Context, q rule.Odd, difference int64, bits []rule.Condition, most int) error {
	at := -1
	for _, b := range rule.Conditions(q) {
		next := slices.IndexFunc(bits, func(o rule.Condition) bool { return o.Attribute == b.Attribute && slices.Equal(o.Accepts, b.Accepts) })
		if next <= at || len(q) > most {
			return fmt.Errorf("%w: the query is not a parity of the class", errRefuted)
		}
		at = next
	}
	if d := p.difference(p.count(rule.Decision{Formula: q})); d != difference {
		return fmt.Errorf("%w: the query has a difference of %d/%d between the tables, but the search reported another difference", errRefuted, d, p.total)
	}
	k := &parityChecker{ctx: ctx, bound: difference}
	for _, b := range slices.SortedStableFunc(slices.Values(bits), func(a, b rule.Condition) int { return cmp.Compare(p.sizes[b.Attribute], p.sizes[a.Attribute]) }) {
		set := make([]uint16, p.Len())
		for i, code := range p.codes[b.Attribute] {
			if _, in := slices.BinarySearch(b.Accepts, code); in {
				set[i] = 1
			}
		}
		k.bits = append(k.bits, set)
	}
	k.tails = newTails(p.Len(), k.bits)
	records, weights := p.all()
	for _, w := range weights {
		k.whole += w
	}
	return k.walk(records, weights, 0, most)
}

// A parityChecker proves an upper bound on the difference between the tables for all parities: the weights w of the
// records that satisfy a parity (see Pair.weigh) never sum to more than the bound in absolute value.
type parityChecker struct {
	ctx   context.Context
	bits  [][]uint16 // by bit, whether each record has it
	tails *tails
	whole int64 // Σ w
	bound int64
}

// walk proves the bound of the checker for all parities that extend a given one by at least one and at most the given
// number (most) of further bits. The indices of these bits are at least the parameter from. The parameter weights
// holds the weight of each record with its sign under the given parity: w·χ in the notation of checkParity.
func (k *parityChecker) walk(records []uint32, weights []int64, from, most int) error {
	for ; from < len(k.bits) && most > 0; from++ {
		if err := k.ctx.Err(); err != nil {
			return err
		}
		records, weights = k.tails.gather(records, weights, from)
		all, sum := int64(0), int64(0)
		turned := slices.Clone(weights)
		for n, i := range records {
			all += abs(weights[n])
			if k.bits[from][i] == 1 {
				turned[n] = -weights[n]
			}
			sum += turned[n]
		}
		if abs(k.whole)+all <= 2*k.bound {
			return nil
		}
		if abs(k.whole-sum) > 2*k.bound {
			return fmt.Errorf("%w: a parity has the difference %d between the tables, more than the search reported", errRefuted, abs(k.whole-sum)/2)
		}
		if err := k.walk(records, turned, from+1, most-1); err != nil {
			return err
		}
	}
	return nil
}
