package generated

import (
	"math"
	"math/rand/v2"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// seed is the fixed seed of the random generator of Table, so that Table returns the same table each time.
const seed = 2018

// Table generates a table with the given number of rows for the schema s, which must have a label and no Person. The
// parameter most is the maximum number of distinct records; if there are more rows, records are repeated.
//
// The label is random. For each outcome except the first, the logarithm of its odds against the first outcome is the
// total of a random card on half of the attributes, shifted so that its mean is about 0. The second result is the
// expected accuracy of a predictor that knows these cards.
func Table(s *table.Schema, rows, most int64) (t *table.Table, best float64) {
	sizes := s.Sizes()
	rng := rand.New(rand.NewPCG(seed, uint64(len(sizes))))
	mixture := NewMixture(rng, sizes)
	odds := make([]logOdds, s.Outcomes()-1)
	for i := range odds {
		odds[i] = newLogOdds(rng, mixture, sizes)
	}
	b := s.Builder()
	x := make(table.Record, len(sizes))
	for left, n := rows, min(rows, most); n > 0; n-- {
		count := left / n
		left -= count
		mixture.Sample(rng, x)
		outcome, likeliest := sampleOutcome(rng, odds, x)
		best += likeliest * float64(count) / float64(rows)
		if err := b.AddOutcome(x, outcome, count); err != nil {
			panic(err) // impossible: all codes are valid
		}
	}
	return b.Table(), best
}

// A logOdds computes the logarithm of the odds of an outcome against the first outcome, which is a constant (start)
// plus the points of a card.
type logOdds struct {
	card  *Card
	start float64
}

// newLogOdds returns a logOdds with a random card. Its constant is chosen so that the mean over records of the
// mixture is about 0.
func newLogOdds(rng *rand.Rand, m *Mixture, sizes []int) logOdds {
	const samples = 1000
	o := logOdds{card: NewCard(rng, sizes, max(2, len(sizes)/2))}
	x := make(table.Record, len(sizes))
	for range samples {
		m.Sample(rng, x)
		o.start -= o.card.Total(x, 0) / samples
	}
	return o
}

// sampleOutcome samples the outcome of the record x, given the log-odds of each outcome except the first. The second
// result is the probability of the most probable outcome.
func sampleOutcome(rng *rand.Rand, all []logOdds, x table.Record) (outcome int, likeliest float64) {
	odds := []float64{1}
	sum, greatest := 1.0, 1.0
	for _, of := range all {
		o := math.Exp(of.card.Total(x, of.start))
		odds = append(odds, o)
		sum, greatest = sum+o, max(greatest, o)
	}
	u := sum * rng.Float64()
	for outcome < len(odds)-1 && u >= odds[outcome] {
		u -= odds[outcome]
		outcome++
	}
	return outcome, greatest / sum
}
