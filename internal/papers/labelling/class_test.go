package labelling_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/class/tabulated"
	"github.com/sibyl-dp/sibyl/internal/papers/labelling"
	"github.com/sibyl-dp/sibyl/internal/papers/labelling/labellingtest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
	"github.com/sibyl-dp/sibyl/search"
)

// thresholds returns the hypotheses "x ≥ q" for the multiples q of 2^-10 from 0 to 1. Hypotheses whose q is not a
// multiple of 2^-5 have a penalty.
func thresholds() labelling.Source[float64, float64] {
	return labelling.Source[float64, float64]{
		Name: "thresholds",
		Candidates: func(yield func(float64) bool) {
			for i := range 1<<10 + 1 {
				if !yield(float64(i) / (1 << 10)) {
					return
				}
			}
		},
		Predict: func(q, x float64) bool { return x >= q },
		Penalty: func(q float64) int64 {
			if q*32 == float64(int(q*32)) {
				return 0
			}
			return 1
		},
		Key: func(q float64) (string, bool) { return strconv.FormatFloat(q, 'g', -1, 64), q >= 0 && q <= 1 },
	}
}

func ExampleNew() {
	c, err := labelling.New(thresholds(), []float64{0.12, 0.5, 0.55, 0.9})
	if err != nil {
		panic(err)
	}
	fmt.Println(c)
	for q := range c.All() {
		fmt.Print(q, " ")
	}
	// Output:
	// 5 labellings of 4 public records by thresholds
	// 0 0.125 0.53125 0.5625 0.90625
}

// labels returns the labels that the scorecard q predicts for the sample.
func labels(c class.Class[record, scorecard.Card], q scorecard.Card, sample []record) string {
	var out strings.Builder
	for _, x := range sample {
		fmt.Fprint(&out, c.Predict(q, x))
	}
	return out.String()
}

// The class contains exactly the first scorecard of least penalty for each labelling.
func TestRepresentatives(t *testing.T) {
	for seed := range 300 {
		draw := classtest.FromSeed(seed)
		all := scorecardtest.Random(draw, 500)
		var sample []record
		for range draw(0, 6) {
			sample = append(sample, all.Domain[draw(0, len(all.Domain)-1)])
		}
		best := map[string]scorecard.Card{}
		for q := range all.Class.All() {
			l := labels(all.Class, q, sample)
			if kept, known := best[l]; !known || all.Class.Penalty(q) < all.Class.Penalty(kept) {
				best[l] = q
			}
		}
		c := labellingtest.Labelled(all, sample).Class
		if c.Size().Int64() != int64(len(best)) {
			t.Errorf("%v: Size differs from the %d distinct labellings that enumeration finds", c, len(best))
		}
		for q := range all.Class.All() {
			kept := fmt.Sprint(best[labels(all.Class, q, sample)]) == fmt.Sprint(q)
			if c.Contains(q) != kept {
				t.Errorf("%v: Contains(%v) = %v", c, q, c.Contains(q))
			}
		}
		if c.Contains(scorecard.Card{}) {
			t.Errorf("%v: the class contains the empty card", c)
		}
		for q := range c.All() {
			for _, x := range all.Domain {
				if c.Predict(q, x) != all.Class.Predict(q, x) || c.Penalty(q) != all.Class.Penalty(q) {
					t.Errorf("%v: the prediction or penalty of %v differs from that in the original class", c, q)
				}
			}
		}
	}
}

// If all records of a problem are in the sample, the least cost over the reduced class equals the least cost over
// the original class.
func TestNothingIsLostOnTheSample(t *testing.T) {
	for seed := range 300 {
		draw := classtest.FromSeed(seed)
		all := scorecardtest.Random(draw, 500)
		sample := all.Domain[:draw(1, len(all.Domain))]
		c := labellingtest.Labelled(all, sample).Class
		p := scorecardtest.Case{Class: c, Domain: sample}.Random(draw)
		p.Terms = nil
		least := func(c class.Enumerable[record, scorecard.Card]) int64 {
			costs := []int64{}
			for q := range c.All() {
				costs = append(costs, class.Cost(c, p, q))
			}
			return slices.Min(costs)
		}
		if got, want := least(c), least(all.Class); got != want {
			t.Errorf("%v, %v: the minimum cost is %d; over all cards it is %d", c, p, got, want)
		}
	}
}

// For thresholds and for intervals, the size of the reduced class is the value of the growth function.
func TestGrowth(t *testing.T) {
	type interval struct{ from, to int }
	intervals := labelling.Source[int, interval]{
		Name: "intervals",
		Candidates: func(yield func(interval) bool) {
			for from := range 41 {
				for to := range 41 {
					if !yield(interval{from, to}) {
						return
					}
				}
			}
		},
		Predict: func(q interval, x int) bool { return q.from <= x && x < q.to },
		Key:     func(q interval) (string, bool) { return fmt.Sprint(q), true },
	}
	for s := range 12 {
		var reals []float64
		var integers []int
		for i := range s {
			reals = append(reals, float64(2*i+1)/32)
			integers = append(integers, 3*i+1)
		}
		c, err := labelling.New(thresholds(), reals)
		if err != nil || c.Size().Int64() != int64(s+1) {
			t.Errorf("%v: %v", c, err)
		}
		d, err := labelling.New(intervals, integers)
		if err != nil || d.Size().Int64() != int64(1+s*(s+1)/2) {
			t.Errorf("%v: %v", d, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for what, change := range map[string]func(s *labelling.Source[float64, float64]){
		"no candidates":           func(s *labelling.Source[float64, float64]) { s.Candidates = nil },
		"no predictions":          func(s *labelling.Source[float64, float64]) { s.Predict = nil },
		"no keys":                 func(s *labelling.Source[float64, float64]) { s.Key = nil },
		"an empty stream":         func(s *labelling.Source[float64, float64]) { s.Candidates = func(func(float64) bool) {} },
		"a negative penalty":      func(s *labelling.Source[float64, float64]) { s.Penalty = func(float64) int64 { return -1 } },
		"one key for all":         func(s *labelling.Source[float64, float64]) { s.Key = func(float64) (string, bool) { return "", true } },
		"candidates without keys": func(s *labelling.Source[float64, float64]) { s.Key = func(float64) (string, bool) { return "", false } },
	} {
		s := thresholds()
		change(&s)
		if _, err := labelling.New(s, []float64{0.3, 0.6}); err == nil {
			t.Errorf("%s: New returned no error", what)
		}
	}
}

func TestPredictPartial(t *testing.T) {
	s := labelling.Source[record, int]{
		Name:       "inputs",
		Candidates: func(yield func(int) bool) { _ = yield(0) && yield(1) },
		Predict:    func(q int, x record) bool { return x[q] == 1 },
		Key:        func(q int) (string, bool) { return strconv.Itoa(q), true },
	}
	for _, partial := range []bool{false, true} {
		if partial {
			s.Partial = func(q int, x []uint16, known []bool) (label, ok bool) { return known[q] && x[q] == 1, known[q] }
		}
		c, err := labelling.New(s, []record{{0, 1}})
		if err != nil {
			t.Fatal(err)
		}
		if label, ok := c.PredictPartial(1, []uint16{0, 1}, []bool{true, true}); !label || !ok {
			t.Error("PredictPartial gave no prediction on a completely known record")
		}
		if _, ok := c.PredictPartial(0, []uint16{0, 1}, []bool{false, true}); ok {
			t.Error("PredictPartial gave a prediction that the known attributes do not determine")
		}
		if _, ok := c.PredictPartial(1, []uint16{0, 1}, []bool{false, true}); ok != partial {
			t.Error("PredictPartial did not use the source's Partial")
		}
	}
}

// A source that Of returns predicts labels of partially known records by the method PredictPartial of the class.
func TestPartialOfAClass(t *testing.T) {
	c, err := labelling.New(labelling.Of(inputs{}), []record{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if label, ok := c.PredictPartial(1, []uint16{0, 1}, []bool{false, true}); !label || !ok {
		t.Error("PredictPartial did not use the class's PredictPartial")
	}
}

// inputs is a class that implements only the methods that Of uses.
type inputs struct {
	class.Enumerable[record, int]
}

func (inputs) String() string               { return "inputs" }
func (inputs) All() iter.Seq[int]           { return slices.Values([]int{0, 1}) }
func (inputs) Contains(q int) bool          { return q == 0 || q == 1 }
func (inputs) Predict(q int, x record) bool { return x[q] == 1 }
func (inputs) Penalty(int) int64            { return 0 }
func (inputs) Separator() int               { return 1 }
func (inputs) Separate(q int) []bool        { return []bool{q == 1} }
func (inputs) PredictPartial(q int, x []uint16, known []bool) (label, ok bool) {
	return known[q] && x[q] == 1, known[q]
}

// tables is a class whose table of costs is modified by a function.
type tables struct {
	class.Tabular[record, scorecard.Card]
	change func(costs []int64)
}

func (c tables) Tabulate(p class.Problem[record]) ([]int64, error) {
	costs, err := c.Tabular.Tabulate(p)
	if err == nil {
		c.change(costs)
	}
	return costs, err
}

func TestTreeSuiteFails(t *testing.T) {
	c := labellingtest.Fixed()["signs, the domain twice"]
	var p class.Problem[record]
	for i, x := range c.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	for what, change := range map[string]func(costs []int64){
		"a cost too low":  func(costs []int64) { costs[2]-- },
		"a cost too high": func(costs []int64) { costs[0]++ },
		"another order":   slices.Reverse[[]int64],
	} {
		wrong, err := tabulated.New(tables{c.Class.(class.Tabular[record, scorecard.Card]), change})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(what, mustfail.Run(t, func(r *mustfail.Recorder) {
			classtest.Tree(r, labellingtest.Case{Class: wrong, Domain: c.Domain}, p, classtest.FromSeed(1))
		}))
	}
}

func TestVerify(t *testing.T) {
	ctx := context.Background()
	for seed := range 100 {
		draw := classtest.FromSeed(seed)
		all := scorecardtest.Random(draw, 300)
		c := labellingtest.Labelled(all, all.Domain[:1])
		p := c.Random(draw)
		s := searchtest.Certified(t, c.Class, p)
		of := class.Class[record, scorecard.Card](c.Class)
		if err := search.Verify(ctx, of, p, s); err != nil {
			t.Errorf("%v, %v: %v", c.Class, p, err)
		}
		good := s
		for q := range all.Class.All() {
			if s = good; !c.Class.Contains(q) {
				s.Hypothesis = q
				if err := search.Verify(ctx, of, p, s); !errors.Is(err, search.ErrCertificate) {
					t.Errorf("%v, %v: Verify accepted %v, which is not a representative: %v", c.Class, p, q, err)
				}
			}
		}
		s = good
		s.Cost--
		s.Certificate.Cost--
		if err := search.Verify(ctx, of, p, s); !errors.Is(err, search.ErrCertificate) {
			t.Errorf("%v, %v: Verify accepted a claimed cost below the minimum: %v", c.Class, p, err)
		}
	}
}

func TestPenaltiesBeyondTheRange(t *testing.T) {
	c, err := labelling.New(thresholds(), []float64{0.3001, 0.31}) // no step of 2^-5 lies between
	if err != nil {
		t.Fatal(err)
	}
	classtest.Penalties(t, c)
}
