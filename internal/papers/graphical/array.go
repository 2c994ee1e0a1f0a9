package graphical

import "slices"

// An array is a table of numbers with one entry for each combination of values of its columns, in row-major order.
// The columns are sorted by domain.sorted: the last one has the most values, so that inner loops are long.
type array struct {
	columns []int
	values  []float64
}

// A domain holds, for each column, the number of its values.
type domain []int

// sorted returns the given columns in increasing order of their numbers of values.
func (d domain) sorted(columns []int) []int {
	return slices.SortedFunc(slices.Values(columns), func(a, b int) int {
		if d[a] != d[b] {
			return d[a] - d[b]
		}
		return a - b
	})
}

// cells returns the number of combinations of values of the given columns.
func (d domain) cells(columns []int) int {
	n := 1
	for _, c := range columns {
		n *= d[c]
	}
	return n
}

// filled returns an array over the columns in which every entry is x.
func (d domain) filled(columns []int, x float64) array {
	a := array{d.sorted(columns), make([]float64, d.cells(columns))}
	for i := range a.values {
		a.values[i] = x
	}
	return a
}

// strides returns the stride of each of the given columns in a row-major array over the columns in axes: the distance
// between two entries whose values differ by one in this column only. A column that is not in axes has the stride 0.
func (d domain) strides(columns, axes []int) []int {
	strides := make([]int, len(columns))
	n := 1
	for _, c := range slices.Backward(axes) {
		if at := slices.Index(columns, c); at >= 0 {
			strides[at] = n
		}
		n *= d[c]
	}
	return strides
}

// A link maps the entries of an array to the entries of a smaller array, whose columns are a subset of its columns.
// An entry is mapped to the entry with the same values in these columns. The larger array is divided into runs of
// equal length. Either each run is mapped to consecutive entries, or all entries of a run are mapped to the same
// entry.
type link struct {
	run    int
	single bool    // whether all entries of a run are mapped to the same entry
	starts []int32 // for each run, the entry of the smaller array to which its first entry is mapped
}

// link returns the link from arrays over columns to arrays over subset. The columns in subset must also be in
// columns, and both slices must be sorted by domain.sorted.
func (d domain) link(columns, subset []int) link {
	strides := d.strides(columns, subset)
	l := link{run: 1}
	at := len(columns)
	for ; at > 0; at-- {
		size, stride := d[columns[at-1]], strides[at-1]
		if l.run > 1 && (stride == 0) != l.single {
			break
		}
		if !l.single && stride != 0 && stride != l.run {
			break
		}
		l.single = stride == 0
		l.run *= size
	}
	l.starts = d.offsets(columns[:at], strides[:at])
	return l
}

// offsets returns the index, in an array with the given strides, of every combination of values of the columns, in
// row-major order. The index is the sum of value·stride over the columns.
func (d domain) offsets(columns, strides []int) []int32 {
	all := []int32{0}
	for i, c := range columns {
		next := make([]int32, 0, len(all)*d[c])
		for _, o := range all {
			for v := range d[c] {
				next = append(next, o+int32(v*strides[i]))
			}
		}
		all = next
	}
	return all
}

// multiply multiplies each entry of the larger array by the entry of the smaller array (a factor) to which the link
// maps it.
func (l *link) multiply(larger, factors []float64) {
	for i, s := range l.starts {
		run := larger[i*l.run : (i+1)*l.run]
		if l.single {
			x := factors[s]
			for k := range run {
				run[k] *= x
			}
			continue
		}
		from := factors[s:][:len(run)]
		for k := range run {
			run[k] *= from[k]
		}
	}
}

// sum sets each entry of the smaller array (sums) to the sum of those entries of the larger array that the link maps
// to it.
func (l *link) sum(larger, sums []float64) {
	clear(sums)
	for i, s := range l.starts {
		run := larger[i*l.run : (i+1)*l.run]
		if l.single {
			x := 0.0
			for _, y := range run {
				x += y
			}
			sums[s] += x
			continue
		}
		to := sums[s:][:len(run)]
		for k, y := range run {
			to[k] += y
		}
	}
}

// times multiplies the array a in place by the array factor, whose columns are a subset of those of a.
func (d domain) times(a, factor array) {
	l := d.link(a.columns, factor.columns)
	l.multiply(a.values, factor.values)
}

// marginal returns the marginal of the array a on the given columns: the entries of a, summed over all other columns.
func (d domain) marginal(a array, columns []int) array {
	m := d.filled(columns, 0)
	l := d.link(a.columns, m.columns)
	l.sum(a.values, m.values)
	return m
}

// product returns the marginal, on the given columns, of the product of the arrays a and b. It does not store the whole
// product.
func (d domain) product(a, b array, columns []int) array {
	both := common(a.columns, b.columns)
	onlyA, onlyB := without(a.columns, both), without(b.columns, both)
	ofA, ofB := slices.Concat(both, onlyA), slices.Concat(both, onlyB)
	x, y := d.ordered(a, ofA), d.ordered(b, ofB)
	m := d.filled(columns, 0)
	starts, offsets := d.offsets(ofA, d.strides(ofA, m.columns)), d.offsets(onlyB, d.strides(onlyB, m.columns))
	run := d.cells(onlyA)
	for i, s := range starts {
		row := y[i/run*len(offsets):][:len(offsets)]
		for k, o := range offsets {
			m.values[s+o] += x[i] * row[k]
		}
	}
	return m
}

// ordered returns the entries of the array a in row-major order over the given columns. These must be the columns of a,
// in any order.
func (d domain) ordered(a array, columns []int) []float64 {
	out := make([]float64, len(a.values))
	for i, at := range d.offsets(columns, d.strides(columns, a.columns)) {
		out[i] = a.values[at]
	}
	return out
}

// array is the inverse of ordered: it returns the array over the given columns whose entries, in row-major order over
// these columns, are values.
func (d domain) array(values []float64, columns []int) array {
	a := array{columns: d.sorted(columns), values: make([]float64, len(values))}
	for i, at := range d.offsets(columns, d.strides(columns, a.columns)) {
		a.values[at] = values[i]
	}
	return a
}
