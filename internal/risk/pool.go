package risk

// Adjacent grades may be pooled, so that they have one risk together. The intervals hold simultaneously for all runs of
// adjacent grades, so the runs to pool may be chosen by the noisy counts.

// A Pooling is the reason why several grades (see Grade) have one common risk.
type Pooling string

const (
	Few   Pooling = "few"   // a grade had too few rows to distinguish its risk from noise
	Order Pooling = "order" // a greater grade had a smaller estimated risk
)

// A run is a range of adjacent grades (see Grade) that have a common risk: those whose index is at least from and less
// than to.
type run struct {
	from, to int
	x, y     float64 // the estimated numbers of positive and of negative rows
	why      Pooling
}

// with returns the union of the adjacent runs r and s. The parameter why is the reason for joining them. If one of them
// was already pooled because of the order of risks, this remains the reason.
func (r run) with(s run, why Pooling) run {
	if r.why == Order || s.why == Order {
		why = Order
	}
	return run{r.from, s.to, r.x + s.x, r.y + s.y, why}
}

// support is the minimum number of rows of a range of pooled grades, as a multiple of the scale of the noise of a
// count. With fewer rows and a risk of about one half, the interval of the risk would be wider than about ±0.2.
const support = 40

// pool combines adjacent grades (see Grade) to ranges with a common risk, and returns these ranges in increasing order.
// If the scale is not ordered, each grade remains alone. On an ordered scale, grades are pooled in two steps:
//   - Adjacent grades are joined until each range has enough rows.
//   - Ranges are joined until their risks do not decrease (isotonic regression, weighted by the noisy numbers of rows).
func (c *Counts) pool() []run {
	var runs []run
	least := max(support*c.noiseScale(), 1)
	for i := range c.Scale.Grades {
		r := run{i, i + 1, c.run(1, i, i+1).value, c.run(0, i, i+1).value, ""}
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

// falls reports whether the share of positive rows is greater in r than in s. Both ranges must have rows.
func falls(r, s run) bool { return r.x/(r.x+r.y) > s.x/(s.x+s.y) }
