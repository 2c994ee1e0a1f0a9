package density

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// rangesOf returns the ranges of the intervals that cuts divide.
func rangesOf(least, most int64, cuts ...int64) (ranges [][2]int64) {
	for _, c := range cuts {
		ranges = append(ranges, [2]int64{least, c - 1})
		least = c
	}
	return append(ranges, [2]int64{least, most})
}

// countsOf counts numbers in ranges, clipped to their limits.
func countsOf(numbers []int64, ranges [][2]int64) []float64 {
	counts := make([]float64, len(ranges))
	for _, x := range numbers {
		at := slices.IndexFunc(ranges, func(r [2]int64) bool { return x <= r[1] })
		if at < 0 {
			at = len(ranges) - 1
		}
		counts[at]++
	}
	return counts
}

// moments returns the mean and standard deviation of intervals with these densities.
func moments(ranges [][2]int64, counts []float64, of []*table.Density) (mean, deviation float64) {
	sum, squares, n := 0.0, 0.0, 0.0
	for i, r := range ranges {
		n += counts[i]
		const parts = 4000
		for k := range int64(parts) {
			from, to := r[0]+(r[1]-r[0]+1)*k/parts, r[0]+(r[1]-r[0]+1)*(k+1)/parts-1
			if from > to {
				continue
			}
			p := float64(to-from+1) / float64(r[1]-r[0]+1)
			if of[i] != nil {
				p = of[i].Between(from, to)
			}
			x := float64(from+to) / 2
			sum += counts[i] * p * x
			squares += counts[i] * p * x * x
		}
	}
	mean = sum / n
	return mean, math.Sqrt(squares/n - mean*mean)
}

// The fitted densities have nearly the mean and standard deviation of the numbers. Uniform densities do
// not. This holds for light, exponential and heavy tails, on one side or on both.
func TestMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 5))
	for name, c := range map[string]struct {
		ranges [][2]int64
		number func() float64
	}{
		"normal":      {rangesOf(-1000, 1000, -100, -50, 0, 50, 100), func() float64 { return 60 * r.NormFloat64() }},
		"exponential": {rangesOf(0, 2000, 20, 50, 100, 200), func() float64 { return 60 * r.ExpFloat64() }},
		"lognormal":   {rangesOf(0, 1_000_000, 5000, 10_000, 20_000, 30_000, 50_000, 75_000, 100_000), func() float64 { return math.Exp(10 + .8*r.NormFloat64()) }},
		"Pareto":      {rangesOf(1000, 20_000, 1100, 1300, 1600, 2000, 3000, 5000), func() float64 { return 1000 * math.Pow(1-r.Float64(), -1/3.) }},
		"a spike":     {rangesOf(0, 100_000, 1, 500, 1000, 2000), func() float64 { return (1 + 800*r.ExpFloat64()) * float64(r.IntN(2)) }},
		"counts":      {rangesOf(0, 60, 1, 2, 3, 4), func() float64 { return math.Floor(1.5 * r.ExpFloat64()) }},
		"bounded":     {rangesOf(0, 99, 20, 40, 60, 80), func() float64 { return 100 * r.Float64() }},
	} {
		*r = *rand.New(rand.NewPCG(1, uint64(len(name))))
		var numbers []int64
		sum, squares := 0.0, 0.0
		most := float64(c.ranges[len(c.ranges)-1][1])
		for range 40_000 {
			x := min(math.Floor(c.number()), most)
			numbers = append(numbers, int64(x))
			sum += x
			squares += x * x
		}
		mean := sum / float64(len(numbers))
		deviation := math.Sqrt(squares/float64(len(numbers)) - mean*mean)
		counts := countsOf(numbers, c.ranges)
		of := Fit(c.ranges, counts, 100, nil)
		m, d := moments(c.ranges, counts, of)
		uniform, wide := moments(c.ranges, counts, make([]*table.Density, len(of)))
		t.Logf("%s: mean %+.3f, deviation %+.3f; uniform %+.3f, %+.3f", name, (m-mean)/deviation, d/deviation-1, (uniform-mean)/deviation, wide/deviation-1)
		if math.Abs(m-mean) > .03*deviation || math.Abs(d/deviation-1) > .07 {
			t.Errorf("%s: mean %v and deviation %v instead of %v and %v", name, m, d, mean, deviation)
		}
		if name != "bounded" && wide/deviation-1 < .2 {
			t.Errorf("%s: uniform numbers have nearly the same deviation, so the test is too easy", name)
		}
	}
}

// Whatever the counts, a density is positive somewhere, and its probabilities sum to 1.
func TestDensitiesAreDistributions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	for range 300 {
		least := r.Int64N(1000) - 500
		if r.IntN(5) == 0 {
			least = -900_000_000_000_000_000
		}
		var ranges [][2]int64
		var rows []float64
		for range 1 + r.IntN(7) {
			width := int64(1) << r.IntN(1+r.IntN(50)) * int64(r.IntN(2)+1)
			ranges = append(ranges, [2]int64{least, least + width - 1})
			least += width
			rows = append(rows, float64(r.IntN(3))*math.Exp(8*r.NormFloat64()))
		}
		for i, d := range Fit(ranges, rows, float64(r.IntN(3))*r.ExpFloat64()*1000, nil) {
			if d == nil {
				continue
			}
			from, to := ranges[i][0], ranges[i][1]
			middle := from + (to-from)/2
			left, right := d.Between(from, middle), d.Between(middle+1, to)
			if math.Abs(left+right-1) > 1e-12 || d.Between(from-5, from-1) != 0 || d.Between(to+1, to+5) != 0 {
				t.Fatalf("%v with %v rows: the density of interval %d has %v and %v", ranges, rows, i, left, right)
			}
		}
	}
}

// Densities are uniform if fewer than two intervals are no spikes, or if there are no rows.
func TestUniformNumbers(t *testing.T) {
	for _, c := range []struct {
		ranges [][2]int64
		rows   []float64
	}{
		{rangesOf(0, 9), []float64{5}},
		{rangesOf(0, 9, 1), []float64{5, 20}},
		{rangesOf(0, 9, 5), []float64{0, 0}},
	} {
		if of := Fit(c.ranges, c.rows, 1, nil); slices.ContainsFunc(of, func(d *table.Density) bool { return d != nil }) {
			t.Errorf("%v: %v", c.ranges, of)
		}
	}
}

// The last number of a tail gets the probability of clipped values beyond it. If this probability would be
// large, the last number is assumed to be the natural end of the values.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		most        int64
		least, high float64 // of the probability of the last number
	}{{160, .08, .2}, {110, 0, .15}, {1000, 0, 1e-4}} {
		ranges := rangesOf(0, c.most, 25, 50, 100) // exponential with the mean 25
		of := Fit(ranges, []float64{6321, 2325, 1170, 183}, 1, nil)
		if p := of[3].Between(c.most, c.most); p < c.least || p > c.high {
			t.Errorf("the last number of 100..%d has probability %v", c.most, p)
		}
	}
}
