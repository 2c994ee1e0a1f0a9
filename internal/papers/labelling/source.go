package labelling

import (
	"iter"

	"github.com/sibyl-dp/sibyl/class"
)

// A Source is a finite set of public candidate hypotheses, for example all hypotheses of a class.
type Source[X, H any] struct {
	// Name describes the candidates to users.
	Name string
	// Candidates yields the candidates, in the same order at every call.
	Candidates iter.Seq[H]
	// Predict returns q(x), the label that q predicts for x.
	Predict func(q H, x X) bool
	// Penalty returns the data-independent cost of q, at least 0. If Penalty is nil, all penalties
	// are 0.
	Penalty func(q H) int64
	// Key returns a key that identifies the candidate q. ok is false if q is not a candidate.
	Key func(q H) (key string, ok bool)
	// Partial predicts the label of x from the known attributes only, as class.Partial does. It may
	// be nil.
	Partial func(q H, x []uint16, known []bool) (label, ok bool)
}

// Of returns the source whose candidates are the hypotheses of c. The class c must have a separator
// (class.Separated), whose bits become the keys of the candidates.
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

// pack converts a list of bits to a string, eight bits to a byte. Different lists of the same length give different
// strings.
func pack(set []bool) string {
	packed := make([]byte, (len(set)+7)/8)
	for i, one := range set {
		if one {
			packed[i/8] |= 1 << (i % 8)
		}
	}
	return string(packed)
}
