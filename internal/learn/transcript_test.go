package learn_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/internal/oracle"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// must returns the mechanism, which was made without error.
func must[M any](m M, err error) M {
	if err != nil {
		panic(err)
	}
	return m
}

// A script is a mechanism on a table, with what its coins are to be, worked out by hand.
type script struct {
	want    string
	release func(noise.Coins) (any, error)
}

// on releases once from the table.
func on[D, T any](m privacy.Mechanism[D, T], d D) func(noise.Coins) (any, error) {
	return func(c noise.Coins) (any, error) { return m.Release(context.Background(), d, c) }
}

// Each mechanism tosses just the coins that its proof is about: which, in what
// order, of which scale, anew for each coordinate and each call; and releases what it
// makes of them. The headings of the files say what scales are to be found there.
func TestTranscripts(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	// Cards of one attribute with two categories, points -1..1: 9 cards, 4 bits.
	cards := class.Class[record, card](signs(t, []int{2}, 1))
	search := oracle.Search(cards)
	d := examples{{X: record{0}, Label: true, Count: 5}, {X: record{1}, Count: 3}}
	dear := learn.Loss{FalsePositive: 3, FalseNegative: 2}

	exponential := func(epsilon string, r privacy.Relation, l learn.Loss) *learn.Exponential[record, card] {
		return must(learn.NewExponential(cards, decimal(t, epsilon), r, l))
	}
	trees := must(dectree.New([]dectree.Attribute{{Categories: 2}}, 1, 2))
	gibbs := func(epsilon string, r privacy.Relation, l learn.Loss) *learn.Gibbs[record, *dectree.Tree] {
		return must(learn.NewGibbs[record](trees, decimal(t, epsilon), r, l))
	}
	either := func(epsilon string, r privacy.Relation) *learn.Either[*dectree.Tree] {
		cards := must(learn.NewWeighted([]int{2, 2}, decimal(t, epsilon), decimal(t, "1"), r, 4, 2))
		return must(learn.NewEither[*dectree.Tree](cards, must(dectree.New([]dectree.Attribute{{Categories: 2}, {Categories: 2}}, 1, 2))))
	}
	sparseCards := func(draws int, epsilon string, r privacy.Relation, l learn.Loss) *learn.Staged[record, sparse.Card] {
		o := sparse.Options{Sizes: []int{2}, Most: 1, Points: 1, Threshold: 1, Draws: draws}
		return must(learn.NewStaged[record, sparse.Card](sparseStages{o}, decimal(t, epsilon), r, l))
	}
	rspm := func(kind learn.Noise, epsilon string, r privacy.Relation, l learn.Loss) *learn.RSPM[record, card] {
		return must(learn.NewRSPM(search, kind, decimal(t, epsilon), r, l, 4))
	}
	gaussian := func(r privacy.Relation) *learn.GaussianRSPM[record, card] {
		return must(learn.NewGaussianRSPM(search, decimal(t, "1"), decimal(t, "1e-5"), r, learn.ZeroOne, 4))
	}
	subsample := func(n, k int64) privacy.Mechanism[examples, card] {
		return must(learn.NewSubsample(rspm(learn.Laplace, "1", replace, learn.ZeroOne), n, k))
	}
	thinned := must(learn.NewPoissonSubsample(rspm(learn.Laplace, "1", addRemove, learn.ZeroOne), decimal(t, "0.25")))
	boost := func(r privacy.Relation, rows, validation int64) privacy.Mechanism[examples, card] {
		plan := learn.BoostPlan{Rows: rows, Parts: 3, Validation: validation}
		return must(learn.NewBoost(rspm(learn.Laplace, "2", r, dear), plan, decimal(t, "3")))
	}
	prsma := func() privacy.Mechanism[examples, learn.Answer[card]] {
		plan := threeParts(t)
		trial := must(must(learn.NewRSPM(search, learn.Cube, plan.BaseEpsilon, replace, learn.ZeroOne, 4)).Within(oracle.Budget{}))
		return must(learn.NewPRSMA(trial, plan))
	}
	box := func(r privacy.Relation) *learn.Box {
		s := learn.BoxSpace{Dim: 2, Weight: 1, Feature: 2, Loss: learn.Hinge(4, 4)}
		return must(learn.NewBox(s, decimal(t, "0.5"), r))
	}
	points := []learn.Example[[]int64]{{X: []int64{1, -2}, Label: true, Count: 2}, {X: []int64{2, 2}, Count: 1}}
	ask := func(budget privacy.Guarantee, most int, price *big.Rat, more ...int) func(noise.Coins) (any, error) {
		return func(c noise.Coins) (any, error) {
			s, err := learn.NewStatistical(budget, d, c)
			if err != nil {
				return nil, err
			}
			in := func(x record, _ bool) []int { return append([]int{int(x[0])}, more...) }
			q := learn.Statistic[record]{Cells: 3, Most: most, In: in}
			a, err := s.Ask(context.Background(), q, price)
			return fmt.Sprint(a, ", ", s.Left().RatString(), " left"), err
		}
	}
	concentrated := func(r privacy.Relation) privacy.Guarantee {
		return must(privacy.NewZCDP(r, big.NewRat(1, 2)))
	}
	leader := func(c noise.Coins) (any, error) {
		l := must(learn.NewLeader(learn.Stable[record, card](rspm(learn.Laplace, "1", replace, learn.ZeroOne)), 4))
		var all []card
		for range 3 {
			h, err := l.Next(context.Background(), c)
			if err != nil {
				return nil, err
			}
			all = append(all, h)
			if err := l.See(examples{{X: record{0}, Label: true, Count: 4}}); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	wide := examples{{X: record{0, 1}, Label: true, Count: 5}, {X: record{1, 0}, Count: 3}}
	counts := tabulated(t, []int{2, 2}, wide)

	for file, scripts := range map[string][]script{
		"exponential": {
			{"ε = 1, replace, C = 1: accepted by differences of cost times λ = 1/2", on(exponential("1", replace, learn.ZeroOne), d)},
			{"ε = 1, add-remove, C = 3: λ = 1/3", on(exponential("1", addRemove, dear), d)},
		},
		"gibbs": {
			{"ε = 1/10, replace, C = 1: a choice among two leaves and a test of the root, one for each node below, the whole accepted by its cost beyond the least times λ = 1/20", on(gibbs("0.1", replace, learn.ZeroOne), recordsOf(d))},
			{"ε = 3/10, add-remove, C = 3: λ = 1/10", on(gibbs("0.3", addRemove, dear), recordsOf(d))},
		},
		"staged": {
			{"ε = 1, replace, C = 1, one draw: searched with λ = 1/2", on(sparseCards(1, "1", replace, learn.ZeroOne), d)},
			{"ε = 3, add-remove, C = 3, two draws: searched with λ = 1/2 each time, the second over cards on the first", on(sparseCards(2, "3", addRemove, dear), d)},
		},
		"rspm": {
			{"Laplace, ε = 1/2, replace, C = 1, g = 4, m = 4: t = 2·4+1 = 9, four draws of scale mt/ε = 72", on(rspm(learn.Laplace, "0.5", replace, learn.ZeroOne), d)},
			{"Laplace, ε = 2, add-remove, C = 3: t = 4·3+1 = 13, four draws of scale 26", on(rspm(learn.Laplace, "2", addRemove, dear), d)},
			{"cube, ε = 1/2, replace, C = 1: a radius of rate ε/t = 1/18 in 4 dimensions, four coordinates in ± that", on(rspm(learn.Cube, "0.5", replace, learn.ZeroOne), d)},
			{"cube, ε = 2, add-remove, C = 3: rate 2/13", on(rspm(learn.Cube, "2", addRemove, dear), d)},
		},
		"gaussian-rspm": {
			{"ε = 1, δ = 1e-5, replace, g = 4, m = 4: t = 9, four draws of one σ²", on(gaussian(replace), d)},
			{"add-remove: t = 5", on(gaussian(addRemove), d)},
		},
		"opdisc": {
			{"pure, ε = 1/2, replace, g = 4, N = 4, √R = 2, gap 2: t = ⌈9/2⌉ = 5, a ball of rate ε/(5·2) = 1/20 by rejection, four coordinates a round", on(opdisc(t, cards, "0.5", "0", replace, 4), d)},
			{"ε = 1, δ = 1e-5, add-remove: t = ⌈5/2⌉ = 3, four draws of one σ²", on(opdisc(t, cards, "1", "1e-5", addRemove, 4), d)},
		},
		"subsample": {
			{"4 of 10 rows without replacement, 2 of them null; then RSPM's four draws of scale 36", on(subsample(10, 4), d)},
			{"each of 8 rows with probability 1/4; then RSPM's of scale 20", on(thinned, d)},
		},
		"boost": {
			{"replace, 8 rows in 3 parts of 2 and one of 2 to choose by; RSPM's four draws for each of three parts, t = 25, scale 50; one of three by loss times λ = 3/(2·3)", on(boost(replace, 8, 2), d)},
			{"replace, 10 rows (2 null) in 3 parts of 3 and one of 1, what the division leaves", on(boost(replace, 10, 0), d)},
			{"add-remove, rows to parts with weights 2, 2, 2, 2; t = 13, scale 26; λ = 3/3", on(boost(addRemove, 8, 2), d)},
		},
		"prsma": {
			{"8 rows in 3 parts of 2, 2 discarded; two runs a part, each with a shuffle, t = 9 and a radius of rate 1/90; Laplace of scale 1/ε_t = 2/5; one of those passed", on(prsma(), d)},
		},
		"box": {
			{"ε = 1/2, replace, C = 8: λ = 1/32", on(box(replace), points)},
			{"add-remove: λ = 1/16", on(box(addRemove), points)},
		},
		"statistical": {
			{"pure, price 1/2, replace, a row in 2 of 3 cells: three draws of scale 2·2/(1/2) = 8 on the counts 5, 3, 8", ask(pure(t, "1", replace), 2, big.NewRat(1, 2), 2)},
			{"pure, price 1, add-remove: scale 2", ask(pure(t, "1", addRemove), 2, big.NewRat(1, 1), 2)},
			{"a row in 1 of 3 cells, so not in the last: scale 1, the counts 5, 3, 0", ask(pure(t, "1", addRemove), 1, big.NewRat(1, 1), 2)},
			{"a row in 3 of 3 cells, one of them named twice and one that is none: scale 3, the counts 5, 3, 8", ask(pure(t, "1", addRemove), 3, big.NewRat(1, 1), 2, 2, 3, -1)},
			{"ρ = 1/4 of 1/2, replace: σ² = 4/(2·1/4) = 8", ask(concentrated(replace), 2, big.NewRat(1, 4), 2)},
			{"ρ = 1/2, add-remove: σ² = 2", ask(concentrated(addRemove), 2, big.NewRat(1, 2), 2)},
		},
		"naive-bayes": {
			{"ε = 1, replace, 2 attributes of 2 categories: eight draws of scale 2·2/1", on(must(learn.NewNaiveBayes([]int{2, 2}, pure(t, "1", replace), 10)), counts)},
			{"ρ = 1/2, add-remove: σ² = 2/(2·1/2)", on(must(learn.NewNaiveBayes([]int{2, 2}, concentrated(addRemove), 10)), counts)},
		},
		"weighted": {
			{"ε = 3 of which 1 for counts, replace, 2 attributes of 2 categories: eight draws of scale 2·2/1, then one of 9·9 cards by thousandths of a cost times λ = 2/2000", on(must(learn.NewWeighted([]int{2, 2}, decimal(t, "3"), decimal(t, "1"), replace, 4, 2)), recordsOf(wide))},
			{"add-remove: scale 2/1, λ = 2/1000", on(must(learn.NewWeighted([]int{2, 2}, decimal(t, "3"), decimal(t, "1"), addRemove, 4, 2)), recordsOf(wide))},
		},
		"either": {
			{"ε = 3 of which 1 for counts, replace, 2 attributes of 2 categories: eight draws of scale 2·2/1, then a side, and on it one of 9·9 cards, or a choice for each node of a tree, the whole accepted by thousandths of its cost beyond the least times λ = 2/2000", on(either("3", replace), recordsOf(wide))},
			{"add-remove: scale 2/1, λ = 2/1000", on(either("3", addRemove), recordsOf(wide))},
		},
		"elimination": {
			{"ε = 4, replace, 2 attributes of 2 categories: four draws of scale 2·2/4", on(must(learn.NewElimination([]int{2, 2}, pure(t, "4", replace))), wide)},
		},
		"leader": {
			{"three rounds of RSPM, ε = 1, replace: four draws of scale 36 in each", leader},
		},
		"histogram": {
			{"ε = 2/5, replace, three cells: a draw of scale 2/(2/5) for each", on(must(learn.NewHistogram(3, decimal(t, "0.4"), replace)), []int64{40, 0, 7})},
			{"ε = 2/5, add-remove: three draws of scale 1/(2/5)", on(must(learn.NewHistogram(3, decimal(t, "0.4"), addRemove)), []int64{40, 0, 7})},
		},
	} {
		t.Run(file, func(t *testing.T) {
			record := noisetest.Record(noise.Insecure(1))
			for _, s := range scripts {
				record.Note("%s", s.want)
				released, err := s.release(record)
				if err != nil {
					t.Fatal(err)
				}
				record.Note("released %v\n", released)
			}
			noisetest.Golden(t, file+".txt", record.String())
		})
	}
}
