package explicit

import (
	"fmt"
	"iter"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
)

// A Class is a finite list of hypotheses. A hypothesis is represented by its index in the list that was passed to
// New. Class implements class.Tabular[X, int], class.Enumerable[X, int] and class.Coded. The zero value is invalid;
// use New.
type Class[X any] struct {
	hypotheses []Hypothesis[X]
	code       [][]bool // Options.Code; if nil, codewords are the binary digits of the index
	distance   int      // the minimum Hamming distance of two codewords
	most       int64    // the greatest penalty of a hypothesis
	table      *tabulated.Class[X, int]
}

// Options holds the public parameters of a class, except its hypotheses.
type Options struct {
	// Code defines the separator. It has one codeword for every hypothesis; the codewords must be
	// distinct and have the same length. New computes their minimum Hamming distance by comparing
	// all pairs. If Code is nil, the separator consists of the binary digits of the index.
	Code [][]bool
}

// mostPenalty is the maximum penalty of a hypothesis.
const mostPenalty = 1 << 40

// New returns the class of the given hypotheses. If a hypothesis or an option is invalid, New returns an error that
// names it.
func New[X any](hypotheses []Hypothesis[X], o Options) (*Class[X], error) {
	if len(hypotheses) == 0 {
		return nil, fmt.Errorf("explicit: the list of hypotheses must not be empty")
	}
	c := &Class[X]{hypotheses: slices.Clone(hypotheses), code: o.Code, distance: 1}
	for i, h := range hypotheses {
		if h.Predict == nil {
			return nil, fmt.Errorf("explicit: hypothesis %d (%s) lacks the function Predict", i+1, h.Name)
		}
		if h.Penalty < 0 || h.Penalty > mostPenalty {
			return nil, fmt.Errorf("explicit: the penalty %d of hypothesis %d (%s) must be 0..%d", h.Penalty, i+1, h.Name, int64(mostPenalty))
		}
		c.most = max(c.most, h.Penalty)
	}
	var err error
	if o.Code != nil {
		if c.distance, err = distance(o.Code, len(hypotheses)); err != nil {
			return nil, err
		}
	}
	c.table, err = tabulated.New(c)
	return c, err
}

// String returns a description of the class.
func (c *Class[X]) String() string {
	s := fmt.Sprintf("%d listed hypotheses", len(c.hypotheses))
	if c.most > 0 {
		s += fmt.Sprintf(", penalties up to %d", c.most)
	}
	if c.code != nil {
		s += fmt.Sprintf(", a code of length %d and distance %d", c.Separator(), c.distance)
	}
	return s
}

// Size returns N, the number of hypotheses.
func (c *Class[X]) Size() *big.Int { return big.NewInt(int64(len(c.hypotheses))) }

// Contains reports whether h is the index of a hypothesis.
func (c *Class[X]) Contains(h int) bool { return 0 <= h && h < len(c.hypotheses) }

// Name returns the name of hypothesis h.
func (c *Class[X]) Name(h int) string { return c.hypotheses[h].Name }

// Predict returns the label that hypothesis h predicts for the record x.
func (c *Class[X]) Predict(h int, x X) bool { return c.hypotheses[h].Predict(x) }

// Penalty returns the penalty of hypothesis h.
func (c *Class[X]) Penalty(h int) int64 { return c.hypotheses[h].Penalty }

// At returns hypothesis number i, which is i itself: hypotheses are represented by their indices.
func (c *Class[X]) At(i int) int { return i }

// All yields the indices 0..N-1.
func (c *Class[X]) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for h := range c.hypotheses {
			if !yield(h) {
				return
			}
		}
	}
}

// Tabulate returns the cost of each hypothesis on the problem p, by index. It computes one prediction for each
// hypothesis and each point of p. It returns class.ErrRange if the costs are too large.
func (c *Class[X]) Tabulate(p class.Problem[X]) ([]int64, error) {
	if _, ok := p.Spread(c.most); !ok {
		return nil, class.ErrRange
	}
	costs := make([]int64, len(c.hypotheses))
	for h := range costs {
		costs[h] = class.Cost(c, p, h)
	}
	return costs, nil
}

var (
	_ class.Tabular[string, int]    = (*Class[string])(nil)
	_ class.Enumerable[string, int] = (*Class[string])(nil)
	_ class.Coded                   = (*Class[string])(nil)
)
