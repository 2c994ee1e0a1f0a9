package tabulated_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/search"
)

// given is a class with a given table of costs.
type given struct {
	multiples
	costs []int64
}

func (g given) Tabulate(problem) ([]int64, error) { return g.costs, nil }

// tables returns two tables of 2^24 costs with a standard deviation of about 1000. In the first,
// costs are in random order, as for hypotheses that are independent of the labels. The second is
// the same, except for one hypothesis with a far lower cost.
func tables() map[string][]int64 {
	rng := rand.New(rand.NewPCG(1, 2))
	noisy := make([]int64, 1<<24)
	for i := range noisy {
		noisy[i] = int64(math.Round(1000 * rng.NormFloat64()))
	}
	hidden := append([]int64(nil), noisy...)
	hidden[12345678] = -20000
	return map[string][]int64{"noise": noisy, "hidden": hidden}
}

// BenchmarkSample samples from the exponential mechanism over a finished tree. The weights range
// from nearly uniform, for the lowest rate λ, to nearly all weight on the best hypothesis, for the
// highest.
func BenchmarkSample(b *testing.B) {
	for name, costs := range tables() {
		c, err := tabulated.New(given{multiples{size: len(costs)}, costs})
		if err != nil {
			b.Fatal(err)
		}
		tree, err := c.Tree(problem{})
		if err != nil {
			b.Fatal(err)
		}
		for _, spread := range []int64{1, 10, 20, 30, 40, 50, 60, 100, 1000} {
			b.Run(fmt.Sprintf("%s/rate=%.1f/1000", name, float64(spread)/10), func(b *testing.B) {
				coins := noise.Crypto()
				var all search.Effort
				for b.Loop() {
					_, e, err := search.SampleEffort(context.Background(), tree, big.NewRat(spread, 10000), coins)
					if err != nil {
						b.Fatal(err)
					}
					all.Nodes += e.Nodes
					all.Rounds += e.Rounds
				}
				b.ReportMetric(float64(all.Nodes)/float64(b.N), "nodes/op")
				b.ReportMetric(float64(all.Rounds)/float64(b.N), "rounds/op")
			})
		}
	}
}

// BenchmarkTree builds the tree over a finished table of 2^24 costs.
func BenchmarkTree(b *testing.B) {
	costs := tables()["noise"]
	c, err := tabulated.New(given{multiples{size: len(costs)}, costs})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Tree(class.Problem[int]{}); err != nil {
			b.Fatal(err)
		}
	}
}
