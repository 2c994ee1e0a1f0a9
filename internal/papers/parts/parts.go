// Package parts releases models by PRSMA on several machines: workers near the stored rows execute the steps of the
// mechanism, for example in an Apache Beam pipeline. With the same coins and rows, the released hypothesis is the same
// as that of a release in memory.
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

// A Task is the input of the workers that execute a distributed release by PRSMA. It consists of the public
// description of the release, and of a random key for each step. The randomness of a step is a function of its key,
// so a worker that repeats the step uses the same randomness. The keys are as private as the data.
type Task struct {
	Description json.RawMessage
	Division    noise.Key   // the key for Solver.PartSizes
	Groups      []noise.Key // the keys for Solver.AssignRows, one for each group of records
	Parts       []noise.Key // the keys for Solver.Solve, one for each part
}

// Solved holds the results of the workers, which are as private as the data.
type Solved struct {
	Rows, Nulls int64                   // the number of rows and the number of null rows of the data
	Tried       int                     // the number of parts that were tried: all parts, or 0 if the number of rows differs from the stated one
	Passed      map[int]json.RawMessage // for each part that passed, its hypothesis; the keys are the indices of parts
}

// newTask returns the task of a release by the mechanism m, with the given description of the release. It samples the
// keys in the order in which the steps of the release use them.
func newTask(description json.RawMessage, m *mechanisms.Partitioned, random noise.Coins) Task {
	t := Task{description, noise.NewKey(random), make([]noise.Key, m.Grouping.Groups), make([]noise.Key, m.Plan().Parts)}
	for _, keys := range [][]noise.Key{t.Groups, t.Parts} {
		for i := range keys {
			keys[i] = noise.NewKey(random)
		}
	}
	return t
}

// read decodes the answers of all parts. It returns an error if the workers did not run the mechanism on all parts.
func (p *Solved) read(parts int, s model.Space) ([]robust.Answer[any], error) {
	if p.Tried != parts {
		return nil, fmt.Errorf("the answers are incomplete: the workers tried only %d of the %d parts", p.Tried, parts)
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

// A draw executes the steps of a release on workers. It is the argument of release.Prepared.ReleaseElsewhere. Its
// method Open calls solve, which makes the workers execute their steps, and its method Draw samples the released
// hypothesis from the answers of the parts.
type draw struct {
	of     *mechanisms.Partitioned
	solve  func(context.Context, Task) (*Solved, error)
	solved *Solved
}

// extent implements release.Extent by the numbers of rows that the workers read.
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

// Release releases a model by PRSMA. It calls the function solve, which opens the data and executes the steps of the
// task with Task.Solver. For the same coins and rows, the model is the one that p.Release releases.
//
// Release returns an error if the mechanism of p is not PRSMA. It returns an error of solve only if this is a
// release.Refusal, since other errors can reveal private data: it writes any other error to the private log, and
// returns the context's error or a fixed error instead.
func Release(ctx context.Context, p *release.Prepared, t release.Terms, solve func(context.Context, Task) (*Solved, error)) (*model.Model, error) {
	of := mechanisms.PartitionedOf(p.Learner())
	if of == nil {
		return nil, errors.New("workers support only the mechanism prsma; set --mechanism prsma")
	}
	return p.ReleaseElsewhere(ctx, t, &draw{of: of, solve: solve})
}
