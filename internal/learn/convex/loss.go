package convex

import (
	"errors"
	"fmt"
)

// ErrLoss is returned for an unknown loss.
var ErrLoss = errors.New("unknown loss; it must be logistic, hinge or squared")

// A Loss is a convex function of the margin m of a row. The margin is the score if the label is
// 1, and minus the score if the label is 0.
type Loss uint8

const (
	// LogisticLoss is ln(1 + e^-m).
	LogisticLoss Loss = iota
	// HingeLoss is max(0, 1 - m), the loss of support vector machines.
	HingeLoss
	// SquaredLoss is (1 - m)²/2, the loss of least squares for labels ±1.
	SquaredLoss
)

// String returns "logistic", "hinge" or "squared".
func (l Loss) String() string {
	switch l {
	case LogisticLoss:
		return "logistic"
	case HingeLoss:
		return "hinge"
	case SquaredLoss:
		return "squared"
	}
	return fmt.Sprintf("Loss(%d)", uint8(l))
}

// MarshalText returns the name that String returns. It fails with ErrLoss if l
// is not one of the constants.
func (l Loss) MarshalText() ([]byte, error) {
	if !l.valid() {
		return nil, fmt.Errorf("%v: %w", l, ErrLoss)
	}
	return []byte(l.String()), nil
}

// UnmarshalText sets l to the loss with the given name, one of those that String
// returns. For any other name it fails with ErrLoss and leaves l unchanged.
func (l *Loss) UnmarshalText(text []byte) error {
	parsed, err := ParseLoss(string(text))
	if err == nil {
		*l = parsed
	}
	return err
}

// ParseLoss returns the loss with the given name, one of those that String
// returns. For any other name it fails with ErrLoss.
func ParseLoss(name string) (Loss, error) {
	for l := LogisticLoss; l.valid(); l++ {
		if name == l.String() {
			return l, nil
		}
	}
	return 0, fmt.Errorf("%.60q: %w", name, ErrLoss)
}

func (l Loss) valid() bool { return l <= SquaredLoss }
