package experiment

import (
	"time"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Runs holds the parameters that Tables and Synthetics share: the guarantees, and the number of
// releases at each.
type Runs struct {
	Epsilons []privacy.Decimal
	Delta    privacy.Decimal // for mechanisms that need a δ
	Relation privacy.Relation
	Draws    int           // the number of releases of each method at each ε
	Limit    time.Duration // the maximum time of a release; if it is exceeded, the method is stopped
}
