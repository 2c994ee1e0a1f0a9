package model

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// A Mechanism says how a hypothesis was chosen, with the public parameters.
type Mechanism struct {
	Name string // Exponential, RSPM or None
	Loss learn.Loss

	// Rate is λ of the exponential mechanism, or what the norm of RSPM's noise
	// is multiplied by in its law; nil for None.
	Rate *big.Rat

	// The rest is RSPM's.
	Noise  learn.Noise
	Grid   int64  // costs are multiplied by it
	Shift  int64  // t, in steps of 1/Grid
	Oracle string // who minimised, such as "search"
}

// The names of mechanisms in models.
const (
	Exponential = "exponential"
	RSPM        = "rspm"
	None        = "none (not private)"
)

// assumed says what a guarantee assumes of each oracle that a model may name,
// and of none.
var assumed = map[string][]privacy.Assumption{
	"":           nil,
	"search":     nil,
	"exhaustive": nil,
	"transform":  nil,
	"toulbar2":   {privacy.ExactOracle},
	"clasp":      {privacy.ExactOracle},
	"cbc":        {privacy.ExactOracle, privacy.FloatBound},
	"highs":      {privacy.ExactOracle, privacy.FloatBound},
}

// OfExponential describes the mechanism.
func OfExponential(m *learn.Exponential[table.Record, any]) Mechanism {
	return Mechanism{Name: Exponential, Loss: m.Loss(), Rate: m.Rate()}
}

// OfRSPM describes the mechanism on an oracle of that name.
func OfRSPM(m *learn.RSPM[table.Record, any], oracle string) Mechanism {
	return Mechanism{
		Name: RSPM, Loss: m.Loss(), Rate: m.Rate(),
		Noise: m.Noise(), Grid: m.Grid(), Shift: m.Shift(), Oracle: oracle,
	}
}

func (m Mechanism) validate() error {
	if err := m.Loss.Validate(); err != nil {
		return err
	}
	switch m.Name {
	case None:
		return nil
	case Exponential, RSPM:
	default:
		return fmt.Errorf("the mechanism %.40q is unknown", m.Name)
	}
	if m.Rate == nil || m.Rate.Sign() <= 0 {
		return errors.New("the mechanism's rate is not positive")
	}
	if m.Name == RSPM {
		if m.Grid < 1 || m.Grid > learn.MostGrid {
			return fmt.Errorf("the mechanism's grid %d is outside 1..%d", m.Grid, learn.MostGrid)
		}
		if _, known := assumed[m.Oracle]; !known || m.Oracle == "" {
			return fmt.Errorf("the mechanism's oracle %.40q is unknown", m.Oracle)
		}
	}
	return nil
}

// gives reports a guarantee that the mechanism's parameters do not give.
func (m Mechanism) gives(c Class, g Guarantee) error {
	if g.Epsilon.IsZero() || !g.Delta.IsZero() {
		return fmt.Errorf("the guarantee must have a positive epsilon and a delta of 0, as the mechanism %q has", m.Name)
	}
	if !slices.Equal(g.Assumes, assumed[m.Oracle]) {
		return fmt.Errorf("the guarantee assumes %q, but the mechanism %q with the oracle %q calls for %q", g.Assumes, m.Name, m.Oracle, assumed[m.Oracle])
	}
	if _, err := g.Relation.MarshalText(); err != nil {
		return errors.New(`the guarantee has no relation; it is "replace" or "add-remove"`)
	}
	rate := learn.Rate(g.Epsilon, g.Relation, m.Loss)
	if m.Name == RSPM {
		if t := learn.Shift(g.Relation, m.Loss, m.Grid, class.Distance(c)); m.Shift != t {
			return fmt.Errorf("the mechanism's shift is %d, but its grid and loss ask for %d", m.Shift, t)
		}
		rate = learn.NoiseRate(m.Noise, c.Separator(), m.Shift, g.Epsilon)
	}
	if m.Rate.Cmp(rate) != 0 {
		return fmt.Errorf("the mechanism's rate is %.60s, which does not give the stated epsilon of %s (that takes %.60s)", m.Rate.RatString(), g.Epsilon, rate.RatString())
	}
	return nil
}
