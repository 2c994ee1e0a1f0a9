package model

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A model with risks has an assessment for its number of outcomes. A model without risks has none.
func TestRisksByOutcomes(t *testing.T) {
	epsilon := privacytest.Decimal(t, "1")
	for outcomes := 1; outcomes <= 5; outcomes++ {
		m := &Model{}
		if outcomes > 1 {
			s := risk.Predictions(outcomes)
			cells := make([]*big.Int, s.Cells())
			for i := range cells {
				cells[i] = big.NewInt(int64(10 + i))
			}
			var err error
			if m.Risks, err = risk.Noisy(s, cells, epsilon, privacy.AddRemove); err != nil {
				t.Fatal(err)
			}
		}
		switch a := m.Assessment(); {
		case (a != nil) != (outcomes > 1):
			t.Errorf("%d outcomes: an assessment %v", outcomes, a != nil)
		case a != nil && (a.Outcomes() != outcomes || len(a.Confusion) != outcomes):
			t.Errorf("%d outcomes: an assessment of %d", outcomes, a.Outcomes())
		}
	}
}
