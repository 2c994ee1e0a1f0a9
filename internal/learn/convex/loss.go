package convex

import (
	"errors"
	"fmt"
)

// ErrLoss is returned for an unknown loss.
var ErrLoss = errors.New("unknown loss (want logistic, hinge or squared)")

// A Loss is a convex function φ of a row's margin m: its score, negated for label 0.
type Loss uint8

const (
	// LogisticLoss is ln(1 + e^-m).
	LogisticLoss Loss = iota
	// HingeLoss is max(0, 1 - m), that of support vector machines.
	HingeLoss
	// SquaredLoss is (1 - m)²/2, that of least squares for labels ±1.
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

// MarshalText writes the name String returns; of no loss it is ErrLoss.
func (l Loss) MarshalText() ([]byte, error) {
	if !l.valid() {
		return nil, fmt.Errorf("%v: %w", l, ErrLoss)
	}
	return []byte(l.String()), nil
}

// UnmarshalText reads the names String returns; any other is ErrLoss and leaves
// l unchanged.
func (l *Loss) UnmarshalText(text []byte) error {
	parsed, err := ParseLoss(string(text))
	if err == nil {
		*l = parsed
	}
	return err
}

// ParseLoss parses the output of String; any other name is ErrLoss.
func ParseLoss(name string) (Loss, error) {
	for l := LogisticLoss; l.valid(); l++ {
		if name == l.String() {
			return l, nil
		}
	}
	return 0, fmt.Errorf("%.60q: %w", name, ErrLoss)
}

func (l Loss) valid() bool { return l <= SquaredLoss }
