package audit

import "math"

// renyi is the Rényi divergence of an order above 1, over the outcomes that are known of both laws.
func renyi(p, q Law[string], order float64) float64 {
	sum := 0.0
	for x := range p.lower {
		lo, _ := p.Bounds(x)
		if other, _ := q.Bounds(x); other > 0 {
			sum += math.Pow(lo, order) * math.Pow(other, 1-order)
		}
	}
	return math.Log(sum) / (order - 1)
}
