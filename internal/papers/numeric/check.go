package numeric

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
)

// A checker verifies the bounds of a search. It stores the decisions on the path to the current node, and computes
// each bound by definition, from all distinct records and all columns, without using the tree's data.
type checker struct {
	class     *Class
	order     []int
	threshold int     // the index of the threshold, or -1 if it is undecided
	decided   []int64 // the decided weights, in the order of the plan
	cost      map[string]*[2]int64
	record    map[string][]int64
	terms     [][]int64 // the costs of the weights of each column, then those of the thresholds, then those of the norms
}

// Checker returns an independent checker for a tree of the problem p that decides the columns in the given order
// (plan). It returns an error unless plan lists every column exactly once.
func (c *Class) Checker(p class.Problem[[]int64], plan []int) (class.Checker, error) {
	if _, ok := c.Spread(p); !ok {
		return nil, class.ErrRange
	}
	sorted := slices.Clone(plan)
	slices.Sort(sorted)
	if !slices.Equal(sorted, c.inOrder()) {
		return nil, fmt.Errorf("numeric: the certificate's plan must list each of the %d columns exactly once", len(c.columns))
	}
	k := &checker{class: c, order: slices.Clone(plan), threshold: -1, cost: map[string]*[2]int64{}, record: map[string][]int64{}}
	for _, pt := range p.Points {
		var key []byte
		for _, x := range pt.X {
			key = binary.BigEndian.AppendUint64(key, uint64(x))
		}
		if k.cost[string(key)] == nil {
			k.cost[string(key)], k.record[string(key)] = new([2]int64), pt.X
		}
		for label, cost := range pt.Cost {
			k.cost[string(key)][label] += cost
		}
	}
	bit := 0
	var lists [][]int64
	for _, col := range c.columns {
		lists = append(lists, col.Weights)
	}
	for j, values := range append(lists, c.thresholds, c.norms) {
		costs := make([]int64, len(values))
		for i, v := range values {
			for b := range i {
				if p.Terms != nil {
					costs[i] += p.Terms[bit+b]
				}
			}
			if j < len(c.columns) && v != 0 {
				costs[i] += p.PenaltyUnit() * c.options.Penalty
			}
		}
		bit += max(0, len(values)-1)
		k.terms = append(k.terms, costs)
	}
	return k, nil
}

// remaining returns the limits on the undecided weights, given the decided ones: the result uses is the maximum number
// of nonzero weights, and the result norm is the maximum squared norm.
func (k *checker) remaining() (uses int, norm int64) {
	uses, norm = k.class.most(), k.class.norm()
	for _, w := range k.decided {
		if w != 0 {
			uses--
		}
		norm -= w * w
	}
	return uses, norm
}

// allowed returns the weights of column j that stay within both limits if all other undecided weights are 0. The
// parameters uses and norm are the limits on the undecided weights (see remaining).
func (k *checker) allowed(j, uses int, norm int64) []int64 {
	var out []int64
	for _, w := range k.class.columns[j].Weights {
		if w*w <= norm && (w == 0 || uses > 0) {
			out = append(out, w)
		}
	}
	return out
}

// options returns the weights of the next column with which the decisions can still be completed within both limits.
// It gives each later column its weight of least absolute value, since this completion uses the least of both limits.
func (k *checker) options() []int64 {
	uses, norm := k.remaining()
	at := len(k.decided)
	for _, j := range k.order[at+1:] {
		w := k.class.columns[j].smallest()
		if w != 0 {
			uses--
		}
		norm -= w * w
	}
	return k.allowed(k.order[at], uses, norm)
}

func (k *checker) Children() int {
	switch {
	case k.threshold < 0:
		return len(k.class.thresholds)
	case len(k.decided) == len(k.order):
		return 0
	default:
		return len(k.options())
	}
}

func (k *checker) Down(i int) {
	if k.threshold < 0 {
		k.threshold = i
		return
	}
	k.decided = append(k.decided, k.options()[i])
}

func (k *checker) Up() {
	if len(k.decided) > 0 {
		k.decided = k.decided[:len(k.decided)-1]
		return
	}
	k.threshold = -1
}

func (k *checker) Bound() int64 {
	uses, norm := k.remaining()
	bound := slices.Min(k.terms[len(k.class.columns)])
	first, last := k.class.thresholds[0], k.class.thresholds[len(k.class.thresholds)-1]
	if k.threshold >= 0 {
		bound = k.terms[len(k.class.columns)][k.threshold]
		first = k.class.thresholds[k.threshold]
		last = first
	}
	var open [][]int64 // the allowed weights of each undecided column
	for i, j := range k.order {
		if i < len(k.decided) {
			bound += k.price(j, k.decided[i])
			continue
		}
		open = append(open, k.allowed(j, uses, norm))
	}
	bound += k.cheapest(open, uses, norm)
	for key, cost := range k.cost {
		low, high := k.totals(k.record[key], open, norm)
		switch {
		case low.Cmp(big.NewInt(last)) >= 0:
			bound += cost[1]
		case high.Cmp(big.NewInt(first)) < 0:
			bound += cost[0]
		default:
			bound += min(cost[0], cost[1])
		}
	}
	return bound
}

// price returns the cost of the weight w of column j that comes from terms and penalties.
func (k *checker) price(j int, w int64) int64 {
	return k.terms[j][slices.Index(k.class.columns[j].Weights, w)]
}

// cheapest returns the least possible cost, from terms and penalties, of the undecided weights and of the norm. The
// slices allowed hold the allowed weights of each undecided column, uses limits the number of nonzero undecided
// weights, and norm limits their squared norm. cheapest is a dynamic program over the undecided columns and the
// remaining limits. It ignores a limit that no weights of the class can exceed.
func (k *checker) cheapest(allowed [][]int64, uses int, norm int64) int64 {
	type left struct {
		uses int
		norm int64
	}
	few := k.class.most() < len(k.order)
	short := k.class.options.NormBits || k.class.norm() < k.class.square()
	sums := map[left]int64{{uses, norm}: 0}
	for i, weights := range allowed {
		longer := map[left]int64{}
		for from, sum := range sums {
			for _, w := range weights {
				to := from
				if few && w != 0 {
					to.uses--
				}
				if short {
					to.norm -= w * w
				}
				if to.uses < 0 || to.norm < 0 {
					continue
				}
				total := sum + k.price(k.order[len(k.decided)+i], w)
				if known, ok := longer[to]; !ok || total < known {
					longer[to] = total
				}
			}
		}
		sums = longer
	}
	least := int64(math.MaxInt64)
	for to, sum := range sums {
		if k.class.options.NormBits {
			norms := k.terms[len(k.class.columns)+1]
			sum += norms[slices.Index(k.class.norms, k.class.norm()-to.norm)]
		}
		least = min(least, sum)
	}
	return least
}

// totals returns a lower and an upper bound on the weighted sum of the record x. The slices allowed hold the allowed
// weights of each undecided column, and norm limits the squared norm of the undecided weights. Each bound is the
// better one of two: the bound from the products of the allowed weights with the record's values, and the bound from
// the Cauchy-Schwarz inequality.
func (k *checker) totals(x []int64, allowed [][]int64, norm int64) (low, high *big.Int) {
	decided, least, most, square := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	for i, j := range k.order {
		v := big.NewInt(x[j])
		if i < len(k.decided) {
			decided.Add(decided, new(big.Int).Mul(v, big.NewInt(k.decided[i])))
			continue
		}
		var products []*big.Int
		for _, w := range allowed[i-len(k.decided)] {
			products = append(products, new(big.Int).Mul(v, big.NewInt(w)))
		}
		least.Add(least, slices.MinFunc(products, (*big.Int).Cmp))
		most.Add(most, slices.MaxFunc(products, (*big.Int).Cmp))
		square.Add(square, v.Mul(v, v))
	}
	root := square.Sqrt(square.Mul(square, big.NewInt(norm)))
	if least.CmpAbs(root) > 0 && least.Sign() < 0 {
		least.Neg(root)
	}
	if most.Cmp(root) > 0 {
		most.Set(root)
	}
	return least.Add(least, decided), most.Add(most, decided)
}
