package robust_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/privacy"
)

func TestTranscripts(t *testing.T) {
	const replace = privacy.ReplaceOne
	// Cards of one attribute with two categories, points -1..1: 9 cards, 4 bits.
	cards := class.Class[record, card](learntest.Signs(t, []int{2}, 1))
	search := oracle.Search(cards)
	d := examples{{X: record{0}, Label: true, Count: 5}, {X: record{1}, Count: 3}}
	prsma := func() privacy.Mechanism[examples, robust.Answer[card]] {
		plan := threeParts(t)
		trial := learntest.Must(learntest.Must(perturb.NewRSPM(search, perturb.Cube, plan.BaseEpsilon, replace, learn.ZeroOne, 4)).Within(oracle.Budget{}))
		return learntest.Must(robust.NewPRSMA(trial, plan))
	}
	learntest.Transcripts(t, map[string][]learntest.Step{
		"prsma": {
			learntest.Script("8 rows in 3 parts of 2, 2 discarded; two runs a part, each with a shuffle, t = 9 and a radius of rate 1/90; Laplace of scale 1/ε_t = 2/5; one of those passed", learntest.On(prsma(), d)),
		},
	})
}
