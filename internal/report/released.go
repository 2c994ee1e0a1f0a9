package report

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Released says what stands in a file that was released: a thing ("scorecard") for a label. No
// guarantee is no promise, for the reason given.
func Released(file, thing, label string, g *privacy.Statement, why string) string {
	return fmt.Sprintf("%s: a %s for %s.\n\n%s\nRead it with: sibyl show %s\nRows that do not fit the schema counted for nothing; sibyl check tells their curator how many there are.\n",
		file, thing, label, Guarantee(thing, g, why), file)
}

// Spent says what a release cost, and whether an account has it; nil is no promise, for the
// reason given.
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
