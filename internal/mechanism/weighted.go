package mechanism

import (
	"flag"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Weighted estimates a naive Bayes model from noisy counts, and then samples a weight for each attribute by the
// exponential mechanism.
type Weighted struct{}

const WeightedName = "weighted"

var weightedKind = Kind{
	Name: WeightedName, What: "computes log-odds from noisy counts, and samples the weights of the attributes; δ = 0",
	For: statisticalKind.For, Persons: true, New: func() Mechanism { return &Weighted{} },
	Record: func() any { return &weightedJSON{} }, Recreate: recreateWeighted,
}

// Parameters adds no flags, because the mechanism has no parameters.
func (*Weighted) Parameters(*flag.FlagSet) {}

type weightedJSON struct {
	Name      string          `json:"name"`
	Counts    privacy.Decimal `json:"counts"`            // the share of ε for counts
	CountRate string          `json:"count_rate"`        // the rate of the noise of the counts
	Rate      string          `json:"rate"`              // the rate λ of the sample, for costs in units of 1/1000 of a misclassification
	Vectors   int             `json:"vectors,omitempty"` // the number of vectors of weights
	Groups    int             `json:"groups,omitempty"`  // in models of earlier versions, the number of groups of attributes that share a weight
}

// mostGroups is the maximum value of the key "groups" in a model file. Only models of earlier versions have this
// key.
const mostGroups = 10

// weightedScale is the default scale of a weighted card: the number of points for a weight of 1.
const weightedScale = 4

// weightedCounts returns the share of ε that the noisy counts of a weighted card consume.
func weightedCounts() *big.Rat { return big.NewRat(3, 5) }

// draws returns the mechanism of package learn that samples a weighted card, and its record for the model file. The
// parameters of draws are:
//
//   - counts: the part of ε for the noisy counts
//   - scale: the number of points for a weight of 1
//   - vectors: the number of weight vectors, one of which is sampled
func draws(s *Setting, counts privacy.Decimal, scale, vectors int) (*learn.WeightedNaiveBayes, weightedJSON, error) {
	m, err := learn.NewWeightedNaiveBayes(s.Schema.Sizes(), inOrder(s.Schema), s.Epsilon, counts, s.Relation, scale, vectors)
	if err != nil {
		return nil, weightedJSON{}, NotMade(WeightedName, err)
	}
	return m, weightedJSON{WeightedName, counts, m.CountRate().RatString(), m.Rate().RatString(), vectors, 0}, nil
}

// planned returns the mechanism of draws for a new release: it chooses the parameters counts and
// vectors independently of the data. The parameter share is the share of ε for the noisy counts.
func planned(s *Setting, scale int, share *big.Rat) (*learn.WeightedNaiveBayes, weightedJSON, error) {
	if err := s.Pure(); err != nil {
		return nil, weightedJSON{}, err
	}
	if err := s.Stated("{mechanism} " + WeightedName); err != nil {
		return nil, weightedJSON{}, err
	}
	counts, err := privacy.RoundDown(new(big.Rat).Mul(s.Epsilon.Rat(), share), shareDigits)
	if err != nil {
		return nil, weightedJSON{}, err
	}
	return draws(s, counts, scale, learn.WeightVectors(len(s.Schema.Attributes), s.Rows, scale))
}

func (m *Weighted) Over(s *Setting) (*Made, error) {
	w, record, err := planned(s, s.Scaled(weightedScale).Scale, weightedCounts())
	if err != nil {
		return nil, err
	}
	card := Releasing[learn.Records[table.Record], learn.Points]{w, func(p learn.Points) (any, error) { return p, nil }}
	return &Made{Table: learn.OnRecords[any]{Mechanism: card}, Record: record, Effort: weightedEffort(s, w)}, nil
}

// additionSeconds is the estimated time, in seconds, of one addition when the totals of weighted
// cards are computed.
const additionSeconds = 2e-9

// weightedEffort estimates the time and memory of releasing a weighted card from the setting's number of rows.
func weightedEffort(s *Setting, w *learn.WeightedNaiveBayes) *Effort {
	distinct, cards := Records(s.Schema, s.Rows), int64(w.Cards())
	return &Effort{
		Cells: cards, Bytes: s.Schema.Bytes(distinct) + w.Bytes(distinct), MostRows: learn.MostRows,
		Search: Fixed, Seconds: additionSeconds * float64(w.Work(distinct)), Quicker: "fewer attributes",
	}
}

func (m *Weighted) Bounds(s *Setting) ([]Bound, error) {
	if scale := s.Scaled(weightedScale).Scale; scale < learn.LeastWeightedScale || scale > learn.MostWeightedScale {
		return []Bound{}, nil
	}
	w, _, err := planned(s, s.Scaled(weightedScale).Scale, weightedCounts())
	if err != nil {
		return nil, err
	}
	width := w.CountWidth()
	comparison := "With so many rows it is expected to misclassify fewer records than statistical."
	if !learn.WeightsBeatNaiveBayes(len(s.Schema.Attributes), s.Rows, s.Epsilon, s.Relation) {
		comparison = "With so few rows it is expected to misclassify more records than statistical."
	}
	return []Bound{{
		Mechanism: WeightedName, CountWidth: &width,
		Said: fmt.Sprintf("60 %% of ε is for counts; in 95 of 100 runs, the errors of all counts are\nat most %.0f. The rest is for sampling one of %d cards. %s\nTime: about %.0f s of one processor.", width, w.Cards(), comparison, math.Ceil(weightedEffort(s, w).Seconds)),
	}}, nil
}

func recreateWeighted(stored any, s *Setting) (*Recreated, error) {
	return weightedOf(s, stored.(*weightedJSON), s.Scaled(weightedScale).Scale)
}

// weightedOf recreates the mechanism that released a weighted card. The parameter j is the mechanism's record in the
// model file.
func weightedOf(s *Setting, j *weightedJSON, scale int) (*Recreated, error) {
	vectors := j.Vectors
	if j.Groups != 0 {
		most := min(mostGroups, len(s.Schema.Attributes))
		if vectors != 0 || j.Groups < 1 || j.Groups > most {
			return nil, NotMade(WeightedName, fmt.Errorf("the number of groups is %d; it must be 1 to %d", j.Groups, most))
		}
		vectors = 1 // the guarantee does not depend on it
	}
	m, record, err := draws(s, j.Counts, scale, vectors)
	if err != nil {
		return nil, err
	}
	record.Vectors, record.Groups = j.Vectors, j.Groups
	return &Recreated{Record: record, Guarantee: m.Guarantee()}, nil
}
