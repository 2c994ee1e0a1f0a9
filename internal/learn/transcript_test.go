package learn_test

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

func TestTranscripts(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	// Cards of one attribute with two categories, points -1..1: 9 cards, 4 bits.
	cards := class.Class[record, card](learntest.Signs(t, []int{2}, 1))
	d := examples{{X: record{0}, Label: true, Count: 5}, {X: record{1}, Count: 3}}
	dear := learn.Loss{FalsePositive: 3, FalseNegative: 2}

	exponential := func(epsilon string, r privacy.Relation, l learn.Loss) *learn.Exponential[record, card] {
		return learntest.Must(learn.NewExponential(cards, privacytest.Decimal(t, epsilon), r, l))
	}
	trees := learntest.Must(dectree.New([]dectree.Attribute{{Categories: 2}}, 1, 2))
	gibbs := func(epsilon string, r privacy.Relation, l learn.Loss) *learn.Gibbs[record, *dectree.Tree] {
		return learntest.Must(learn.NewGibbs[record](trees, privacytest.Decimal(t, epsilon), r, l.CostMatrix(2)))
	}
	either := func(epsilon string, r privacy.Relation) *learn.Either[*dectree.Tree] {
		cards := learntest.Must(learn.NewWeightedNaiveBayes([]int{2, 2}, []bool{false, false}, privacytest.Decimal(t, epsilon), privacytest.Decimal(t, "1"), r, 4, 2))
		return learntest.Must(learn.NewEither[*dectree.Tree](cards, learntest.Must(dectree.New([]dectree.Attribute{{Categories: 2}, {Categories: 2}}, 1, 2))))
	}
	sparseCards := func(draws int, epsilon string, r privacy.Relation, l learn.Loss) *learn.Staged[record, sparse.Card] {
		o := sparse.Options{Sizes: []int{2}, Most: 1, Points: 1, Threshold: 1, Draws: draws}
		return learntest.Must(learn.NewStaged[record, sparse.Card](sparseStages{o}, privacytest.Decimal(t, epsilon), r, l))
	}
	subsample := func(n, k int64) privacy.Mechanism[examples, card] {
		return learntest.Must(learn.NewSubsample(exponential("1", replace, learn.ZeroOne), n, k))
	}
	thinned := learntest.Must(learn.NewPoissonSubsample(exponential("1", addRemove, learn.ZeroOne), privacytest.Decimal(t, "0.25")))
	box := func(r privacy.Relation) *learn.Box {
		s := learn.BoxSpace{Dim: 2, Weight: 1, Feature: 2, Loss: learn.Hinge(4, 4)}
		return learntest.Must(learn.NewBox(s, privacytest.Decimal(t, "0.5"), r))
	}
	points := []learn.Example[[]int64]{{X: []int64{1, -2}, Label: true, Count: 2}, {X: []int64{2, 2}, Count: 1}}
	concentrated := func(r privacy.Relation) privacy.Guarantee {
		return learntest.Must(privacy.NewZCDP(r, big.NewRat(1, 2)))
	}
	newton := func(r privacy.Relation, shares learn.NewtonShares) *learn.Newton {
		return learntest.Must(learn.NewNewton([]int{2, 2}, []bool{false, false}, privacytest.Pure(t, "9", r), shares, 10))
	}
	shares := learn.NewtonShares{Counts: privacytest.Decimal(t, "1"), Start: privacytest.Decimal(t, "0.5")}
	stepped := shares
	stepped.Gradient, stepped.Hessian, stepped.Final = privacytest.Decimal(t, "2"), privacytest.Decimal(t, "4"), privacytest.Decimal(t, "0.25")
	corrected := stepped
	corrected.Residuals = privacytest.Decimal(t, "0.5")
	wide := examples{{X: record{0, 1}, Label: true, Count: 5}, {X: record{1, 0}, Count: 3}}
	counts := tabulated(t, []int{2, 2}, wide)

	learntest.Transcripts(t, map[string][]learntest.Step{
		"exponential": {
			learntest.Script("ε = 1, replace, C = 1: accepted by differences of cost times λ = 1/2", learntest.On(exponential("1", replace, learn.ZeroOne), d)),
			learntest.Script("ε = 1, add-remove, C = 3: λ = 1/3", learntest.On(exponential("1", addRemove, dear), d)),
		},
		"gibbs": {
			learntest.Script("ε = 1/10, replace, C = 1: a choice among two leaves and a test of the root, one for each node below, the whole accepted by its cost beyond the least times λ = 1/20", learntest.On(gibbs("0.1", replace, learn.ZeroOne), recordsOf(d))),
			learntest.Script("ε = 3/10, add-remove, C = 3: λ = 1/10", learntest.On(gibbs("0.3", addRemove, dear), recordsOf(d))),
		},
		"staged": {
			learntest.Script("ε = 1, replace, C = 1, one draw: searched with λ = 1/2", learntest.On(sparseCards(1, "1", replace, learn.ZeroOne), d)),
			learntest.Script("ε = 3, add-remove, C = 3, two draws: searched with λ = 1/2 each time, the second over cards on the first", learntest.On(sparseCards(2, "3", addRemove, dear), d)),
		},
		"subsample": {
			learntest.Script("4 of 10 rows without replacement, 2 of them null; then a card, accepted by differences of cost times λ = 1/2", learntest.On(subsample(10, 4), d)),
			learntest.Script("each of 8 rows with probability 1/4; then a card, λ = 1", learntest.On(thinned, d)),
		},
		"box": {
			learntest.Script("ε = 1/2, replace, C = 8: λ = 1/32", learntest.On(box(replace), points)),
			learntest.Script("add-remove: λ = 1/16", learntest.On(box(addRemove), points)),
		},
		"naive-bayes": {
			learntest.Script("ε = 1, replace, 2 attributes of 2 categories: eight draws of scale 2·2/1", learntest.On(learntest.Must(learn.NewNaiveBayes([]int{2, 2}, privacytest.Pure(t, "1", replace), 10)), counts)),
			learntest.Script("ρ = 1/2, add-remove: σ² = 2/(2·1/2)", learntest.On(learntest.Must(learn.NewNaiveBayes([]int{2, 2}, concentrated(addRemove), 10)), counts)),
		},
		"weighted": {
			learntest.Script("ε = 3 of which 1 for counts, replace, 2 attributes of 2 categories: eight draws of scale 2·2/1, then one of 2·15 cards by thousandths of a cost times λ = 2/2000", learntest.On(learntest.Must(learn.NewWeightedNaiveBayes([]int{2, 2}, []bool{false, false}, privacytest.Decimal(t, "3"), privacytest.Decimal(t, "1"), replace, 4, 2)), recordsOf(wide))),
			learntest.Script("add-remove: scale 2/1, λ = 2/1000", learntest.On(learntest.Must(learn.NewWeightedNaiveBayes([]int{2, 2}, []bool{false, false}, privacytest.Decimal(t, "3"), privacytest.Decimal(t, "1"), addRemove, 4, 2)), recordsOf(wide))),
		},
		"newton": {
			learntest.Script("shares of ε 1, ½, 2, 4, ¼, replace, 2 attributes of 2 categories: eight draws of scale 2·2/1; one of 14·17 cards by thousandths of a cost times λ = ½/2000; with n sixteenths of a unit of norm and constant, three draws of scale 2·1024·n/2 and six of scale 2·64·n²/4; one of 27·9 cards, λ = ¼/2000", learntest.On(newton(replace, stepped), counts)),
			learntest.Script("add-remove: scale 2/1, λ = ½/1000, scales 1024·n/2 and 64·n²/4, λ = ¼/1000", learntest.On(newton(addRemove, stepped), counts)),
			learntest.Script("without a step: scale 2/1, λ = ½/1000", learntest.On(newton(addRemove, shares), counts)),
			learntest.Script("shares of ρ 1, 2 and 4 for counts and sums, replace: σ² = 2·2/(2·1); λ = ½/2000; with n² squares of a sixteenth of a unit of squared norm and constant, σ² = 4·1024²·n²/(2·2) and 2·2·64²·n⁴/(2·4); λ = ¼/2000", learntest.On(learntest.Must(learn.NewNewton([]int{2, 2}, []bool{false, false}, learntest.Must(privacy.NewZCDP(replace, big.NewRat(9, 1))), stepped, 10)), counts)),
			learntest.Script("with a share of ½ for residuals, add-remove: before the last sample, in each of two rounds four more draws of scale 1024·2·8/(½·4), with 4 of 8 parts for each attribute", learntest.On(newton(addRemove, corrected), counts)),
			learntest.Script("shares of μ²/2 1, 2 and 4 for counts and sums, and ½ for residuals, replace: σ² = 2·2/(2·1) + 13/5, and likewise 13/5 more than with shares of ρ for the sums and residuals", learntest.On(learntest.Must(learn.NewNewton([]int{2, 2}, []bool{false, false}, learntest.Must(privacy.NewGDP(replace, big.NewRat(18, 1), big.NewRat(9, 1))), corrected, 10)), counts)),
			learntest.Script("with a share of ½ of ρ for residuals, replace: σ² = 4·1024²·2·8/(2·½·parts)", learntest.On(learntest.Must(learn.NewNewton([]int{2, 2}, []bool{false, false}, learntest.Must(privacy.NewZCDP(replace, big.NewRat(9, 1))), corrected, 10)), counts)),
		},
		"either": {
			learntest.Script("ε = 3 of which 1 for counts, replace, 2 attributes of 2 categories: eight draws of scale 2·2/1, then a side, and on it one of 2·15 cards, or a choice for each node of a tree, the whole accepted by thousandths of its cost beyond the least times λ = 2/2000", learntest.On(either("3", replace), recordsOf(wide))),
			learntest.Script("add-remove: scale 2/1, λ = 2/1000", learntest.On(either("3", addRemove), recordsOf(wide))),
		},
		"leader": {
			learntest.Script("three rounds of the exponential mechanism, ε = 1, replace: λ = 1/2 in each, on 0, 4 and 8 rows", learntest.Follow(exponential("1", replace, learn.ZeroOne))),
		},
		"histogram": {
			learntest.Script("ε = 2/5, replace, three cells: a draw of scale 2/(2/5) for each", learntest.On(learntest.Must(learn.NewHistogram(3, privacytest.Decimal(t, "0.4"), replace)), []int64{40, 0, 7})),
			learntest.Script("ε = 2/5, add-remove: three draws of scale 1/(2/5)", learntest.On(learntest.Must(learn.NewHistogram(3, privacytest.Decimal(t, "0.4"), addRemove)), []int64{40, 0, 7})),
		},
	})
}
