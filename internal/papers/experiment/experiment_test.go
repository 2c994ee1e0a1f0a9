package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/experiment"
	"github.com/sibyl-dp/sibyl/privacy"
)

// coin returns an instance of eight rows with one bit. The label equals the bit in seven rows.
func coin() *experiment.Instance {
	return &experiment.Instance{Name: "coin", Sizes: []int{2}, Rows: 8, Examples: []learn.Example[[]uint16]{
		{X: []uint16{0}, Count: 4}, {X: []uint16{1}, Label: true, Count: 3}, {X: []uint16{1}, Count: 1}}}
}

// constant returns the method that always predicts the given label and does not depend on ε.
func constant(name string, label bool) experiment.Method {
	return experiment.Method{Name: name, Promise: "pure", Learn: func(*experiment.Instance, privacy.Decimal) (experiment.Trial, error) {
		return func(context.Context) (experiment.Predictor, error) {
			return func([]uint16) bool { return label }, nil
		}, nil
	}}
}

func plan(methods ...experiment.Method) *experiment.Plan {
	return &experiment.Plan{
		Instances: []*experiment.Instance{coin()}, Methods: methods,
		Epsilons: []string{"0.1", "1"}, Repetitions: 3, Workers: 2,
	}
}

func TestRun(t *testing.T) {
	p := plan(constant("yes", true), constant("no", false), experiment.ExponentialMethod("cards", -1, 1, privacy.ReplaceOne), experiment.Optimum("best", -1, 1))
	told := 0
	p.Progress = func(done, of int) {
		if told++; done != told || of != 19 {
			t.Errorf("progress %d of %d after %d reported trials", done, of, told)
		}
	}
	results, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if told != 19 || len(results) != 19 {
		t.Errorf("%d results, but %d were reported", len(results), told)
	}
	summaries := experiment.Summarise(results)
	got := map[string]float64{}
	for _, s := range summaries {
		got[s.Method+" "+s.Epsilon] = s.Mean
		if s.Epsilon != "" && s.Trials != 3 {
			t.Errorf("%s at ε = %s: %d trials", s.Method, s.Epsilon, s.Trials)
		}
	}
	for name, want := range map[string]float64{"yes 0.1": 3. / 8, "yes 1": 3. / 8, "no 1": 5. / 8, "best ": 7. / 8} {
		if d := got[name] - want; d > 1e-9 || d < -1e-9 {
			t.Errorf("%s: accuracy %g; want %g", name, got[name], want)
		}
	}
	rows := experiment.Table("coin", p.Epsilons, summaries)
	if want := []string{"best", "NOT PRIVATE", "0.8750", "0.8750"}; !slices.Equal(rows[4], want) {
		t.Errorf("row %q; want %q", rows[4], want)
	}
	var text bytes.Buffer
	if err := experiment.WriteCSV(&text, summaries); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(text.String(), "\n"); lines != 8 || !strings.Contains(text.String(), "coin,no,pure,0.1,3,0.62500,0.00000,") {
		t.Errorf("%s", &text)
	}
}

func TestTrialsRoundTrip(t *testing.T) {
	results, err := plan(constant("yes, always", true), experiment.Optimum("best", -1, 1)).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := experiment.WriteTrials(&text, results); err != nil {
		t.Fatal(err)
	}
	got, err := experiment.ReadTrials(bytes.NewReader(text.Bytes()))
	if err != nil || !slices.Equal(got, results) {
		t.Errorf("got %v, %v; want %v", got, err, results)
	}
	for _, wrong := range []string{
		"", "a,b\n", strings.Replace(text.String(), "accuracy", "error", 1), strings.Replace(text.String(), ",0.375,", ",much,", 1),
		strings.Replace(text.String(), ",0.375,0", ",0.375,x", 1),
	} {
		if got, err := experiment.ReadTrials(strings.NewReader(wrong)); err == nil {
			t.Errorf("the invalid text %q was read as %v", wrong, got)
		}
	}
}

func TestRunFails(t *testing.T) {
	broken := constant("broken", true)
	oops := errors.New("oops")
	broken.Learn = func(*experiment.Instance, privacy.Decimal) (experiment.Trial, error) {
		return func(context.Context) (experiment.Predictor, error) { return nil, oops }, nil
	}
	if _, err := plan(constant("yes", true), broken).Run(context.Background()); !errors.Is(err, oops) || !strings.Contains(fmt.Sprint(err), "broken on coin at ε = ") {
		t.Errorf("error %v", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := plan(constant("yes", true)).Run(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A panic in a trial reaches the caller, who can recover from it.
func TestPanicsOfTrials(t *testing.T) {
	for faulty := range 12 { // two methods, two values of ε and three repetitions
		var begun atomic.Int64
		m := constant("faulty", true)
		m.Learn = func(*experiment.Instance, privacy.Decimal) (experiment.Trial, error) {
			return func(context.Context) (experiment.Predictor, error) {
				if int(begun.Add(1)) == faulty+1 {
					panic("secret")
				}
				return func([]uint16) bool { return true }, nil
			}, nil
		}
		func() {
			defer func() {
				if p := recover(); p != "secret" {
					t.Errorf("trial %d panicked, but the caller recovered %v", faulty, p)
				}
			}()
			plan(m, m).Run(context.Background())
		}()
	}
}
