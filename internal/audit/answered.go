package audit

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// Answered are coins that give counts chosen noisy values: the first draws of noise are the
// differences between Answers and Counts, and later ones are those of Coins.
type Answered struct {
	noise.Coins
	Answers, Counts []int64

	next int // the draw that comes next
}

// Draw returns the difference of the next answer and its count, or a draw of Coins.
func (c *Answered) Draw(s noise.Sampler) *big.Int {
	if c.next == len(c.Answers) {
		return c.Coins.Draw(s)
	}
	k := c.Answers[c.next] - c.Counts[c.next]
	c.next++
	return big.NewInt(k)
}

// Mark returns the mark of Coins.
func (c *Answered) Mark() int { return noise.Mark(c.Coins) }

// Forget calls noise.Forget on Coins.
func (c *Answered) Forget(since int, place string, state []uint64) {
	noise.Forget(c.Coins, since, place, state...)
}
