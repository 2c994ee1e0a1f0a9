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

// A Player is a strategy of the data player: Context or Hedge. It samples records, given the losses of all records so
// far. It receives only public inputs, so the privacy guarantee does not depend on it, and its oracle may be a
// heuristic.
type Player interface {
	// Regret bounds the expected regret per round: the mean loss of the samples of all plays minus
	// the mean loss of the best record. The bound holds for any sequence of answers. Each answer may
	// depend on all previous plays and on the distribution of the current play
	// (docs/explanation/proofs/game.md, section 4). The parameter sizes holds the numbers of
	// categories of the attributes. A bound of 1 or more is trivial.
	Regret(sizes []int, rounds int) float64
	// String returns the name of the player with its parameters.
	String() string

	// draws returns n independent samples of records of d, given the losses l.
	draws(ctx context.Context, d domain, l losses, n int, coins noise.Coins) ([][]uint16, error)
}

// Context is the player Context-FTPL, which follows the perturbed leader (Syrgkanis, Krishnamurthy and Schapire 2016;
// Neel, Roth and Wu 2018, Theorem 12). For each sample, it draws one random term for each of the m₂ binary digits of
// a record's categories. The perturbed loss of a record is its loss plus the terms of those of its digits that are 1.
// The sample is the record of least perturbed loss.
//
// If all attributes are binary, the digits are the values of the queries x_j. The noise is perturb.Cube, scaled so
// that one additional loss changes the probability of every record by a factor of at most e^Stability.
type Context struct {
	Stability privacy.Decimal // must be positive
}

// NewContext returns a player whose stability nearly minimizes the bound on the regret over the given number of
// rounds. The stability is √(m₂(m₂+1)/(2·rounds)), where m₂ is the total number of binary digits of a record's
// categories.
func NewContext(sizes []int, rounds int) (Context, error) {
	m := float64(max(digits(sizes), 1))
	s, err := privacy.RoundUpFloat(math.Sqrt(m*(m+1)/2/float64(rounds)), 3)
	return Context{s}, err
}

// contextGrid is the minimum number of noise steps per unit of loss (see Context.grid).
const contextGrid = 16

// grid returns the number of noise steps per unit of loss: noise terms are multiples of 1/grid. It is large enough
// that the rejection sampler of Cube noise accepts often. The parameter bits is the number m₂ of binary digits of a
// record.
func (c Context) grid(bits int) int64 {
	return max(contextGrid, perturb.DefaultGrid(bits, 1, c.Stability)/4)
}

// rate returns the rate of the Cube noise (perturb.NoiseRate). The parameter bits is the number m₂ of binary digits
// of a record.
func (c Context) rate(bits int) *big.Rat {
	shift := perturb.Shift(privacy.AddRemove, learn.ZeroOne, c.grid(bits), 1)
	return perturb.NoiseRate(perturb.Cube, bits, shift, c.Stability)
}

// Regret returns the bound tanh(Stability/2) + E/rounds on the regret per round, where E is an upper bound on the
// expected sum of the positive noise terms, in units of loss.
func (c Context) Regret(sizes []int, rounds int) float64 {
	a, _ := c.Stability.Rat().Float64()
	bits := digits(sizes)
	lead := perturb.NoiseExcess(perturb.Cube, bits, c.rate(bits)).Mean / float64(c.grid(bits))
	return math.Tanh(a/2) + lead/float64(rounds)
}

func (c Context) String() string { return fmt.Sprintf("Context-FTPL of stability %v", c.Stability) }

// draws samples n records. It first samples the noise of all of them, and then minimizes the perturbed losses on all
// processors. If the oracle finds no record for a sample, the sample is a uniformly random record.
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

// mostPerturbation is the maximum absolute value to which a noise term of the data player is clipped. It is far
// larger than any loss, but sums of noise terms fit into 62 bits. Clipping does not affect the guarantee, because the
// guarantee does not depend on the data player's noise.
const mostPerturbation = 1 << 40

// perturbation samples one random term for each of the given number (bits) of binary digits of a record.
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

// Hedge is a player that samples a record with a probability proportional to e^{-Rate·loss}. By default it samples
// from a table of all records, with rounded weights. If Options.Oracle is set, it samples exactly, by the tree of the
// dual class.
//
// The paper's data player only minimizes over the dual class, so an optimization oracle is enough for it. Hedge must
// sample from the dual class, but has a smaller regret.
type Hedge struct {
	Rate *big.Rat // positive
}

// NewHedge returns the player with the least bound on the regret over the given number of rounds. Its rate is √(8
// ln|X|/rounds), where |X| is the number of records of the domain.
func NewHedge(sizes []int, rounds int) (Hedge, error) {
	rate, err := privacy.RoundUpFloat(math.Sqrt(8*max(logSize(sizes), math.Ln2)/float64(rounds)), 3)
	return Hedge{rate.Rat()}, err
}

// Regret returns the bound of Freund and Schapire on the regret per round: Rate/8 + ln|X|/(Rate·rounds), where |X| is
// the number of records of the domain.
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

// logSize returns the natural logarithm of the number of records of the domain.
func logSize(sizes []int) (sum float64) {
	for _, n := range sizes {
		sum += math.Log(float64(n))
	}
	return sum
}
