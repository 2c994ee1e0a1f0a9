package mip_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/papers/mip"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
)

// patience returns the time limit of a solver call in benchmarks: SIBYL_PATIENCE, or 120 s. Tests have no time
// limit.
func patience(b *testing.B) time.Duration {
	text := os.Getenv("SIBYL_PATIENCE")
	if text == "" {
		return 2 * time.Minute
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		b.Fatal(err)
	}
	return d
}

// adult returns the problem of the balanced census records with 7 attributes as one-hot columns, for weights
// -1..1 and the threshold 1. The minimum cost is 3053 misclassifications.
func adult(b *testing.B) (*numeric.Class, problem) {
	data := census.Balanced(b, "adult-7.toml")
	var columns []numeric.Column
	for _, n := range data.Sizes() {
		for range n {
			columns = append(columns, numeric.Bounded(0, 1, 1))
		}
	}
	c, err := numeric.New(columns, []int64{1}, numeric.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var p problem
	for i := range data.Len() {
		pt := class.Point[record]{X: make(record, len(columns))}
		at := 0
		for j, code := range data.Record(i, nil) {
			pt.X[at+int(code)] = 1
			at += data.Sizes()[j]
		}
		if data.Label(i) {
			pt.Cost[0] = data.Count(i)
		} else {
			pt.Cost[1] = data.Count(i)
		}
		p.Points = append(p.Points, pt)
	}
	return c, p
}

// random returns a problem of n records of d values in -1000..1000, for weights -1..1 and the threshold 0. The
// label is the prediction of a random halfspace, flipped in one of ten records.
func random(n, d int) (*numeric.Class, problem) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	var columns []numeric.Column
	hidden := make([]int64, d)
	for j := range hidden {
		columns = append(columns, numeric.Bounded(-1000, 1000, 1))
		hidden[j] = int64(rng.IntN(3) - 1)
	}
	c, err := numeric.New(columns, []int64{0}, numeric.Options{})
	if err != nil {
		panic(err)
	}
	var p problem
	for range n {
		pt := class.Point[record]{X: make(record, d)}
		for j := range d {
			pt.X[j] = int64(rng.IntN(2001) - 1000)
		}
		label := c.Predict(numeric.Halfspace{Weights: hidden}, pt.X) != (rng.IntN(10) == 0)
		if label {
			pt.Cost[0] = 1
		} else {
			pt.Cost[1] = 1
		}
		p.Points = append(p.Points, pt)
	}
	return c, p
}

func BenchmarkOracles(b *testing.B) {
	instances := map[string]func(b *testing.B) (*numeric.Class, problem){"adult7": adult}
	for _, size := range [][2]int{{50, 5}, {50, 10}, {100, 5}, {100, 10}, {200, 10}, {500, 5}} {
		instances[fmt.Sprintf("random/n=%d/d=%d", size[0], size[1])] = func(*testing.B) (*numeric.Class, problem) { return random(size[0], size[1]) }
	}
	for name, instance := range instances {
		for of, find := range map[string]func(b *testing.B, c *numeric.Class) minimizer{
			"CBC":    func(b *testing.B, c *numeric.Class) minimizer { return mip.New(c, findCBC(b)) },
			"HiGHS":  func(b *testing.B, c *numeric.Class) minimizer { return mip.New(c, findHiGHS(b)) },
			"search": func(_ *testing.B, c *numeric.Class) minimizer { return oracle.Search(c) },
		} {
			b.Run(name+"/"+of, func(b *testing.B) {
				c, p := instance(b)
				o := find(b, c)
				for b.Loop() {
					ctx, cancel := context.WithTimeout(context.Background(), patience(b))
					found, err := o.Minimize(ctx, p, oracle.Budget{})
					cancel()
					if errors.Is(err, context.DeadlineExceeded) {
						b.Skipf("no proof within %v", patience(b))
					}
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(found.Cost), "cost")
				}
			})
		}
	}
}
