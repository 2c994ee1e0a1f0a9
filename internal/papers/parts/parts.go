// Package parts releases models by prsma whose parts others solve where the rows lie, as
// pipelines of Apache Beam do: the same hypotheses as a release of the same rows in memory with
// the same coins.
package parts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/noise"
)

// A Task is what they are told who take the steps of prsma where the rows lie: all that is
// public of the release, and the keys of its coins, which are as private as the data. Whoever
// takes a step again takes it with the same coins.
type Task struct {
	Description json.RawMessage
	Division    noise.Key
	Groups      []noise.Key // of each group of records
	Parts       []noise.Key
}

// Solved is what came of the steps, which is as private as the data.
type Solved struct {
	Rows, Nulls int64                   // of the data
	Tried       int                     // parts: all, or none where the rows are not as many as were stated
	Passed      map[int]json.RawMessage // the answers of those parts that passed
}

// newTask draws the keys, in the order of the steps.
func newTask(description json.RawMessage, m *mechanisms.Partitioned, random noise.Coins) Task {
	t := Task{description, noise.NewKey(random), make([]noise.Key, m.Grouping.Groups), make([]noise.Key, m.Plan().Parts)}
	for _, keys := range [][]noise.Key{t.Groups, t.Parts} {
		for i := range keys {
			keys[i] = noise.NewKey(random)
		}
	}
	return t
}

// read reads the answers of all parts.
func (p *Solved) read(parts int, s model.Space) ([]robust.Answer[any], error) {
	if p.Tried != parts {
		return nil, fmt.Errorf("%d of %d parts were tried", p.Tried, parts)
	}
	answers := make([]robust.Answer[any], parts)
	for i, text := range p.Passed {
		h, err := model.ReadHypothesis(s, text)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		answers[i] = robust.Answer[any]{Hypothesis: h, OK: true}
	}
	return answers, nil
}

// A draw has the parts solved, and draws the hypothesis of their answers.
type draw struct {
	of     *mechanisms.Partitioned
	solve  func(context.Context, Task) (*Solved, error)
	solved *Solved
}

// extent is that of the data.
type extent struct{ *Solved }

func (e extent) Weight() int64 { return 1 }
func (e extent) Rows() int64   { return e.Solved.Rows }
func (e extent) Nulls() int64  { return e.Solved.Nulls }

func (d *draw) Open(ctx context.Context, description json.RawMessage, coins noise.Coins) (e release.Extent, err error) {
	d.solved, err = d.solve(ctx, newTask(description, d.of, coins))
	return extent{d.solved}, err
}

func (d *draw) Draw(s model.Space, coins noise.Coins) (any, error) {
	answers, err := d.solved.read(d.of.Plan().Parts, s)
	if err != nil {
		return nil, err
	}
	a := d.of.Combine(answers, coins)
	if !a.OK {
		return nil, mechanism.ErrNoHypothesis
	}
	return a.Hypothesis, nil
}

// Release releases a model by prsma whose parts others solve, by a Solver of the task: the one
// that p.Release releases of the same rows with the same coins. Who solves them opens the data,
// and returns a release.Refusal or an error that is told to the log alone.
func Release(ctx context.Context, p *release.Prepared, t release.Terms, solve func(context.Context, Task) (*Solved, error)) (*model.Model, error) {
	of := mechanisms.PartitionedOf(p.Learner())
	if of == nil {
		return nil, errors.New("only parts of --mechanism prsma can be solved where the rows lie")
	}
	return p.ReleaseElsewhere(ctx, t, &draw{of: of, solve: solve})
}
