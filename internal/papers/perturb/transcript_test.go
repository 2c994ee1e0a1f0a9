package perturb_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

func TestTranscripts(t *testing.T) {
	const replace, addRemove = privacy.ReplaceOne, privacy.AddRemove
	// Cards of one attribute with two categories, points -1..1: 9 cards, 4 bits.
	cards := class.Class[record, card](learntest.Signs(t, []int{2}, 1))
	search := oracle.Search(cards)
	d := examples{{X: record{0}, Label: true, Count: 5}, {X: record{1}, Count: 3}}
	dear := learn.Loss{FalsePositive: 3, FalseNegative: 2}
	rspm := func(kind perturb.Noise, epsilon string, r privacy.Relation, l learn.Loss) *perturb.RSPM[record, card] {
		return learntest.Must(perturb.NewRSPM(search, kind, privacytest.Decimal(t, epsilon), r, l, 4))
	}
	gaussian := func(r privacy.Relation) *perturb.GaussianRSPM[record, card] {
		return learntest.Must(perturb.NewGaussianRSPM(search, privacytest.Decimal(t, "1"), privacytest.Decimal(t, "1e-5"), r, learn.ZeroOne, 4))
	}
	learntest.Transcripts(t, map[string][]learntest.Step{
		"rspm": {
			learntest.Script("Laplace, ε = 1/2, replace, C = 1, g = 4, m = 4: t = 2·4+1 = 9, four draws of scale mt/ε = 72", learntest.On(rspm(perturb.Laplace, "0.5", replace, learn.ZeroOne), d)),
			learntest.Script("Laplace, ε = 2, add-remove, C = 3: t = 4·3+1 = 13, four draws of scale 26", learntest.On(rspm(perturb.Laplace, "2", addRemove, dear), d)),
			learntest.Script("cube, ε = 1/2, replace, C = 1: a radius of rate ε/t = 1/18 in 4 dimensions, four coordinates in ± that", learntest.On(rspm(perturb.Cube, "0.5", replace, learn.ZeroOne), d)),
			learntest.Script("cube, ε = 2, add-remove, C = 3: rate 2/13", learntest.On(rspm(perturb.Cube, "2", addRemove, dear), d)),
		},
		"gaussian-rspm": {
			learntest.Script("ε = 1, δ = 1e-5, replace, g = 4, m = 4: t = 9, four draws of one σ²", learntest.On(gaussian(replace), d)),
			learntest.Script("add-remove: t = 5", learntest.On(gaussian(addRemove), d)),
		},
		"opdisc": {
			learntest.Script("pure, ε = 1/2, replace, g = 4, N = 4, √R = 2, gap 2: t = ⌈9/2⌉ = 5, a ball of rate ε/(5·2) = 1/20 by rejection, four coordinates a round", learntest.On(opdisc(t, cards, "0.5", "0", replace, 4), d)),
			learntest.Script("ε = 1, δ = 1e-5, add-remove: t = ⌈5/2⌉ = 3, four draws of one σ²", learntest.On(opdisc(t, cards, "1", "1e-5", addRemove, 4), d)),
		},
		"rspm-leader": {
			learntest.Script("three rounds of RSPM, ε = 1, replace: four draws of scale 36 in each", learntest.Follow(rspm(perturb.Laplace, "1", replace, learn.ZeroOne))),
		},
	})
}
