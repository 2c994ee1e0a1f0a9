package labelling

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
)

// A Class holds one hypothesis for each labelling of the sample that a
// candidate has: among those with that labelling the first of least penalty.
// It implements class.Tabular[X, H] and class.Enumerable[X, H], and
// class.Partial[H] where records are categories. The zero value is no class.
type Class[X, H any] struct {
	source     Source[X, H]
	sample     int // its size
	hypotheses []H
	place      map[string]int // of each hypothesis, by its key
	most       int64          // the greatest penalty
	table      *tabulated.Class[X, H]
}

// New returns the class, or an error that says in one sentence what is wrong.
// It makes one prediction for each candidate and record of the sample, and
// keeps N labellings of s bits until it is done.
func New[X, H any](s Source[X, H], sample []X) (*Class[X, H], error) {
	if s.Candidates == nil || s.Predict == nil || s.Key == nil {
		return nil, fmt.Errorf("labelling: a source needs candidates, predictions and keys")
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
			return nil, fmt.Errorf("labelling: candidate %v has the key of another, or none", q)
		}
		c.place[key] = i
		c.most = max(c.most, s.Penalty(q))
	}
	c.table, err = tabulated.New(c)
	return c, err
}

// represent returns the first of the candidates of least penalty for each
// labelling of the sample, in the order in which the labellings appear.
// Labellings are compared bit by bit.
func represent[X, H any](s Source[X, H], sample []X) ([]H, error) {
	var kept []H
	place := map[string]int{}
	labels := make([]bool, len(sample))
	for q := range s.Candidates {
		if s.Penalty(q) < 0 {
			return nil, fmt.Errorf("labelling: candidate %v has the negative penalty %d", q, s.Penalty(q))
		}
		for i, x := range sample {
			labels[i] = s.Predict(q, x)
		}
		labelling := pack(labels)
		at, known := place[labelling]
		switch {
		case !known && len(kept) == tabulated.Most:
			return nil, fmt.Errorf("labelling: the sample has more than %d labellings", tabulated.Most)
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

// Contains tells whether q was kept.
func (c *Class[X, H]) Contains(q H) bool {
	key, ok := c.source.Key(q)
	if ok {
		_, ok = c.place[key]
	}
	return ok
}

// Predict returns q(x).
func (c *Class[X, H]) Predict(q H, x X) bool { return c.source.Predict(q, x) }

// PredictPartial predicts from the attributes that are known, as well as the
// source can.
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

// Separate returns the bits of the number of q, the lowest first.
func (c *Class[X, H]) Separate(q H) []bool {
	key, _ := c.source.Key(q)
	return class.Number(c.place[key], c.Separator())
}

// At returns hypothesis number i, in the order in which the candidates first
// showed its labelling.
func (c *Class[X, H]) At(i int) H { return c.hypotheses[i] }

// All yields the hypotheses in that order.
func (c *Class[X, H]) All() iter.Seq[H] { return slices.Values(c.hypotheses) }

// Tabulate returns the cost of every hypothesis. It takes one prediction for
// each hypothesis and point.
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
