package risk

// Which grades share a risk. Intervals hold for every run of neighbouring grades at
// once, so that runs may be chosen by the noisy counts.

// A run is neighbouring grades, to excluded.
type run struct {
	from, to int
	x, y     float64
	why      Pooling
}

func (r run) with(s run, why Pooling) run {
	if r.why == Order || s.why == Order {
		why = Order
	}
	return run{r.from, s.to, r.x + s.x, r.y + s.y, why}
}

// support is the number of rows that a risk is told for, in scales of the noise of a
// cell: with fewer, an interval around one half is wider than about one fifth either way.
const support = 40

// pool returns the runs that share a risk, ascending. On an ordered scale, grades are
// joined to the next until there are enough rows, then, by isotonic regression weighted
// with the noisy numbers of rows, until risks do not fall.
func (c *Counts) pool() []run {
	var runs []run
	least := max(support*c.noiseScale(), 1)
	for i := range c.Scale.Grades {
		r := run{i, i + 1, c.run(c.positive(), i, i+1).sum, c.run(c.negative(), i, i+1).sum, ""}
		if last := len(runs) - 1; c.Scale.Ordered() && last >= 0 && runs[last].x+runs[last].y < least {
			runs[last] = runs[last].with(r, Few)
		} else {
			runs = append(runs, r)
		}
	}
	if !c.Scale.Ordered() {
		return runs
	}
	if last := len(runs) - 1; last > 0 && runs[last].x+runs[last].y < least {
		runs[last-1] = runs[last-1].with(runs[last], Few)
		runs = runs[:last]
	}
	var out []run
	for _, r := range runs {
		out = append(out, r)
		for n := len(out); n > 1 && falls(out[n-2], out[n-1]); n-- {
			out[n-2] = out[n-2].with(out[n-1], Order)
			out = out[:n-1]
		}
	}
	return out
}

// falls tells whether the share of x in r is above that in s. Both have rows.
func falls(r, s run) bool { return r.x/(r.x+r.y) > s.x/(s.x+s.y) }
