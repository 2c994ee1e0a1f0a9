package loglinear

import "context"

// A barrier represents a rule as a factor of the model, which multiplies the probability of a row by 0 if the
// rule forbids the row's combination of values, and by 1 otherwise.
type barrier struct {
	*factor
	open []float32 // for each combination of values: 1, or 0 if it is forbidden
}

// breaks reports whether a row violates the rule. The function value returns the row's value in a column.
func (b *barrier) breaks(value func(column int) uint16) bool {
	k := 0
	for i, a := range b.axes {
		k += int(value(a.Column)) * b.strides[i]
	}
	return b.open[k] == 0
}

// of reports whether x and y are the only columns of the rule.
func (b *barrier) of(x, y int) bool {
	return len(b.axes) == 2 && (b.axes[0].Column == x && b.axes[1].Column == y || b.axes[0].Column == y && b.axes[1].Column == x)
}

// forbid adds the rules to the model, which then gives the forbidden combinations probability 0.
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

// keep makes all particles satisfy the rules. It first runs sweeps of Gibbs sampling. Then it replaces each particle
// that still violates a rule by a copy of one that satisfies all rules, or all particles by the witness if none of
// them does.
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
