// Package parts releases models by PRSMA with the steps of the mechanism executed elsewhere, by
// workers near the stored rows such as Apache Beam pipelines. With the same coins the released
// hypothesis is the same as that of a release of the same rows in memory.
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

// A Task is the input of the workers: the public description of the release, and the keys of its
// random sources, which are as private as the data. A step that is repeated uses the same
// randomness.
type Task struct {
	Description json.RawMessage
	Division    noise.Key   // for Divide
	Groups      []noise.Key // for Deal, one for each group of records
	Parts       []noise.Key // for Solve, one for each part
}

// Solved holds the results of the workers, which are as private as the data.
type Solved struct {
	Rows, Nulls int64                   // the numbers of rows and of null rows of the data
	Tried       int                     // the number of parts that were tried: all, or 0 if the number of rows is not the stated one
	Passed      map[int]json.RawMessage // the hypotheses of the parts that passed, by part
}

// newTask samples the keys, in the order of the steps.
func newTask(description json.RawMessage, m *mechanisms.Partitioned, random noise.Coins) Task {
	t := Task{description, noise.NewKey(random), make([]noise.Key, m.Grouping.Groups), make([]noise.Key, m.Plan().Parts)}
	for _, keys := range [][]noise.Key{t.Groups, t.Parts} {
		for i := range keys {
			keys[i] = noise.NewKey(random)
		}
	}
	return t
}

// read decodes the answers of all parts. It fails if not all parts were tried.
func (p *Solved) read(parts int, s model.Space) ([]robust.Answer[any], error) {
	if p.Tried != parts {
		return nil, fmt.Errorf("only %d of %d parts were tried", p.Tried, parts)
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

// A draw lets solve execute the steps of the workers, and then samples the hypothesis from their
// answers. It implements the interface of release.Prepared.ReleaseElsewhere.
type draw struct {
	of     *mechanisms.Partitioned
	solve  func(context.Context, Task) (*Solved, error)
	solved *Solved
}

// extent is the release.Extent of the data.
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

// Release releases a model by PRSMA. It calls solve, which opens the data and executes the steps of
// the task by Task.Solver. An error of solve must be a release.Refusal, or it is written to the
// private log only. With the same coins, the model is the one that p.Release releases for the same
// rows. Release fails if the mechanism of p is not PRSMA.
func Release(ctx context.Context, p *release.Prepared, t release.Terms, solve func(context.Context, Task) (*Solved, error)) (*model.Model, error) {
	of := mechanisms.PartitionedOf(p.Learner())
	if of == nil {
		return nil, errors.New("workers can release by prsma only; set --mechanism prsma")
	}
	return p.ReleaseElsewhere(ctx, t, &draw{of: of, solve: solve})
}
