package audit

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// Answered is a random source with which counts receive given noisy values. Its first draws of noise are the
// differences between Answers and Counts. All later draws are those of Coins.
type Answered struct {
	noise.Coins
	Answers, Counts []int64

	next int // the index of the next draw
}

// Draw returns the difference between the next answer and its count, or, after the last answer, a draw of Coins.
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
