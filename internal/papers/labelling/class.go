package labelling

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
)

// A Class contains one hypothesis for each labelling of the sample by a candidate: of the candidates
// with that labelling and the least penalty, the first. It implements class.Tabular[X, H],
// class.Enumerable[X, H] and, if records are []uint16, class.Partial[H]. The zero value is invalid;
// use New.
type Class[X, H any] struct {
	source     Source[X, H]
	sample     int // the size of the sample
	hypotheses []H
	place      map[string]int // the index of each hypothesis, by its key
	most       int64          // the greatest penalty of a hypothesis
	table      *tabulated.Class[X, H]
}

// New returns the class of the labellings of the sample by the candidates of s. An error states in
// one sentence what is invalid. New computes one prediction for each candidate and record of the
// sample, and temporarily stores N labellings of s bits.
func New[X, H any](s Source[X, H], sample []X) (*Class[X, H], error) {
	if s.Candidates == nil || s.Predict == nil || s.Key == nil {
		return nil, fmt.Errorf("labelling: Candidates, Predict and Key of the source must be set")
	}
	if s.Penalty == nil {
		s.Penalty = func(H) int64 { return 0 }
	}
	kept, err := represent(s, sample)
	if err != nil {
		return nil, err
	}
	c := &Class[X, H]{source: s, sample: len(sample), hypotheses: kept, place: make(map[string]int, len(kept))}
	for i, q := range kept {
		key, ok := s.Key(q)
		if _, twice := c.place[key]; twice || !ok {
			return nil, fmt.Errorf("labelling: candidate %v has no key, or the same key as another", q)
		}
		c.place[key] = i
		c.most = max(c.most, s.Penalty(q))
	}
	c.table, err = tabulated.New(c)
	return c, err
}

// represent returns, for each labelling of the sample, the first candidate with the least penalty, in
// the order in which the labellings first occur.
func represent[X, H any](s Source[X, H], sample []X) ([]H, error) {
	var kept []H
	place := map[string]int{}
	labels := make([]bool, len(sample))
	for q := range s.Candidates {
		if s.Penalty(q) < 0 {
			return nil, fmt.Errorf("labelling: the penalty %d of candidate %v must not be negative", s.Penalty(q), q)
		}
		for i, x := range sample {
			labels[i] = s.Predict(q, x)
		}
		labelling := pack(labels)
		at, known := place[labelling]
		switch {
		case !known && len(kept) == tabulated.Most:
			return nil, fmt.Errorf("labelling: the candidates label the sample in more than %d ways; use a smaller sample", tabulated.Most)
		case !known:
			place[labelling] = len(kept)
			kept = append(kept, q)
		case s.Penalty(q) < s.Penalty(kept[at]):
			kept[at] = q
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("labelling: there are no candidates")
	}
	return kept, nil
}

// String describes the class.
func (c *Class[X, H]) String() string {
	return fmt.Sprintf("%d labellings of %d public records by %s", len(c.hypotheses), c.sample, c.source.Name)
}

// Size returns N.
func (c *Class[X, H]) Size() *big.Int { return big.NewInt(int64(len(c.hypotheses))) }

// Contains reports whether q is one of the N hypotheses of the class.
func (c *Class[X, H]) Contains(q H) bool {
	key, ok := c.source.Key(q)
	if ok {
		_, ok = c.place[key]
	}
	return ok
}

// Predict returns q(x).
func (c *Class[X, H]) Predict(q H, x X) bool { return c.source.Predict(q, x) }

// PredictPartial predicts from the known attributes by Source.Partial. If that is nil, it requires all
// attributes.
func (c *Class[X, H]) PredictPartial(q H, x []uint16, known []bool) (label, ok bool) {
	if c.source.Partial != nil {
		return c.source.Partial(q, x, known)
	}
	if slices.Contains(known, false) {
		return false, false
	}
	return c.source.Predict(q, any(x).(X)), true
}

// Penalty returns the penalty of q.
func (c *Class[X, H]) Penalty(q H) int64 { return c.source.Penalty(q) }

// Separator returns ⌈log₂ N⌉.
func (c *Class[X, H]) Separator() int { return class.NumberBits(len(c.hypotheses)) }

// Separate returns the binary digits of the index of q, the lowest first.
func (c *Class[X, H]) Separate(q H) []bool {
	key, _ := c.source.Key(q)
	return class.Number(c.place[key], c.Separator())
}

// At returns the hypothesis with index i. Hypotheses are ordered by the first candidate with their
// labelling.
func (c *Class[X, H]) At(i int) H { return c.hypotheses[i] }

// All yields the hypotheses in the order of their indices.
func (c *Class[X, H]) All() iter.Seq[H] { return slices.Values(c.hypotheses) }

// Tabulate returns the costs of all hypotheses, by one prediction for each hypothesis and point.
func (c *Class[X, H]) Tabulate(p class.Problem[X]) ([]int64, error) {
	if _, ok := p.Spread(c.most); !ok {
		return nil, class.ErrRange
	}
	costs := make([]int64, len(c.hypotheses))
	for i, q := range c.hypotheses {
		costs[i] = class.Cost(c, p, q)
	}
	return costs, nil
}

var (
	_ class.Tabular[[]uint16, int]    = (*Class[[]uint16, int])(nil)
	_ class.Enumerable[[]uint16, int] = (*Class[[]uint16, int])(nil)
	_ class.Partial[int]              = (*Class[[]uint16, int])(nil)
)
