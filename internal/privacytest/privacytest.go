// Package privacytest makes privacy parameters and guarantees for tests.
package privacytest

import (
	"testing"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Decimal parses a decimal number. It ends the test with a failure if the text is not a number.
func Decimal(t testing.TB, text string) privacy.Decimal {
	t.Helper()
	d, err := privacy.ParseDecimal(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Pure returns the guarantee of pure ε-DP under the relation r, with ε given as text.
func Pure(t testing.TB, epsilon string, r privacy.Relation) privacy.Guarantee {
	t.Helper()
	g, err := privacy.NewPure(r, Decimal(t, epsilon))
	if err != nil {
		t.Fatal(err)
	}
	return g
}
