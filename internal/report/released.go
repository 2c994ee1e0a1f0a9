package report

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Released describes the contents of a released file: a thing ("scorecard") for a label. A nil
// guarantee means that there is none, for the given reason.
func Released(file, thing, label string, g *privacy.Statement, why string) string {
	return fmt.Sprintf("%s: a %s for %s.\n\n%s\nRead it with: sibyl show %s\nRows that do not fit the schema counted for nothing; sibyl check tells their curator how many there are.\n",
		file, thing, label, Guarantee(thing, g, why), file)
}

// Spent describes the cost of a release, and whether an account recorded it; nil means that there
// is no guarantee, for the given reason.
func Spent(g *privacy.Statement, why string, account bool) string {
	if g == nil {
		return "NOT PRIVATE: " + why
	}
	spent := fmt.Sprintf("ε = %s", g.Epsilon)
	if !g.Delta.IsZero() {
		spent += fmt.Sprintf(" and δ = %s", g.Delta)
	}
	if account {
		return fmt.Sprintf("This release spent %s of these people's privacy, which is entered in the account; sibyl account show tells what is left.", spent)
	}
	return fmt.Sprintf("This release spent %s of these people's privacy. Running it again spends as much again; all that is spent on the same data adds up, and nobody keeps count of it unless an --account does.", spent)
}
