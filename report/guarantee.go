package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Guarantee says in plain words what a release of the thing named ("scorecard")
// promises; nil is no promise, for the reason given.
func Guarantee(thing string, g *model.Guarantee, why model.Void) string {
	if g == nil {
		return fmt.Sprintf("NOT PRIVATE. There is no guarantee. %s\n", why.Text())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Differentially private: %s.\n", Terms(g))
	rows := "Replace one person's record by any other"
	if g.Relation == privacy.AddRemove {
		rows = "Add or remove one person's record"
	}
	e, _ := g.Epsilon.Rat().Float64()
	fmt.Fprintf(&b, "%s, and the probability of any given\n%s changes by a factor of at most e^%s", rows, thing, g.Epsilon)
	if factor := math.Exp(e); factor < 1e6 {
		fmt.Fprintf(&b, " ≈ %.3g", factor)
	}
	b.WriteString(".\n")
	if g.Relation == privacy.ReplaceOne {
		b.WriteString("The number of records is public.\n")
	}
	for _, a := range g.Assumes {
		fmt.Fprintf(&b, "This rests on an assumption: %s\n", a.Text())
	}
	return b.String()
}

// Terms writes the numbers of a guarantee.
func Terms(g *model.Guarantee) string {
	relation := "one record replaced"
	if g.Relation == privacy.AddRemove {
		relation = "one record added or removed"
	}
	return fmt.Sprintf("ε = %s, δ = %s, %s", g.Epsilon, g.Delta, relation)
}
