package mechanism

import (
	"testing"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

var (
	signs = model.Points{Least: -1, Most: 1}
	plain = model.Scorecard{Points: signs, Threshold: 1}
)

func decimal(t testing.TB, text string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
