package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/sibyl-dp/sibyl/internal/parallel"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Tables compares methods of learning on public tables. It learns models from 70% of the rows, or fewer if Train is
// set, with the code of the command sibyl learn, and tests them on the other rows. Its results are not private.
type Tables struct {
	Runs
	Methods  []string // Chosen, or names in the notation of release.Request.Name; methods that need a δ are skipped if Delta is 0
	Unstated bool     // whether the methods do not get the number of rows
	Seed     uint64   // the seed of the split
	Train    int      // the maximum number of training rows; 0 means 70% of the rows

	// Tell receives the result of each method on each table at each ε.
	Tell func(Trials)
}

// Chosen is the name of the method that selects the class and the mechanism automatically, by release.Request.Choose.
const Chosen = "chosen"

// Trials holds the results of one method on one table with one ε.
type Trials struct {
	Table    string `json:"table"`
	Rows     int64  `json:"rows"` // the number of training rows
	Method   string `json:"method"`
	Class    string `json:"class,omitempty"` // for Chosen, the chosen class
	Epsilon  string `json:"epsilon"`
	Delta    string `json:"delta"`
	Relation string `json:"relation"`

	Draws         int      `json:"draws"`
	Accuracy      *float64 `json:"accuracy,omitempty"`          // the mean over the draws; nil if no rows are held out
	AccuracyError *float64 `json:"accuracy_error,omitempty"`    // the standard error of Accuracy
	Area          *float64 `json:"auc,omitempty"`               // the mean area under the ROC curve
	AreaError     *float64 `json:"auc_error,omitempty"`         // the standard error of Area
	Seconds       float64  `json:"seconds"`                     // the mean time of a draw
	Slowest       float64  `json:"seconds_slowest"`             // the maximum time of a draw
	Processor     float64  `json:"seconds_processor,omitempty"` // the maximum processor time of a draw; 0 if unknown
	Bytes         uint64   `json:"bytes"`                       // the maximum memory of the process, sampled periodically

	Left string `json:"left_out,omitempty"` // the reason if there are fewer draws than requested
}

// errLimit is returned for a release that took longer than Runs.Limit.
var errLimit = errors.New("a draw took longer than the limit")

// On learns models from training rows of the table s by all methods, and tests the models on the other rows.
func (p *Tables) On(ctx context.Context, s *Sample) error {
	train, test := split(s, p.Seed, p.Train)
	for _, epsilon := range p.Epsilons {
		for _, method := range p.Methods {
			t, err := p.try(ctx, s, train, test, method, epsilon)
			if err != nil {
				return err
			}
			p.Tell(*t)
		}
	}
	return nil
}

// try runs one method with the given epsilon as often as Draws says. Each time it learns a model from train and tests
// it on test. If the method fails, for example because it does not support the table or the guarantee, the field Left
// of the result states the reason.
func (p *Tables) try(ctx context.Context, s *Sample, train, test *table.Table, method string, epsilon privacy.Decimal) (*Trials, error) {
	t := &Trials{Table: s.Name, Rows: train.Rows(), Method: method, Epsilon: epsilon.String(), Delta: p.Delta.String(), Relation: p.Relation.String()}
	r := release.Request{Schema: s.Schema, Epsilon: epsilon, Delta: p.Delta, Relation: p.Relation, Rows: train.Rows()}
	if p.Unstated {
		r.Rows = 0
	}
	prepared, err := p.prepare(r, t)
	if err != nil && !p.Delta.IsZero() { // for mechanisms whose guarantee is pure
		r.Delta, t.Delta = privacy.Decimal{}, "0"
		prepared, err = p.prepare(r, t)
	}
	if err != nil {
		t.Left = err.Error()
		return t, nil
	}
	var accuracy, area []float64
	for range p.Draws {
		d, err := p.draw(ctx, prepared, train, test)
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		t.Seconds, t.Slowest = t.Seconds+d.seconds, max(t.Slowest, d.seconds)
		t.Processor, t.Bytes = max(t.Processor, d.processor), max(t.Bytes, d.held)
		if err != nil {
			t.Left = err.Error()
			break
		}
		t.Draws++
		if test.Rows() > 0 {
			accuracy, area = append(accuracy, d.accuracy), append(area, d.area)
		}
	}
	t.Seconds /= float64(max(t.Draws, 1))
	t.Accuracy, t.AccuracyError = meanOf(accuracy)
	t.Area, t.AreaError = meanOf(area)
	return t, nil
}

// prepare prepares a release by the method t.Method, with the other parameters of r. If the method is Chosen, it
// stores the class that was chosen in t.Class.
func (p *Tables) prepare(r release.Request, t *Trials) (*release.Prepared, error) {
	if t.Method != Chosen {
		if err := r.Name(t.Method); err != nil {
			return nil, err
		}
		return r.Prepare()
	}
	choice, err := r.Choose()
	if err != nil {
		return nil, err
	}
	t.Class = choice.Taken().Class
	return r.Prepare()
}

// A drawn holds the score of a released model, and the time and memory that the release took.
type drawn struct {
	score
	seconds, processor float64
	held               uint64 // the maximum memory in bytes
}

// draw releases a model once and tests it.
func (p *Tables) draw(ctx context.Context, prepared *release.Prepared, train, test *table.Table) (d drawn, err error) {
	limited, end := context.WithTimeoutCause(ctx, p.Limit, errLimit)
	defer end()
	debug.FreeOSMemory()
	stop := watchMemory(&d.held)
	start, before := time.Now(), processorTime()
	m, err := prepared.Release(limited, release.Coded{Of: train}, release.Terms{})
	d.seconds, d.processor = time.Since(start).Seconds(), (processorTime() - before).Seconds()
	stop()
	if err != nil {
		if cause := context.Cause(limited); cause != nil {
			err = cause
		}
		return d, err
	}
	d.score, err = tested(m, test)
	return d, err
}

// watchMemory measures the memory of the process every 5 milliseconds, until the returned function stop is called. It
// stores the maximum, in bytes, in *most.
func watchMemory(most *uint64) (stop func()) {
	done := make(chan struct{})
	var group parallel.Group
	group.Go(func() {
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(sample)
			*most = max(*most, sample[0].Value.Uint64()-sample[1].Value.Uint64())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() { close(done); group.Wait() }
}

// meanOf returns the mean of the values and its standard error. The mean is nil if there are no values, and the
// standard error is nil if there are fewer than two.
func meanOf(values []float64) (mean, err *float64) {
	if len(values) == 0 {
		return nil, nil
	}
	n, sum, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	m := sum / n
	for _, v := range values {
		squares += (v - m) * (v - m)
	}
	if len(values) == 1 {
		return &m, nil
	}
	e := math.Sqrt(squares / (n - 1) / n)
	return &m, &e
}

// Line returns the results as a row of a text table with the columns TrialColumns.
func (t Trials) Line() []string {
	method := t.Method
	if t.Class != "" {
		method += ": " + t.Class
	}
	share := func(mean, err *float64) string {
		switch {
		case mean == nil:
			return ""
		case err == nil:
			return fmt.Sprintf("%.4f", *mean)
		}
		return fmt.Sprintf("%.4f ±%.4f", *mean, *err)
	}
	return []string{
		t.Table, t.Epsilon, method, share(t.Accuracy, t.AccuracyError), share(t.Area, t.AreaError),
		fmt.Sprintf("%.3f", t.Seconds), fmt.Sprintf("%.3f", t.Slowest), fmt.Sprintf("%.3f", t.Processor), fmt.Sprint(t.Bytes >> 20), t.Left,
	}
}

// TrialColumns returns the header of the rows of Trials.Line.
func TrialColumns() []string {
	return []string{"table", "ε", "method", "accuracy", "AUC", "seconds", "slowest", "processor", "MiB", "left out"}
}
