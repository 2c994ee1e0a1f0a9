package model

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Risks of two outcomes are an assessment, those of more a comparison, and none are neither.
func TestRisksByOutcomes(t *testing.T) {
	epsilon, err := privacy.ParseDecimal("1")
	if err != nil {
		t.Fatal(err)
	}
	for outcomes := 1; outcomes <= 5; outcomes++ {
		m := &Model{}
		if outcomes > 1 {
			s := risk.Predictions(outcomes)
			cells := make([]*big.Int, s.Cells())
			for i := range cells {
				cells[i] = big.NewInt(int64(10 + i))
			}
			if m.Risks, err = risk.Noisy(s, cells, epsilon, privacy.AddRemove); err != nil {
				t.Fatal(err)
			}
		}
		if a, c := m.Assessment() != nil, m.Comparison() != nil; a != (outcomes == 2) || c != (outcomes > 2) {
			t.Errorf("%d outcomes: an assessment %v, a comparison %v", outcomes, a, c)
		}
	}
}
