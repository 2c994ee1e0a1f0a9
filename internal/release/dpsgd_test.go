package release

import (
	"encoding/json"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

// If they are not given, the steps and the rate follow from public numbers: the rate grows with the
// rows and with ε, within limits, and decreases with the number of steps. Given values are used as
// they are.
func TestDescentIsPlanned(t *testing.T) {
	for _, c := range []struct {
		asked   mechanism.DPSGD
		epsilon string
		rows    int64
		r       privacy.Relation
		steps   int
		rate    float64
	}{
		{mechanism.DPSGD{}, "1", 8, privacy.ReplaceOne, 400, 0.25},
		{mechanism.DPSGD{}, "1", 10945, privacy.ReplaceOne, 400, 7.1},
		{mechanism.DPSGD{}, "0.1", 32561, privacy.ReplaceOne, 400, 2.5},
		{mechanism.DPSGD{}, "0.1", 32561, privacy.AddRemove, 400, 4.9},
		{mechanism.DPSGD{}, "1", 1_000_000, privacy.ReplaceOne, 400, 16},
		{mechanism.DPSGD{Steps: 100}, "1", 1_000_000, privacy.ReplaceOne, 100, 64},
		{mechanism.DPSGD{Clip: "1"}, "1", 1_000_000, privacy.ReplaceOne, 400, 8},
		{mechanism.DPSGD{Steps: 100, Rate: 16}, "1", 8, privacy.ReplaceOne, 100, 16},
		{mechanism.DPSGD{Steps: 1, Clip: "0.001"}, "1", 1_000_000, privacy.ReplaceOne, 1, 1e6},
	} {
		m := c.asked
		m.Columns, m.Share = mechanism.Columns{Columns: "one-hot"}, "1"
		p := prepared(t, Request{
			Form: model.Additive{Kind: model.Logistic}, Mechanism: &m, Epsilon: decimal(t, c.epsilon), Delta: decimal(t, "1e-6"), Relation: c.r, Rows: c.rows,
		})
		var record struct {
			Descent struct {
				Steps int
				Rate  float64
			}
		}
		if err := json.Unmarshal(model.NewMechanism(p.made.Record).Parameters, &record); err != nil {
			t.Fatal(err)
		}
		d := record.Descent
		if d.Steps != c.steps || d.Rate != c.rate {
			t.Errorf("%+v of %d rows, ε = %s, %v: %d steps, rate %v, not %d and %v", c.asked, c.rows, c.epsilon, c.r, d.Steps, d.Rate, c.steps, c.rate)
		}
	}
}
