package density

import (
	"math"
	"math/rand/v2"
	"testing"
)

// binsOf counts numbers in bins, with normal noise of the given deviation: each number in singles is a bin, and so are all
// numbers between two of them. The ranges are those of intervals, whose first numbers must be in singles.
func binsOf(numbers []int64, ranges [][2]int64, singles []int64, deviation float64, r *rand.Rand) *Bins {
	b := &Bins{Variance: deviation * deviation}
	last := ranges[len(ranges)-1][1]
	for i, x := range singles {
		end := last
		if i+1 < len(singles) {
			end = singles[i+1] - 1
		}
		b.Ranges = append(b.Ranges, [2]int64{x, x})
		if x < end {
			b.Ranges = append(b.Ranges, [2]int64{x + 1, end})
		}
	}
	for _, rows := range countsOf(numbers, b.Ranges) {
		b.Rows = append(b.Rows, rows+deviation*r.NormFloat64())
	}
	return b
}

// Numbers with many rows keep these rows, and the other numbers of the interval share the rest. Without bins, such numbers
// are not distinguished from their neighbours.
func TestFrequentNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	ranges := rangesOf(0, 99_999, 10_000, 30_000)
	var numbers []int64
	for range 40_000 {
		x := int64(15_000 * r.ExpFloat64())
		switch r.IntN(16) {
		case 0, 1, 2, 3:
			x = (x + 2500) / 5000 * 5000
		case 4, 5, 6, 7:
			x = 12_000
		case 8:
			x = 95_000 // whose neighbours are rare
		}
		numbers = append(numbers, min(x, 99_999))
	}
	var singles []int64
	for x := int64(0); x < 100_000; x += 1000 {
		singles = append(singles, x)
	}
	counts := countsOf(numbers, ranges)
	bins := binsOf(numbers, ranges, singles, 30, r)
	of, without := Fit(ranges, counts, 100, bins), Fit(ranges, counts, 100, nil)
	share := func(i int, least, most int64) (exact float64) {
		for _, x := range numbers {
			if x >= least && x <= most {
				exact++
			}
		}
		return exact / counts[i]
	}
	for _, c := range []struct {
		interval    int
		least, most int64
	}{{0, 5000, 5000}, {1, 10_000, 10_000}, {1, 12_000, 12_000}, {1, 15_000, 15_000}, {1, 12_001, 14_999}, {0, 1, 4999}, {2, 30_000, 30_000}, {2, 30_001, 34_999}, {2, 95_000, 95_000}} {
		want := share(c.interval, c.least, c.most)
		if got := of[c.interval].Between(c.least, c.most); math.Abs(got-want) > 4*30*math.Sqrt(6)/counts[c.interval]+.01 {
			t.Errorf("%d to %d: the probability is %.4f, not %.4f", c.least, c.most, got, want)
		}
		if c.least == c.most && without[c.interval].Between(c.least, c.most) > want/10 {
			t.Errorf("%d is also frequent without bins", c.least)
		}
	}
}

// Bins show how long the tail of a long last interval is: about a fifth of the limit for numbers with a lognormal
// distribution, and a hundredth for numbers that are uniform below it. For the uniform numbers, the other intervals
// show this badly.
func TestTailsWithBins(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	singles := []int64{0, 1000, 3000, 8000, 10_000, 15_000, 20_000, 30_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000}
	for _, c := range []struct {
		name        string
		ranges      [][2]int64
		number      func() float64
		least, most float64 // of the standard deviation, as a multiple of the exact one
	}{
		{"lognormal", rangesOf(0, 2_000_000, 1000, 3000, 8000, 20_000), func() float64 { return math.Exp(7.5 + 1.2*r.NormFloat64()) }, .4, 2.5},
		{"uniform", rangesOf(0, 2_000_000, 1000, 3000, 8000), func() float64 { return 20_000 * r.Float64() }, .9, 1.5},
	} {
		var numbers []int64
		sum, squares := 0.0, 0.0
		for range 30_000 {
			x := math.Floor(c.number())
			numbers = append(numbers, int64(min(x, 2_000_000)))
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / 30_000
		deviation := math.Sqrt(squares/30_000 - mean*mean)
		counts := countsOf(numbers, c.ranges)
		for range 20 {
			m, d := moments(c.ranges, counts, Fit(c.ranges, counts, 30*30, binsOf(numbers, c.ranges, singles, 60, r)))
			if math.Abs(m-mean) > .1*deviation || d > c.most*deviation || d < c.least*deviation {
				t.Errorf("%s: mean %v and deviation %v instead of %v and %v", c.name, m, d, mean, deviation)
			}
		}
	}
}

// Whatever the noisy rows of bins, densities are distributions on their intervals.
func TestDensitiesOfBinsAreDistributions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		least := r.Int64N(1000) - 500
		var ranges [][2]int64
		var rows []float64
		bins := &Bins{Variance: r.ExpFloat64() * 100}
		for range 1 + r.IntN(7) {
			first := least
			for range 1 + r.IntN(5) {
				width := int64(1) << r.IntN(1+r.IntN(40)) * int64(r.IntN(2)+1)
				bins.Ranges = append(bins.Ranges, [2]int64{least, least + width - 1})
				bins.Rows = append(bins.Rows, float64(r.IntN(3))*math.Exp(8*r.NormFloat64())-10*r.ExpFloat64())
				least += width
			}
			ranges = append(ranges, [2]int64{first, least - 1})
			rows = append(rows, float64(r.IntN(3))*math.Exp(8*r.NormFloat64()))
		}
		for i, d := range Fit(ranges, rows, r.ExpFloat64()*100, bins) {
			if d == nil {
				continue
			}
			from, to := ranges[i][0], ranges[i][1]
			middle := from + (to-from)/2
			left, right := d.Between(from, middle), d.Between(middle+1, to)
			if !(math.Abs(left+right-1) <= 1e-12) || d.Between(from-5, from-1) != 0 || d.Between(to+1, to+5) != 0 {
				t.Fatalf("%v with %v rows and bins %v: the density of interval %d has %v and %v", ranges, rows, bins, i, left, right)
			}
		}
	}
}
