package experiment

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Predictor returns the predicted label of a record, given as its category codes.
type Predictor func([]uint16) bool

// A Method learns a predictor from an instance with a given ε.
type Method struct {
	Name string
	// Promise describes the guarantee in a few words, such as "pure" or "NOT PRIVATE".
	Promise string
	// Constant reports whether the result does not depend on ε or randomness, so that one trial is
	// enough.
	Constant bool
	// Skips, if set, reports whether to skip an instance.
	Skips func(*Instance) bool
	// Learn returns the trial that learns a predictor from an instance with a given ε.
	Learn func(in *Instance, epsilon privacy.Decimal) (Trial, error)
}

// OneHotOnly returns a copy of the method m that skips instances whose attributes are binary digits, on which m
// would take too long.
func OneHotOnly(m Method) Method {
	m.Skips = func(in *Instance) bool { return in.Digits }
	return m
}

// A Trial runs a method once and returns the learned predictor.
type Trial func(ctx context.Context) (Predictor, error)

// A Result is the result of one trial. Accuracy is the fraction of the instance's rows that are predicted
// correctly.
type Result struct {
	Instance, Method, Promise, Epsilon string
	Accuracy                           float64
	Time                               time.Duration
}

// A Plan describes an experiment. It has Repetitions trials for each instance, method and ε.
type Plan struct {
	Instances   []*Instance
	Methods     []Method
	Epsilons    []string
	Repetitions int
	Workers     int
	// Progress, if set, is called after each trial with the number of finished trials and the number of
	// all trials.
	Progress func(done, of int)
}

// Run runs all trials of the plan in Workers goroutines. Trials of the same method, instance and ε run one after
// the other.
func (p *Plan) Run(ctx context.Context) ([]Result, error) {
	type cell struct {
		in      *Instance
		method  *Method
		epsilon string
		repeat  int
	}
	var cells []cell
	total := 0
	for _, in := range p.Instances {
		for i := range p.Methods {
			m := &p.Methods[i]
			if m.Skips != nil && m.Skips(in) {
				continue
			}
			if m.Constant {
				cells = append(cells, cell{in, m, "", 1})
				total++
				continue
			}
			for _, epsilon := range p.Epsilons {
				cells = append(cells, cell{in, m, epsilon, p.Repetitions})
				total += p.Repetitions
			}
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		mutex   sync.Mutex
		done    int
		results = make([][]Result, len(cells))
	)
	parallel.Do(ctx, max(p.Workers, 1), len(cells), func() func(int) {
		return func(at int) {
			c := cells[at]
			err := c.method.run(ctx, c.in, c.epsilon, c.repeat, func(r Result) {
				results[at] = append(results[at], r)
				mutex.Lock()
				defer mutex.Unlock()
				done++
				if p.Progress != nil {
					p.Progress(done, total)
				}
			})
			if err != nil {
				cancel(fmt.Errorf("%s on %s at ε = %s: %w", c.method.Name, c.in.Name, c.epsilon, err))
			}
		}
	})
	return slices.Concat(results...), context.Cause(ctx)
}

// run runs the given number of trials of the method, and passes each result to the function tell.
func (m *Method) run(ctx context.Context, in *Instance, epsilon string, repeat int, tell func(Result)) error {
	var e privacy.Decimal
	if !m.Constant {
		var err error
		if e, err = privacy.ParseDecimal(epsilon); err != nil {
			return err
		}
	}
	trial, err := m.Learn(in, e)
	if err != nil {
		return err
	}
	for range repeat {
		start := time.Now()
		predict, err := trial(ctx)
		if err != nil {
			return err
		}
		took := time.Since(start)
		tell(Result{in.Name, m.Name, m.Promise, epsilon, 1 - float64(in.errors(predict))/float64(in.Rows), took})
	}
	return nil
}
