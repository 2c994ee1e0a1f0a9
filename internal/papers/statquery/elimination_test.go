package statquery_test

import (
	"context"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learntest"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/stattest"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

type (
	record   = learntest.Record
	examples = learntest.Examples
)

// The conjunction that is learned from labels by a target conjunction misclassifies at most as many rows as the
// bound states. It misclassifies no row if every category that the target accepts is frequent.
func TestElimination(t *testing.T) {
	m, err := statquery.NewElimination([]int{3, 2, 4}, privacytest.Pure(t, "1", privacy.ReplaceOne))
	if err != nil {
		t.Fatal(err)
	}
	target := statquery.Accepted{{true, false, true}, {true, true}, {false, true, true, false}}
	family := stattest.Open(t, "papers/elimination")
	for _, count := range []int64{5, 1000} {
		var d examples
		rows := int64(0)
		for x := range uint16(24) {
			r := record{x % 3, x / 3 % 2, x / 6}
			d = append(d, learn.Example[record]{X: r, Label: target.Predict(r), Count: count})
			rows += count
		}
		bound, beyond, coins := m.Excess(rows), 0, noise.Crypto()
		const draws = 200
		for range draws {
			a, err := m.Release(context.Background(), d, coins)
			if err != nil {
				t.Fatal(err)
			}
			errs := 0.0
			for _, e := range d {
				if a.Predict(e.X) != e.Label {
					errs += float64(e.Count)
				}
			}
			if errs > bound.Most || count == 1000 && errs > 0 {
				beyond++
			}
		}
		t.Logf("%d rows: bound %.0f, beyond %d of %d", rows, bound.Most, beyond, draws)
		family.AtMost(t, beyond, draws, 1-learn.Confidence)
	}
}

func TestEliminationTranscript(t *testing.T) {
	wide := examples{{X: record{0, 1}, Label: true, Count: 5}, {X: record{1, 0}, Count: 3}}
	learntest.Transcripts(t, map[string][]learntest.Step{
		"elimination": {
			learntest.Script("ε = 4, replace, 2 attributes of 2 categories: four draws of scale 2·2/4", learntest.On(learntest.Must(statquery.NewElimination([]int{2, 2}, privacytest.Pure(t, "4", privacy.ReplaceOne))), wide)),
		},
	})
}
