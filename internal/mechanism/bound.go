package mechanism

import (
	"cmp"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn"
)

// A Bound says how far a mechanism may be off, whatever the data: by how much the cost of
// what it releases exceeds the least of the class, or what else is known of it.
type Bound struct {
	Mechanism string `json:"mechanism"`

	// Of what chooses from a class. Costs are errors where every error costs 1.
	*Excess

	// Of statistical: counts err by at most CountWidth, all of them, in 95 of 100 runs.
	CountWidth *float64 `json:"count_width_95,omitempty"`

	// Of dpsgd: GradientNoise is the standard deviation, in each of the Columns, of
	// the mean gradient of a step, of which a row's is cut to the norm Clip.
	GradientNoise *float64 `json:"gradient_noise,omitempty"`
	Columns       int      `json:"columns,omitempty"`
	Steps         int      `json:"steps,omitempty"`
	Clip          string   `json:"clip,omitempty"`

	// Of opsamp and exponential with weights: the mean loss of a row exceeds the least in
	// the box by at most MeanLoss on average, and MostLoss in 95 of 100 runs.
	MeanLoss *float64 `json:"mean_loss_excess,omitempty"`
	MostLoss *float64 `json:"loss_excess_95,omitempty"`

	// Said is all of it in sentences, of what chooses from no class; else empty.
	Said string `json:"-"`
}

// Excess is that of what chooses from a class.
type Excess struct {
	Noise        string  `json:"noise,omitempty"`       // or "graded", of the graded loss in place of errors
	Sample       int64   `json:"sample,omitempty"`      // rows that are drawn from
	SampleRate   string  `json:"sample_rate,omitempty"` // with which they are drawn
	Mean         float64 `json:"mean_excess"`
	MeanFraction float64 `json:"mean_excess_fraction"` // of the rows
	Most         float64 `json:"excess_95"`            // in 95 of 100 runs
	MostFraction float64 `json:"excess_95_fraction"`

	// Approximate tells that the guarantee has the δ; all others are pure.
	Approximate bool   `json:"approximate"`
	Parts       *Parts `json:"prsma,omitempty"`
}

// Graded tells that it is of the graded loss.
func (b Bound) Graded() bool { return b.Excess != nil && b.Noise == GradedName }

// Name names the mechanism with its variant.
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

// PureFirst compares bounds whose guarantee is pure with those whose has a δ, which come after.
func PureFirst(a, b Bound) int { return cmp.Compare(a.approximate(), b.approximate()) }

func (b Bound) approximate() int {
	if b.Excess != nil && b.Approximate {
		return 1
	}
	return 0
}

// Bounded is what tells its excess before it sees data.
type Bounded interface{ Excess(rows int64) learn.Excess }

// Bound returns the bound of a mechanism with that noise.
func (s *Setting) Bound(mechanism, noise string, m Bounded) Bound {
	e, n := m.Excess(s.Rows), float64(s.Rows)
	return Bound{Mechanism: mechanism, Excess: &Excess{Noise: noise, Mean: e.Mean, MeanFraction: e.Mean / n, Most: e.Most, MostFraction: e.Most / n}}
}

// Parts tell how prsma divides a table.
type Parts struct {
	Parts       int     `json:"parts"`
	PartRows    int64   `json:"part_rows"`
	Runs        int64   `json:"runs"` // in each part
	Calls       int64   `json:"calls"`
	BaseEpsilon string  `json:"base_epsilon"`
	Refusal     float64 `json:"refusal"` // the probability of releasing nothing if no call fails
	Epsilon     string  `json:"epsilon"`
	Delta       string  `json:"delta"`
}

// A Division tells how boost divides the rows, and bounds its risk.
type Division struct {
	Parts      int     `json:"parts"`
	PartRows   int64   `json:"part_rows"`
	Validation int64   `json:"validation"`
	Risk       float64 `json:"risk_95"` // the expected loss of a new row beyond the least, where rows are independent draws
}
