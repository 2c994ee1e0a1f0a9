package mechanism

import (
	"cmp"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Bound is a bound on the error of a mechanism that is known before the data is read. Usually it
// bounds the excess cost: the cost of the released hypothesis minus the least cost of the class.
type Bound struct {
	Mechanism string `json:"mechanism"`

	// Excess bounds the excess cost of mechanisms that select a hypothesis from a class. Costs are numbers of
	// misclassifications if each misclassification costs 1.
	*Excess

	// CountWidth, for statistical, bounds the errors of all counts simultaneously with probability 0.95.
	CountWidth *float64 `json:"count_width_95,omitempty"`

	// GradientNoise, for dpsgd, is the standard deviation of a step's mean gradient in each of the Columns. The
	// gradient of a row is clipped to the norm Clip.
	GradientNoise *float64 `json:"gradient_noise,omitempty"`
	Columns       int      `json:"columns,omitempty"`
	Steps         int      `json:"steps,omitempty"`
	Clip          string   `json:"clip,omitempty"`

	// MeanLoss and MostLoss, for opsamp and for exponential with weights, bound the excess of the mean loss of a row
	// over the least mean loss in the box: MeanLoss bounds its expectation, and MostLoss bounds it with probability
	// 0.95.
	MeanLoss *float64 `json:"mean_loss_excess,omitempty"`
	MostLoss *float64 `json:"loss_excess_95,omitempty"`

	// Epsilon is the ε with which the mechanism is planned, if the request has a total. Otherwise it is nil.
	Epsilon *privacy.Decimal `json:"epsilon,omitempty"`

	// Said describes the bound in sentences for mechanisms that do not select from a class. Otherwise it is empty.
	Said string `json:"-"`
}

// An Excess bounds the excess cost of a mechanism that selects a hypothesis from a class: the cost
// of the released hypothesis minus the least cost of the class.
type Excess struct {
	Noise        string  `json:"noise,omitempty"`       // or "graded" for the graded loss
	Sample       int64   `json:"sample,omitempty"`      // the number of sampled rows
	SampleRate   string  `json:"sample_rate,omitempty"` // the sampling probability of a row
	Mean         float64 `json:"mean_excess"`
	MeanFraction float64 `json:"mean_excess_fraction"` // the mean excess as a fraction of the rows
	Most         float64 `json:"excess_95"`            // in 95 of 100 runs
	MostFraction float64 `json:"excess_95_fraction"`

	// Approximate reports whether the guarantee has δ > 0. If it is false, the guarantee is pure.
	Approximate bool   `json:"approximate"`
	Parts       *Parts `json:"prsma,omitempty"`
}

// Graded reports whether the bound is for the graded loss, which is the squared error of risk levels. Otherwise it
// is for the number of misclassifications.
func (b Bound) Graded() bool { return b.Excess != nil && b.Noise == GradedName }

// Name returns the name of the mechanism, followed by the sample of rows or the noise distribution
// if it has one.
func (b Bound) Name() string {
	switch e := b.Excess; {
	case e == nil:
	case e.Sample > 0:
		return fmt.Sprintf("%s, %d rows", b.Mechanism, e.Sample)
	case e.SampleRate != "":
		return fmt.Sprintf("%s, %s of the rows", b.Mechanism, e.SampleRate)
	case e.Noise != "":
		return b.Mechanism + " " + e.Noise
	}
	return b.Mechanism
}

// PureFirst is a comparison function for sorting. It orders bounds with a pure guarantee (δ = 0) before bounds with a
// positive δ.
func PureFirst(a, b Bound) int { return cmp.Compare(a.approximate(), b.approximate()) }

func (b Bound) approximate() int {
	if b.Excess != nil && b.Approximate {
		return 1
	}
	return 0
}

// A Bounded mechanism has a bound on its excess cost that depends only on public parameters and on
// the number of rows.
type Bounded interface{ Excess(rows int64) learn.Excess }

// Bound returns the bound on the excess cost of m for the setting's number of rows. The parameter
// mechanism is the name of m. The parameter noise is the name of its noise distribution, or "".
func (s *Setting) Bound(mechanism, noise string, m Bounded) Bound {
	e, n := m.Excess(s.Rows), float64(s.Rows)
	return Bound{Mechanism: mechanism, Excess: &Excess{Noise: noise, Mean: e.Mean, MeanFraction: e.Mean / n, Most: e.Most, MostFraction: e.Most / n}}
}

// A Parts describes how the mechanism prsma partitions the rows of a table, and states the guarantee that follows.
type Parts struct {
	Parts       int     `json:"parts"`
	PartRows    int64   `json:"part_rows"`
	Runs        int64   `json:"runs"` // the number of runs in each part
	Calls       int64   `json:"calls"`
	BaseEpsilon string  `json:"base_epsilon"`
	Refusal     float64 `json:"refusal"` // the probability of releasing nothing if no call fails
	Epsilon     string  `json:"epsilon"`
	Delta       string  `json:"delta"`
}

// A Division describes how the mechanism boost partitions the rows of a table, and bounds the error rate of the
// released hypothesis in the population.
type Division struct {
	Parts      int     `json:"parts"`
	PartRows   int64   `json:"part_rows"`
	Validation int64   `json:"validation"`
	Risk       float64 `json:"risk_95"` // bounds, with probability 0.95, the excess of the expected loss on a new row over the least one, if rows are independent samples
}
