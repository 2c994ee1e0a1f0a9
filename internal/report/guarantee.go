package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Guarantee describes the guarantee of a released thing ("scorecard") in sentences. If g is nil, it
// states that there is no guarantee, and why.
func Guarantee(thing string, g *privacy.Statement, why string) string {
	if g == nil {
		return fmt.Sprintf("NOT PRIVATE. There is no guarantee. %s\n", why)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Differentially private: %s.\n", Terms(g))
	rows := changes(g.Relation)
	if g.Delta.IsZero() {
		fmt.Fprintf(&b, "%s, and the probability of any given\n%s changes by a factor of at most %s.\n", rows, thing, factor(g.Epsilon))
	} else {
		fmt.Fprintf(&b, "%s, and the probability that the\n%s lies in any given set changes by a factor of at most\n%s, plus δ = %s.\n", rows, thing, factor(g.Epsilon), g.Delta)
	}
	if most := g.Relation.Persons(); most > 0 {
		fmt.Fprintf(&b, "At most %d rows of each person were used, and each person had the same weight.\n", most)
	}
	if g.Relation.Replaces() {
		fmt.Fprintf(&b, "The number of %s is public.\n", map[bool]string{false: "records", true: "persons"}[g.Relation.Persons() > 0])
	}
	for _, a := range g.Assumes {
		fmt.Fprintf(&b, "The guarantee assumes: %s\n", a.Text())
	}
	return b.String()
}

// changes describes the difference between neighbouring tables.
func changes(r privacy.Relation) string {
	switch {
	case r.Persons() > 0 && r.Replaces():
		return "Replace all rows of one person by any others"
	case r.Persons() > 0:
		return "Add or remove all rows of one person"
	case r.Replaces():
		return "Replace one person's record by any other"
	}
	return "Add or remove one person's record"
}

// factor formats e^ε, with its value if that is meaningful.
func factor(epsilon privacy.Decimal) string {
	e, _ := epsilon.Rat().Float64()
	if f := math.Exp(e); f < 1e6 {
		return fmt.Sprintf("e^%s ≈ %.3g", epsilon, f)
	}
	return "e^" + epsilon.String()
}

// Terms formats the numbers of a guarantee.
func Terms(g *privacy.Statement) string {
	who, what := "record", "added or removed"
	if g.Relation.Persons() > 0 {
		who = "person"
	}
	if g.Relation.Replaces() {
		what = "replaced"
	}
	return fmt.Sprintf("ε = %s, δ = %s, one %s %s", g.Epsilon, g.Delta, who, what)
}
