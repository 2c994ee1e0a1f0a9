package wcsp_test

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/papers/network/networktest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/testing/census"
)

// BenchmarkAdult7 minimizes the misclassifications of scorecards with points -1..1 on the census records, by
// toulbar2 and by search.
func BenchmarkAdult7(b *testing.B) {
	data := census.Balanced(b, "adult-7.toml")
	var p class.Problem[[]uint16]
	for i := range data.Len() {
		pt := class.Point[[]uint16]{X: data.Record(i, nil)}
		if data.Label(i) {
			pt.Cost[0] = data.Count(i)
		} else {
			pt.Cost[1] = data.Count(i)
		}
		p.Points = append(p.Points, pt)
	}
	c, err := scorecard.New(scorecard.Uniform(data.Sizes(), -1, 1), scorecard.Options{Threshold: 1})
	if err != nil {
		b.Fatal(err)
	}
	external, err := networktest.Scorecards(toulbar2(b))(c)
	if err != nil {
		b.Fatal(err)
	}
	for name, o := range map[string]oracle.Minimizer[[]uint16, scorecard.Card]{
		"toulbar2": external,
		"search":   oracle.Search(c),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if s, err := o.Minimize(context.Background(), p, oracle.Budget{}); err != nil || s.Cost != 3053 {
					b.Fatal(s.Cost, err)
				}
			}
		})
	}
}
