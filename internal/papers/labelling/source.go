package labelling

import (
	"iter"

	"github.com/sibyl-dp/sibyl/class"
)

// A Source is a set of candidate hypotheses, all public: a class, or any
// stream of hypotheses that ends.
type Source[X, H any] struct {
	// Name describes the candidates for people.
	Name string
	// Candidates yields the hypotheses, in the same order at every call.
	Candidates iter.Seq[H]
	// Predict returns q(x).
	Predict func(q H, x X) bool
	// Penalty returns the data-independent cost of q, at least 0; nil for none.
	Penalty func(q H) int64
	// Key tells candidates apart: distinct ones have distinct keys. ok is false
	// for a value that is none.
	Key func(q H) (key string, ok bool)
	// Partial predicts on records of which only some attributes are known, as
	// class.Partial says; nil for predictions on whole records only.
	Partial func(q H, x []uint16, known []bool) (label, ok bool)
}

// Of returns a class with a separator (class.Separated) as a source.
func Of[X, H any](c class.Enumerable[X, H]) Source[X, H] {
	s := Source[X, H]{
		Name:       c.String(),
		Candidates: c.All(),
		Predict:    c.Predict,
		Penalty:    c.Penalty,
		Key: func(q H) (string, bool) {
			if !c.Contains(q) {
				return "", false
			}
			return pack(class.Separate(c, q)), true
		},
	}
	if p, ok := c.(class.Partial[H]); ok {
		s.Partial = p.PredictPartial
	}
	return s
}

// pack returns the bits as a string, eight to a byte: bits of one length are
// equal exactly if their strings are.
func pack(set []bool) string {
	packed := make([]byte, (len(set)+7)/8)
	for i, one := range set {
		if one {
			packed[i/8] |= 1 << (i % 8)
		}
	}
	return string(packed)
}
