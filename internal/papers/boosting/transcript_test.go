package boosting_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/boosting"
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
	boost := func(r privacy.Relation, rows, validation int64) privacy.Mechanism[examples, card] {
		plan := boosting.BoostPlan{Rows: rows, Parts: 3, Validation: validation}
		return learntest.Must(boosting.NewBoost(rspm(perturb.Laplace, "2", r, dear), plan, privacytest.Decimal(t, "3")))
	}
	learntest.Transcripts(t, map[string][]learntest.Step{
		"boost": {
			learntest.Script("replace, 8 rows in 3 parts of 2 and one of 2 to choose by; RSPM's four draws for each of three parts, t = 25, scale 50; one of three by loss times λ = 3/(2·3)", learntest.On(boost(replace, 8, 2), d)),
			learntest.Script("replace, 10 rows (2 null) in 3 parts of 3 and one of 1, what the division leaves", learntest.On(boost(replace, 10, 0), d)),
			learntest.Script("add-remove, rows to parts with weights 2, 2, 2, 2; t = 13, scale 26; λ = 3/3", learntest.On(boost(addRemove, 8, 2), d)),
		},
	})
}
