package labelling

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
)

// A Class contains one hypothesis for each labelling of a public sample of records that some candidate predicts. If
// several candidates predict the same labelling, the hypothesis is the one with the least penalty, or the first of
// several such candidates.
//
// Class implements class.Tabular[X, H], class.Enumerable[X, H] and, if records are []uint16, class.Partial[H]. The
// zero value is invalid; use New.
type Class[X, H any] struct {
	source     Source[X, H]
	sample     int // s, the number of records of the sample
	hypotheses []H
	place      map[string]int // the index of each hypothesis, by its key
	most       int64          // the greatest penalty of a hypothesis
	table      *tabulated.Class[X, H]
}

// New returns the class of the labellings of the sample by the candidates of the source s. It returns an error if the
// source is invalid or there are too many labellings. New computes one prediction for each candidate and each record of
// the sample. While it runs, it stores all labellings, each with one bit for each record of the sample.
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
			return nil, fmt.Errorf("labelling: Key must return a different key for each candidate, but candidate %v has none, or the key of another candidate", q)
		}
		c.place[key] = i
		c.most = max(c.most, s.Penalty(q))
	}
	c.table, err = tabulated.New(c)
	return c, err
}

// represent returns one candidate for each labelling of the sample: the one with the least penalty, or the first of
// several such candidates. The results have the order in which their labellings first occur among the candidates.
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
		return nil, fmt.Errorf("labelling: the source must have at least one candidate")
	}
	return kept, nil
}

// String returns a description of the class.
func (c *Class[X, H]) String() string {
	return fmt.Sprintf("%d labellings of %d public records by %s", len(c.hypotheses), c.sample, c.source.Name)
}

// Size returns N, the number of hypotheses.
func (c *Class[X, H]) Size() *big.Int { return big.NewInt(int64(len(c.hypotheses))) }

// Contains reports whether q is a hypothesis of the class.
func (c *Class[X, H]) Contains(q H) bool {
	key, ok := c.source.Key(q)
	if ok {
		_, ok = c.place[key]
	}
	return ok
}

// Predict returns the label that q predicts for the record x.
func (c *Class[X, H]) Predict(q H, x X) bool { return c.source.Predict(q, x) }

// PredictPartial predicts the label of a record x if only the attributes are known for which the slice known is true.
// The result ok is false if the known attributes do not determine the label. PredictPartial calls Source.Partial. If
// that function is nil, ok is true only if all attributes are known.
func (c *Class[X, H]) PredictPartial(q H, x []uint16, known []bool) (label, ok bool) {
	if c.source.Partial != nil {
		return c.source.Partial(q, x, known)
	}
	if slices.Contains(known, false) {
		return false, false
	}
	return c.source.Predict(q, any(x).(X)), true
}

// Penalty returns the penalty of the hypothesis q as a candidate of the source.
func (c *Class[X, H]) Penalty(q H) int64 { return c.source.Penalty(q) }

// Separator returns the number m of separator bits, the bits that represent a hypothesis: ⌈log₂ N⌉ for N hypotheses.
func (c *Class[X, H]) Separator() int { return class.NumberBits(len(c.hypotheses)) }

// Separate returns the separator bits of q: the binary digits of its index, the lowest first.
func (c *Class[X, H]) Separate(q H) []bool {
	key, _ := c.source.Key(q)
	return class.Number(c.place[key], c.Separator())
}

// At returns the hypothesis with index i. Hypotheses are ordered by the first occurrence of their labelling among the
// candidates.
func (c *Class[X, H]) At(i int) H { return c.hypotheses[i] }

// All yields the hypotheses in the order of their indices.
func (c *Class[X, H]) All() iter.Seq[H] { return slices.Values(c.hypotheses) }

// Tabulate returns the cost of each hypothesis on the problem p, by index. It computes one prediction for each
// hypothesis and each point of p. It returns class.ErrRange if the costs are too large.
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
