package risk

import (
	"fmt"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// law returns the probabilities of -far..far for the noise of n cells, by convolution, ignoring
// values beyond.
func law(scale float64, n, far int) []float64 {
	sum := make([]float64, 2*far+1)
	sum[far] = 1
	if scale == 0 {
		return sum
	}
	q := math.Exp(-1 / scale)
	for range n {
		next := make([]float64, len(sum))
		for i, p := range sum {
			for k := -far; k <= far; k++ {
				if j := i + k; p > 0 && j >= 0 && j < len(next) {
					next[j] += p * (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(k)))
				}
			}
		}
		sum = next
	}
	return sum
}

// binomial returns the probability of k successes in n trials.
func binomial(n, k int, p float64) float64 {
	out := 1.
	for i := range k {
		out *= float64(n-i) / float64(k-i) * p
	}
	for range n - k {
		out *= 1 - p
	}
	return out
}

// A setting holds the numbers of rows and the noise.
type setting struct {
	scale  float64
	nx, ny int
	far    int
	rows   []int
}

// Few rows, and a number at which noisy counts are seldom negative. Negative counts are taken as 0.
var few, many = []int{0, 1, 2, 3, 4, 5, 6}, []int{24}

// miss returns the maximum probability, over some shares and numbers of rows, that the interval
// misses the share. It sums over all outcomes. The bounds are those of l for nx and ny cells.
func (s setting) miss(l strayer, nx, ny int) float64 {
	first, second := law(s.scale, s.nx, s.far), law(s.scale, s.ny, s.far)
	known := map[[2]int]Share{}
	interval := func(x, y int) Share {
		i, ok := known[[2]int{x, y}]
		if !ok {
			i = l.share(unadjusted(float64(x), nx), unadjusted(float64(y), ny))
			known[[2]int{x, y}] = i
		}
		return i
	}
	// misses(p, n, share) is the probability that the interval misses the share, given p positive
	// and n negative rows.
	misses := func(p, n int, share float64) (sum float64) {
		for i, a := range first {
			for j, b := range second {
				if a*b < heavy.Pick(1e-7, 1e-12) {
					continue
				}
				if v := interval(p+i-s.far, n+j-s.far); share < v.Least || share > v.Most {
					sum += a * b
				}
			}
		}
		return sum
	}
	worst := 0.
	for _, rows := range s.rows {
		if !l.sampling {
			for p := range rows + 1 {
				if rows > 0 {
					worst = max(worst, misses(p, rows-p, float64(p)/float64(rows)))
				}
			}
			continue
		}
		if rows%3 > 0 {
			continue
		}
		for _, share := range []float64{0, 0.02, 0.3, 0.5, 0.9, 1} {
			sum := 0.
			for p := range rows + 1 {
				if chance := binomial(rows, p, share); chance > 0 {
					sum += chance * misses(p, rows-p, share)
				}
			}
			worst = max(worst, sum)
		}
	}
	return worst
}

// The exact probability that an interval misses the share, over noise and samples of a few rows, is
// at most the stated one. Intervals for less noise or fewer cells, or without sampling, fail.
func TestShareHolds(t *testing.T) {
	const stated = 0.1
	log := math.Log(3 / stated)
	noisy, wide, exact := setting{0.7, 1, 1, 12, few}, setting{0.7, 1, 12, 18, few}, setting{0, 1, 1, 0, few}
	for _, c := range []struct {
		name   string
		of     setting
		l      strayer
		nx, ny int
		holds  bool
	}{
		{"rows", noisy, strayer{0.7, 1, false, log, 0}, 1, 1, true},
		{"rows, several cells", wide, strayer{0.7, 1, false, log, 0}, 1, 12, true},
		{"more rows, several cells", setting{0.7, 1, 12, 18, many}, strayer{0.7, 1, false, log, 0}, 1, 12, true},
		{"population, exact", exact, strayer{0, 1, true, log, 0}, 1, 1, true},
		{"population", noisy, strayer{0.7, 1, true, log, 0}, 1, 1, true},
		{"population, several cells", wide, strayer{0.7, 1, true, log, 0}, 1, 12, true},
		{"a third of the noise", noisy, strayer{0.23, 1, false, log, 0}, 1, 1, false},
		{"a quarter of the noise, population", noisy, strayer{0.175, 1, true, log, 0}, 1, 1, false},
		{"one cell for twelve", wide, strayer{0.7, 1, false, log, 0}, 1, 1, false},
		{"cells changed", wide, strayer{0.7, 1, false, log, 0}, 13, 0, false},
		{"no noise", noisy, strayer{0, 1, true, log, 0}, 1, 1, false},
		{"a tenth of the logarithm", exact, strayer{0, 1, true, log / 10, 0}, 1, 1, false},
	} {
		worst := c.of.miss(c.l, c.nx, c.ny)
		t.Logf("%s: misses with a probability of up to %.4f, stated %v", c.name, worst, stated)
		if (worst <= stated) != c.holds {
			t.Errorf("%s: misses with a probability of up to %.4f, stated %v", c.name, worst, stated)
		}
	}
}

// With many rows, the interval approaches the normal one by Chernoff's bound. If noise dominates,
// it is less than twice as wide.
func TestShareIsNarrow(t *testing.T) {
	for _, c := range []struct{ x, y, scale float64 }{{3000, 7000, 0}, {500, 500, 10}, {200, 9800, 4}, {1e6, 3e6, 1000}} {
		for _, sampling := range []bool{true, false} {
			if c.scale == 0 && !sampling {
				continue
			}
			l := strayer{c.scale, 1, sampling, math.Log(1000), 0}
			s := l.share(unadjusted(c.x, 1), unadjusted(c.y, 1))
			n, p := c.x+c.y, c.x/(c.x+c.y)
			spread := variance(c.scale, 1) * (p*p + (1-p)*(1-p))
			if sampling {
				spread += n * p * (1 - p)
			}
			half := math.Sqrt(2*l.log*spread) / n
			for _, side := range []float64{s.Most - p, p - s.Least} {
				if side < 0.8*half || side > 2*half {
					t.Errorf("%+v, sampling %v: %.5f to %.5f about %.5f, normal half-width %.5f", c, sampling, s.Least, s.Most, p, half)
				}
			}
		}
	}
}

// Counts that only noise can produce, the largest and smallest noise, and no rows.
func TestShareOfAnything(t *testing.T) {
	for _, scale := range []float64{0, 1e-3, 1, 10, 2e99} {
		for _, sampling := range []bool{false, true} {
			for _, log := range []float64{1, 10, 1e4} {
				for _, x := range []float64{-1e100, -50, 0, 1, 1e9, 1e100} {
					for _, y := range []float64{-1e100, -50, 0, 1, 1e9, 1e100} {
						if scale == 0 && (x < 0 || y < 0) {
							continue
						}
						s := strayer{scale, 1, sampling, log, 0}.share(unadjusted(x, 1), unadjusted(y, 2))
						if !(0 <= s.Least && s.Least <= s.Most && s.Most <= 1) || s.Value != nil && !(s.Least <= *s.Value && *s.Value <= s.Most) {
							t.Errorf("%v, %v of %g and %g: %s", scale, sampling, x, y, text(s))
						}
						if (s.Value == nil) != (x+y <= 0) {
							t.Errorf("%g and %g: %s", x, y, text(s))
						}
					}
				}
			}
		}
	}
}

func text(s Share) string {
	if s.Value == nil {
		return fmt.Sprintf("nil [%.4f, %.4f]", s.Least, s.Most)
	}
	return fmt.Sprintf("%.4f [%.4f, %.4f]", *s.Value, s.Least, s.Most)
}
