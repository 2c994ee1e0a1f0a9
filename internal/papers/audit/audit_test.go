package audit_test

import (
	"testing"

	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
	"github.com/sibyl-dp/sibyl/privacy"
)

func decimal(t testing.TB, s string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
