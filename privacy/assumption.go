package privacy

import (
	"errors"
	"fmt"
)

// ErrAssumption is returned for an assumption that is not one of the constants of this package.
var ErrAssumption = errors.New("unknown assumption")

// An Assumption is a condition on a solver without which a guarantee does not hold, and which the program does not
// verify. The value of an Assumption is its name in files. The constants below are the only assumptions.
type Assumption string

const (
	// ExactOracle assumes that the oracle never fails and always returns a minimizer, up to the
	// error that the mechanism's noise covers.
	ExactOracle Assumption = "exact-oracle"
	// FloatBound assumes that the lower bound that an external solver computes in floating
	// point is correct.
	FloatBound Assumption = "float-bound"
)

// Text returns a sentence that describes the assumption to users, or "" if it is unknown.
func (a Assumption) Text() string {
	switch a {
	case ExactOracle:
		return "The oracle always answers, and its answers are true minimisers."
	case FloatBound:
		return "The lower bound that the external solver computes in floating point is right."
	}
	return ""
}

// MarshalText returns the name of the assumption. For an unknown assumption it returns
// ErrAssumption.
func (a Assumption) MarshalText() ([]byte, error) {
	if a.Text() == "" {
		return nil, fmt.Errorf("%w: %.60q", ErrAssumption, string(a))
	}
	return []byte(a), nil
}

// UnmarshalText reads the name of an assumption. For an unknown name it returns ErrAssumption
// and leaves a unchanged.
func (a *Assumption) UnmarshalText(text []byte) error {
	if Assumption(text).Text() == "" {
		return fmt.Errorf("%w: %.60q", ErrAssumption, text)
	}
	*a = Assumption(text)
	return nil
}
