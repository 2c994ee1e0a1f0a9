package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Guarantee says in plain words what a release of the thing named ("scorecard")
// promises; nil is no
// promise, for the reason given.
func Guarantee(thing string, g *privacy.Statement, why string) string {
	if g == nil {
		return fmt.Sprintf("NOT PRIVATE. There is no guarantee. %s\n", why)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Differentially private: %s.\n", Terms(g))
	rows := "Replace one person's record by any other"
	if g.Relation == privacy.AddRemove {
		rows = "Add or remove one person's record"
	}
	if g.Delta.IsZero() {
		fmt.Fprintf(&b, "%s, and the probability of any given\n%s changes by a factor of at most %s.\n", rows, thing, factor(g.Epsilon))
	} else {
		fmt.Fprintf(&b, "%s, and the probability that the\n%s is one of any given ones changes by a factor of at most\n%s, plus δ = %s.\n", rows, thing, factor(g.Epsilon), g.Delta)
	}
	if g.Relation == privacy.ReplaceOne {
		b.WriteString("The number of records is public.\n")
	}
	for _, a := range g.Assumes {
		fmt.Fprintf(&b, "This rests on an assumption: %s\n", a.Text())
	}
	return b.String()
}

// factor writes e^ε, with its value where that says something.
func factor(epsilon privacy.Decimal) string {
	e, _ := epsilon.Rat().Float64()
	if f := math.Exp(e); f < 1e6 {
		return fmt.Sprintf("e^%s ≈ %.3g", epsilon, f)
	}
	return "e^" + epsilon.String()
}

// Terms writes the numbers of a guarantee.
func Terms(g *privacy.Statement) string {
	relation := "one record replaced"
	if g.Relation == privacy.AddRemove {
		relation = "one record added or removed"
	}
	return fmt.Sprintf("ε = %s, δ = %s, %s", g.Epsilon, g.Delta, relation)
}
