package classtest

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// mostWeighed limits the work of weigh: every node with at most this number of hypotheses below it
// is checked, but only a random subset of the larger nodes.
const mostWeighed = 40

var (
	one     = big.NewRat(1, 1)
	lambdas = []*big.Rat{big.NewRat(1, 1000), big.NewRat(1, 7), big.NewRat(2, 1)}
)

// weigh tests the Mass of the walker's node, which must be an upper bound on the sum of e^{-λ·cost}
// over the hypotheses below the node. The parameter below holds the indices of these hypotheses.
// weigh also follows every sequence of choices that a Descent from this Mass can take.
func (v *visitor[X, H]) weigh(below []int) {
	if len(below) > mostWeighed && v.draw(0, len(below)) > mostWeighed {
		return
	}
	lambda := lambdas[v.draw(0, 2)]
	mass, tight := v.w.Mass(lambda)
	if mass == nil {
		return
	}
	upper, ref := mass.Bound()
	sum := number(upper)
	rate, _ := lambda.Float64()
	least := map[int]float64{}
	total := 0.0
	for _, i := range below {
		least[i] = math.Exp(-rate * float64(v.costs[i]-ref))
		total += least[i]
	}
	if tight && sum > 1.01*total {
		v.failf("weighs %g, which is said to be tight, and should be %g", sum, total)
	}
	chances := 0.0
	var choices, options []int
	for more := true; more; {
		d, chance := mass.Descend(), 1.0
		for depth := 0; ; depth++ {
			sums, err := d.Weights(context.Background())
			if err != nil {
				v.failf("weights: %v", err)
			}
			if sums == nil {
				break
			}
			if depth == len(choices) {
				choices, options = append(choices, 0), append(options, len(sums))
			}
			own := sums[choices[depth]]
			if choices[depth] > 0 {
				own -= sums[choices[depth]-1]
			}
			chance *= float64(own) / float64(sums[len(sums)-1])
			d.Take(choices[depth])
		}
		h, prior, cost := d.Hypothesis()
		i, known := v.listing.find(h)
		chances += chance
		own, ok := least[i]
		switch {
		case !known || !ok:
			v.failf("a descent ends at %v, which is not below or was there before", h)
		case cost != v.costs[i] || prior.Cmp(one) != 0:
			v.failf("a descent ends at %v with cost %d and prior %v; it costs %d", h, cost, prior, v.costs[i])
		case chance*sum < own*(1-1e-11):
			v.failf("a descent ends at %v with probability %g; %g of %g is at least %g", h, chance, own, sum, own/sum)
		}
		delete(least, i)
		more = false
		for depth := len(choices) - 1; depth >= 0 && !more; depth-- {
			choices, options = choices[:depth+1], options[:depth+1]
			choices[depth]++
			more = choices[depth] < options[depth]
		}
	}
	if len(least) > 0 || math.Abs(chances-1) > 1e-9 {
		v.failf("descents miss %d hypotheses below, with probabilities of %g in all", len(least), chances)
	}
	again, _ := v.w.Mass(lambda)
	if f, m := again.Bound(); f != upper || m != ref {
		v.failf("weighs %v at %d, and then %v at %d", upper, ref, f, m)
	}
}

// number returns u as a floating-point number.
func number(u class.Upper) float64 { return math.Ldexp(float64(u.Head), int(u.Exponent)) }
