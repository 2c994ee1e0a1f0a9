package report

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Released returns the message that is shown after a released object, which predicts a label, has been written to
// a file. The parameters after label are those of the function Guarantee.
func Released(file, thing, label string, g *privacy.Statement, why string, s *table.Schema) string {
	return fmt.Sprintf("%s: a %s that predicts %s.\n\n%s\nTo read it: sibyl show %s\nRows with a value outside the schema's domain had no influence; sibyl check counts them, for the curator.\n",
		file, thing, label, Guarantee(thing, g, why, s), file)
}

// Spent describes the privacy loss of a release. The parameter account states whether the release was recorded in
// a privacy budget ledger. If g is nil, the result says that there is no guarantee, and why.
func Spent(g *privacy.Statement, why string, account bool) string {
	if g == nil {
		return "NOT PRIVATE: " + why
	}
	spent := fmt.Sprintf("ε = %s", g.Epsilon)
	if !g.Delta.IsZero() {
		spent += fmt.Sprintf(" and δ = %s", g.Delta)
	}
	if account {
		return fmt.Sprintf("This release spent %s of the privacy budget, and the account records it. sibyl account show prints the budget that is left.", spent)
	}
	return fmt.Sprintf("This release spent %s. The privacy losses of all releases from the same data add up, repeated runs included. Use --account to record and limit their sum.", spent)
}
