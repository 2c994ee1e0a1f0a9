package graphical

import (
	"context"
	"math"
	"slices"
)

// A descent minimizes the loss of a model by mirror descent with momentum. Its slices have one entry for each cell of
// each measured marginal.
type descent struct {
	*calibration
	counts, deviations []float64
	theta              []float64
	gradient           []float64 // the gradient of the loss with respect to N·p(cell)
}

// These constants are parameters of the mirror descent that fits a graphical model.
const (
	iterations   = 1000 // maximum number of iterations
	compareEvery = 25   // number of iterations after which the decrease of the loss is compared with the accuracy
	faster       = 1.05 // factor of the rate after an iteration that did not increase the loss
	slower       = 0.5  // factor of the rate after an iteration that increased the loss
	least        = -30  // lower bound of θ; a negative count would let θ decrease forever
)

func newDescent(m *Model) *descent {
	d := &descent{calibration: newCalibration(m)}
	for _, f := range m.factors {
		d.counts, d.theta = append(d.counts, f.counts...), append(d.theta, f.theta...)
		for _, v := range f.variances {
			d.deviations = append(d.deviations, math.Sqrt(v))
		}
	}
	d.gradient = make([]float64, len(d.theta))
	return d
}

// evaluate computes the beliefs (the marginals over cliques) and the gradient of the loss for the current parameters θ.
// It returns the loss.
func (d *descent) evaluate() (loss float64) {
	at := 0
	for _, f := range d.factors {
		at += copy(f.theta, d.theta[at:])
	}
	d.run()
	at = 0
	for i, f := range d.factors {
		of := d.gradient[at:][:len(f.theta)]
		d.links[i].sum(d.beliefs[d.home[i]].values, of)
		at += len(of)
	}
	for i, p := range d.gradient {
		r := (d.total*p - d.counts[i]) / d.deviations[i]
		loss += r * r / 2
		d.gradient[i] = r / d.deviations[i]
	}
	return loss
}

// minimize sets the parameters θ to values with a small loss. It ends when compareEvery iterations together reduce
// the loss by less than accuracy times the number of cells. If an iteration increases the loss, the next one starts
// again at the best θ so far, without momentum and with a smaller step size.
func (d *descent) minimize(ctx context.Context, accuracy float64) error {
	if len(d.theta) == 0 {
		d.run()
		return nil
	}
	loss := d.evaluate()
	if math.IsNaN(loss) { // the earlier parameters contradict each other so much that all weights are 0
		clear(d.theta)
		loss = d.evaluate()
	}
	best, slope, last := slices.Clone(d.theta), slices.Clone(d.gradient), slices.Clone(d.theta)
	rate := slices.Min(d.deviations) * slices.Min(d.deviations) / d.total
	progress := loss
	for n, momentum := 1, 0.0; n <= iterations; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, g := range d.gradient {
			next := max(least, d.theta[i]-rate*g)
			d.theta[i] = max(least, next+momentum/(momentum+3)*(next-last[i]))
			last[i] = next
		}
		momentum++
		if next := d.evaluate(); next <= loss {
			loss, rate = next, faster*rate
			copy(best, d.theta)
			copy(slope, d.gradient)
		} else {
			momentum, rate = 0, slower*rate
			copy(d.theta, best)
			copy(last, best)
			copy(d.gradient, slope)
		}
		if n%compareEvery == 0 {
			if progress-loss < accuracy*float64(len(d.theta)) {
				break
			}
			progress = loss
		}
	}
	copy(d.theta, best)
	d.evaluate()
	return nil
}
