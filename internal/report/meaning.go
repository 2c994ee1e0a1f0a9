package report

import (
	"fmt"
	"math"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Meaning explains ε and δ in a sentence. It considers somebody who gives a guess about a person a probability
// of one half before the release, and states the highest probability that they can give it afterwards.
func Meaning(epsilon, delta privacy.Decimal, r privacy.Relation) string {
	e, _ := epsilon.Rat().Float64()
	guess := math.Ceil(1000/(1+math.Exp(-e))) / 10
	unknown := "two values of a person's record are equally likely"
	if !r.Replaces() {
		unknown = "it is as likely as not that a person is in the data"
	}
	aside := ""
	if !delta.IsZero() {
		aside = fmt.Sprintf(", apart from δ = %s", delta)
	}
	return fmt.Sprintf("ε = %s: if, to somebody, %s, then after the release neither is likelier than %.1f %% to them, whatever else they know%s.", epsilon, unknown, min(guess, 100), aside)
}
