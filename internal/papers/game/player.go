package game

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"runtime"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/perturb"
	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Player is how the data player draws, given what all records have lost so far. It sees
// nothing private, so that what it draws needs no proof and its oracle no certificate:
// Context or Hedge.
type Player interface {
	// Regret bounds by how much the losses of so many plays, on average over a round and in
	// expectation, exceed those of the best record, whatever the answers are: each may
	// depend on all plays before it, and on the distribution of its own
	// (docs/explanation/proofs/game.md). From 1 on it says nothing.
	Regret(sizes []int, rounds int) float64
	// String names the player with its parameters.
	String() string

	// draws makes so many independent draws.
	draws(ctx context.Context, d domain, l losses, n int, coins noise.Coins) ([][]uint16, error)
}

// Context is Context-FTPL (Syrgkanis, Krishnamurthy and Schapire 2016; Neel, Roth and Wu
// 2018, Theorem 12): each draw is the record of least loss after noise on the bits that tell
// records apart, the binary digits of their categories. On binary attributes these are the m₂
// queries x_j. The noise is that of learn.Cube, by which one more loss moves the
// probability of every record by a factor of at most e^Stability.
type Context struct {
	Stability privacy.Decimal // positive
}

// NewContext returns the player of least bound on its regret over so many rounds:
// stability √(m₂(m₂+1)/2T).
func NewContext(sizes []int, rounds int) (Context, error) {
	m := float64(max(digits(sizes), 1))
	s, err := privacy.RoundUpFloat(math.Sqrt(m*(m+1)/2/float64(rounds)), 3)
	return Context{s}, err
}

// contextGrid is how many steps of noise a loss is at least.
const contextGrid = 16

// grid is so fine that noise on so many bits is drawn in few proposals.
func (c Context) grid(bits int) int64 {
	return max(contextGrid, perturb.DefaultGrid(bits, 1, c.Stability)/4)
}

// rate is what the norm of the noise is multiplied by in its law.
func (c Context) rate(bits int) *big.Rat {
	shift := perturb.Shift(privacy.AddRemove, learn.ZeroOne, c.grid(bits), 1)
	return perturb.NoiseRate(perturb.Cube, bits, shift, c.Stability)
}

// Regret is tanh(Stability/2) and a T-th of the mean of Σ max(0, k_i).
func (c Context) Regret(sizes []int, rounds int) float64 {
	a, _ := c.Stability.Rat().Float64()
	bits := digits(sizes)
	lead := perturb.NoiseExcess(perturb.Cube, bits, c.rate(bits)).Mean / float64(c.grid(bits))
	return math.Tanh(a/2) + lead/float64(rounds)
}

func (c Context) String() string { return fmt.Sprintf("Context-FTPL of stability %v", c.Stability) }

// draws tosses the noise of all draws, and then minimises on all processors. A draw for which
// the oracle has no answer is uniform.
func (c Context) draws(ctx context.Context, d domain, l losses, n int, coins noise.Coins) ([][]uint16, error) {
	bits := digits(d)
	terms := make([][]int64, n)
	for i := range terms {
		terms[i] = c.perturbation(bits, coins)
	}
	least := l.perturbed(c.grid(bits))
	out := make([][]uint16, n)
	err := parallel.Do(ctx, runtime.GOMAXPROCS(0), n, func() func(int) {
		return func(i int) {
			if x, ok := least(ctx, terms[i]); ok {
				out[i] = x
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for i, x := range out {
		if x == nil {
			out[i] = d.uniform(coins)
		}
	}
	return out, nil
}

// mostPerturbation cuts the noise of the data player, which owes no exact law to anybody: far
// beyond all losses, and well within 62 bits.
const mostPerturbation = 1 << 40

// perturbation draws terms on the digits of a record.
func (c Context) perturbation(bits int, coins noise.Coins) []int64 {
	if bits == 0 {
		return nil
	}
	terms := make([]int64, bits)
	for i, k := range (noise.Cube{Dim: bits, A: c.rate(bits)}).Sample(coins) {
		switch {
		case k.IsInt64():
			terms[i] = min(max(k.Int64(), -mostPerturbation), mostPerturbation)
		default:
			terms[i] = int64(k.Sign()) * mostPerturbation
		}
	}
	return terms
}

// Hedge draws a record with probability proportional to e^{-Rate·loss}: from a table of all
// records, or exactly, through the tree of the dual class. The paper asks for players that
// have no more than an oracle; this one has more, and less regret.
type Hedge struct {
	Rate *big.Rat // positive
}

// NewHedge returns the player of least bound on its regret over so many rounds: rate
// √(8 ln|X|/T).
func NewHedge(sizes []int, rounds int) (Hedge, error) {
	rate, err := privacy.RoundUpFloat(math.Sqrt(8*max(logSize(sizes), math.Ln2)/float64(rounds)), 3)
	return Hedge{rate.Rat()}, err
}

// Regret is Rate/8 + ln|X|/(Rate·T), the bound of Freund and Schapire.
func (h Hedge) Regret(sizes []int, rounds int) float64 {
	rate, _ := h.Rate.Float64()
	return rate/8 + logSize(sizes)/rate/float64(rounds)
}

func (h Hedge) String() string { return fmt.Sprintf("Hedge at rate %s", h.Rate.RatString()) }

func (h Hedge) draws(ctx context.Context, _ domain, l losses, n int, coins noise.Coins) ([][]uint16, error) {
	draw := l.weighted(h.Rate)
	out := make([][]uint16, n)
	for i := range out {
		var err error
		if out[i], err = draw(ctx, coins); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// logSize is ln|X|.
func logSize(sizes []int) (sum float64) {
	for _, n := range sizes {
		sum += math.Log(float64(n))
	}
	return sum
}
