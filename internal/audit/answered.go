package audit

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// Answered is a random source that makes a mechanism release chosen noisy counts: the count
// Counts[i] gets the noisy value Answers[i]. To achieve this, the first len(Answers) draws of noise
// are the differences Answers[i] - Counts[i]. All later draws are those of Coins.
type Answered struct {
	noise.Coins
	Answers, Counts []int64

	next int // the index of the next draw
}

// Draw returns the next answer minus the next count or, after the last answer, a draw of Coins.
func (c *Answered) Draw(s noise.Sampler) *big.Int {
	if c.next == len(c.Answers) {
		return c.Coins.Draw(s)
	}
	k := c.Answers[c.next] - c.Counts[c.next]
	c.next++
	return big.NewInt(k)
}

// Mark returns the position in the history of Coins, if Coins has one (see noise.Mark).
func (c *Answered) Mark() int { return noise.Mark(c.Coins) }

// Forget calls noise.Forget for Coins with the same arguments.
func (c *Answered) Forget(since int, place string, state []uint64) {
	noise.Forget(c.Coins, since, place, state...)
}
