package loglinear

import "context"

// A barrier is a rule as a factor of the model: its values are 0 for forbidden combinations and 1
// for all others.
type barrier struct {
	*factor
	open []float32 // for each combination of values: 1, or 0 if it is forbidden
}

// breaks reports whether a row has a forbidden combination.
func (b *barrier) breaks(value func(column int) uint16) bool {
	k := 0
	for i, a := range b.axes {
		k += int(value(a.Column)) * b.strides[i]
	}
	return b.open[k] == 0
}

// of reports whether the rule is about the two columns x and y, and no others.
func (b *barrier) of(x, y int) bool {
	return len(b.axes) == 2 && (b.axes[0].Column == x && b.axes[1].Column == y || b.axes[0].Column == y && b.axes[1].Column == x)
}

// forbid adds rules to the model.
func (f *Fit) forbid(rules []Rule) {
	for _, r := range rules {
		b := barrier{factor: newFactor(r.axes(f.sizes)), open: make([]float32, len(r.Forbidden))}
		for k, forbidden := range r.Forbidden {
			if !forbidden {
				b.open[k] = 1
			}
		}
		f.rules = append(f.rules, b)
	}
}

// keep makes all particles satisfy the rules. It first runs sweeps of Gibbs
// sampling. Then it replaces the particles that still violate a rule by resampling the others. If all particles
// violate a rule, it replaces all of them by the witness.
func (f *Fit) keep(witness []uint16) error {
	if len(f.rules) == 0 || f.rows.n == 0 {
		return nil
	}
	for range repairs {
		if err := f.sweep(context.Background(), f.tables(), f.rows); err != nil {
			return err
		}
	}
	good := 0
	for i := range f.rows.n {
		f.rows.weight[i] = 1
		if f.broken(func(c int) uint16 { return f.rows.column[c][i] }) {
			f.rows.weight[i] = 0
		} else {
			good++
		}
	}
	if good == 0 {
		for c, v := range witness {
			f.rows.column[c][0] = v
		}
		f.rows.weight[0] = 1
	}
	f.rows = f.rows.resample(f.rows.n, .5)
	return nil
}

const repairs = 3 // the maximum number of sweeps

func (f *Fit) broken(value func(column int) uint16) bool {
	for i := range f.rules {
		if f.rules[i].breaks(value) {
			return true
		}
	}
	return false
}
