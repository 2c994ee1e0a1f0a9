package readonce_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
)

// BenchmarkTabulate tabulates formulas over random bits, where the counts of distinct records are
// geometric, and over the categories of the census records.
func BenchmarkTabulate(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, s := range []struct {
		d int
		o readonce.Options
	}{
		{86, readonce.Options{Depth: 1}},
		{12, readonce.Options{Depth: 2}},
		{32, readonce.Options{Gate: readonce.Nand, Depth: 2}},
		{11, readonce.Options{Gate: readonce.Nand, Depth: 3}},
		{14, readonce.Options{Gate: readonce.Nand, Depth: 3}},
	} {
		var p problem
		for range 5000 {
			x := make([]uint16, s.d)
			for i := range x {
				x[i] = uint16(rng.IntN(2))
			}
			pt := class.Point[record]{X: x}
			pt.Cost[rng.IntN(2)] = int64(1 + rng.ExpFloat64())
			p.Points = append(p.Points, pt)
		}
		tabulate(b, fmt.Sprintf("random/%v%d/d=%d", s.o.Gate, s.o.Depth, s.d), readonce.Bits(s.d), s.o, p)
	}
	data := census.Balanced(b, "adult-12.toml")
	var p problem
	for i := range data.Len() {
		pt := class.Point[record]{X: data.Record(i, nil)}
		if data.Label(i) {
			pt.Cost[0] = data.Count(i)
		} else {
			pt.Cost[1] = data.Count(i)
		}
		p.Points = append(p.Points, pt)
	}
	var inputs []readonce.Input
	for attribute, n := range data.Sizes() {
		for category := range n {
			inputs = append(inputs, readonce.Input{Attribute: attribute, Category: category})
		}
	}
	for _, o := range []readonce.Options{{Depth: 1}, {Gate: readonce.Nand, Depth: 2}} {
		tabulate(b, fmt.Sprintf("adult/%v%d/d=%d", o.Gate, o.Depth, len(inputs)), inputs, o, p)
	}
}

func tabulate(b *testing.B, name string, inputs []readonce.Input, o readonce.Options, p problem) {
	c, err := readonce.New(inputs, o)
	if err != nil {
		b.Fatal(err)
	}
	terms := p
	terms.Terms = make([]int64, c.Separator())
	for i := range terms.Terms {
		terms.Terms[i] = int64(i*7919)%2001 - 1000
	}
	for what, p := range map[string]problem{"": p, "/terms": terms} {
		b.Run(name+what, func(b *testing.B) {
			for b.Loop() {
				if _, err := c.Tabulate(p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(c.Size().Int64()), "formulas")
			b.ReportMetric(float64(len(p.Points)), "points")
		})
	}
}

// BenchmarkNew measures New with chosen separator points.
func BenchmarkNew(b *testing.B) {
	for _, s := range []struct {
		d int
		o readonce.Options
	}{
		{10, readonce.Options{Depth: 2}},
		{10, readonce.Options{Depth: 2, Points: 100}},
		{10, readonce.Options{Depth: 2, Points: 400}},
		{11, readonce.Options{Depth: 2, Points: 100}},
		{12, readonce.Options{Depth: 2}},
		{20, readonce.Options{Gate: readonce.Nand, Depth: 2, Points: 100}},
	} {
		b.Run(fmt.Sprintf("%v%d/d=%d/points=%d", s.o.Gate, s.o.Depth, s.d, s.o.Points), func(b *testing.B) {
			for b.Loop() {
				c, err := readonce.New(readonce.Bits(s.d), s.o)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(c.Size().Int64()), "formulas")
				b.ReportMetric(float64(c.Separator()), "m")
				b.ReportMetric(float64(c.Distance()), "h")
			}
		})
	}
}
