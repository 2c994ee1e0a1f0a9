package experiment

import (
	"time"

	"github.com/sibyl-dp/sibyl/privacy"
)

// Runs say at which guarantees something is drawn that is compared, and how often.
type Runs struct {
	Epsilons []privacy.Decimal
	Delta    privacy.Decimal // for what needs one
	Relation privacy.Relation
	Draws    int
	Limit    time.Duration // ends a draw, and with it what drew
}
