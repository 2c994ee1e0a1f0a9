package privacy

import (
	"errors"
	"fmt"
)

// ErrAssumption is returned for an assumption that this package does not list.
var ErrAssumption = errors.New("unknown assumption")

// An Assumption is a condition on a solver that a guarantee rests on and that
// nothing in the program checks; its value is the name used in files. All
// assumptions that any guarantee may make are listed here, so that a reader
// can find them.
type Assumption string

const (
	// ExactOracle: the privacy proof treats every answer of the oracle as a
	// true minimiser (within the slack that its noise pays for), including
	// that the oracle never gives up.
	ExactOracle Assumption = "exact-oracle"
	// FloatBound: an external solver proves its answers in floating point, and
	// the privacy proof takes the bound it reports as a true lower bound.
	FloatBound Assumption = "float-bound"
)

// Text returns one sentence for people, empty for an unknown assumption.
func (a Assumption) Text() string {
	switch a {
	case ExactOracle:
		return "The oracle always answers, and its answers are true minimisers."
	case FloatBound:
		return "The lower bound that the external solver computes in floating point is right."
	}
	return ""
}

// MarshalText writes the name; an unknown one is ErrAssumption.
func (a Assumption) MarshalText() ([]byte, error) {
	if a.Text() == "" {
		return nil, fmt.Errorf("%w: %.60q", ErrAssumption, string(a))
	}
	return []byte(a), nil
}

// UnmarshalText reads a name; an unknown one is ErrAssumption and leaves a
// unchanged.
func (a *Assumption) UnmarshalText(text []byte) error {
	if Assumption(text).Text() == "" {
		return fmt.Errorf("%w: %.60q", ErrAssumption, text)
	}
	*a = Assumption(text)
	return nil
}
