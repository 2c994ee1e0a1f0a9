package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/profiles"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Guarantee describes the guarantee g of a released object in sentences. The parameter thing is the noun for the
// object, such as "scorecard". If g is nil, the sentences say that there is no guarantee, and why. If parts of the
// schema s come from other releases from the private data (profiles), the sentences also state the total guarantee
// of the object and these releases. The schema may be nil.
func Guarantee(thing string, g *privacy.Statement, why string, s *table.Schema) string {
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
	b.WriteString(Completed(g, s))
	return b.String()
}

// Completed describes the releases from private data that chose parts of the schema (its profiles), and states the
// total guarantee of these releases and a release with the guarantee g. It returns "" if the schema has no
// profiles.
func Completed(g *privacy.Statement, s *table.Schema) string {
	total, private := profiles.Total(g, s)
	switch {
	case total == nil:
		return ""
	case !private:
		return fmt.Sprintf("NOT PRIVATE: some %s of the schema come from private data, without a guarantee.\n", completions(s, allColumns(s)))
	}
	var b strings.Builder
	for _, p := range s.Profiles {
		columns := plainWord(quote.Clean(p.Columns[0]))
		if n := len(p.Columns) - 1; n > 0 {
			columns += fmt.Sprintf(" and of %d other column%s", n, map[bool]string{true: "s"}[n > 1])
		}
		fmt.Fprintf(&b, "The %s of %s come from another release: ε = %s, δ = %s.\n", completions(s, p.Columns), columns, p.Epsilon, p.Delta)
	}
	fmt.Fprintf(&b, "In total, if the releases are about the same people: %s.\n", Terms(total))
	return b.String()
}

// TotalGuarantee returns a sentence with the total guarantee of a release with the guarantee g and of the releases
// that chose parts of its schema (its profiles). It returns "" if the schema has no profiles.
func TotalGuarantee(g *privacy.Statement, s *table.Schema) string {
	total, private := profiles.Total(g, s)
	switch {
	case total == nil:
		return ""
	case !private:
		return fmt.Sprintf("NOT PRIVATE: some %s of the schema come from private data, without a guarantee.", completions(s, allColumns(s)))
	}
	return fmt.Sprintf("In total with the releases that chose %s of the schema: %s.", completions(s, allColumns(s)), Terms(total))
}

// completions states what the profiles of a schema chose for the given columns: "cuts", "categories" or "cuts and
// categories".
func completions(s *table.Schema, columns []string) string {
	numbers, categories := false, false
	for j := range s.Attributes {
		if a := &s.Attributes[j]; slices.Contains(columns, a.Name) {
			numbers, categories = numbers || len(a.Values) == 0, categories || len(a.Values) > 0
		}
	}
	switch {
	case numbers && categories:
		return "cuts and categories"
	case categories:
		return "categories"
	}
	return "cuts"
}

// allColumns returns the names of all columns for which profiles of the schema chose cuts or categories.
func allColumns(s *table.Schema) (all []string) {
	for _, p := range s.Profiles {
		all = append(all, p.Columns...)
	}
	return all
}

// changes describes in words how neighbouring tables may differ under the neighbour relation r.
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

// factor formats e^ε, with its numerical value unless this is very large.
func factor(epsilon privacy.Decimal) string {
	e, _ := epsilon.Rat().Float64()
	if f := math.Exp(e); f < 1e6 {
		return fmt.Sprintf("e^%s ≈ %.3g", epsilon, f)
	}
	return "e^" + epsilon.String()
}

// Terms formats the parameters of a guarantee, such as ε, δ and the neighbour relation, in one phrase.
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
