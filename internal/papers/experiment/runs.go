package experiment

import (
	"time"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Runs holds the parameters that Tables and Synthetics have in common: the privacy guarantees, the number of
// releases for each of them, and a limit on their time.
type Runs struct {
	Epsilons []privacy.Decimal
	Delta    privacy.Decimal // for mechanisms that need a δ
	Relation privacy.Relation
	Draws    int           // the number of releases of each method at each ε
	Limit    time.Duration // the maximum time of a release; if it is exceeded, the method is stopped
}
