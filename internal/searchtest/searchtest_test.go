package searchtest_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard/scorecardtest"
	"github.com/sibyl-dp/sibyl/internal/searchtest"
	"github.com/sibyl-dp/sibyl/internal/testing/mustfail"
)

type (
	record  = []uint16
	problem = class.Problem[record]
)

// A broken class is a good one whose checkers went through a change.
type broken struct {
	class.Enumerable[record, scorecard.Card]
	change func(class.Checker) class.Checker
}

func (b broken) Checker(p problem, plan []int) (class.Checker, error) {
	k, err := b.Enumerable.Checker(p, plan)
	if err != nil {
		return nil, err
	}
	return b.change(k), nil
}

// off is a checker whose bounds are off by some cost.
type off struct {
	class.Checker
	by int64
}

func (k off) Bound() int64 { return k.Checker.Bound() + k.by }

// leafless is a checker that ends two children too early.
type leafless struct{ class.Checker }

func (k leafless) Children() int { return max(0, k.Checker.Children()-2) }

func TestSuiteFails(t *testing.T) {
	good := scorecardtest.Fixed()["at most one"]
	p := problem{}
	for i, x := range good.Domain {
		p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(i * i % 7), int64(i * 3 % 5)}})
	}
	if refused, _ := searchtest.Certificates(t, good, p); refused == 0 {
		t.Error("no change is refused")
	}
	for name, change := range map[string]func(class.Checker) class.Checker{
		"bounds too high":  func(k class.Checker) class.Checker { return off{k, 1} },
		"bounds too low":   func(k class.Checker) class.Checker { return off{k, -1} },
		"children missing": func(k class.Checker) class.Checker { return leafless{k} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Log(mustfail.Run(t, func(r *mustfail.Recorder) {
				searchtest.Certificates(r, classtest.Case[record, scorecard.Card]{Class: broken{good.Class, change}, Domain: good.Domain}, p)
			}))
		})
	}
}
