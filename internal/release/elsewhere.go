package release

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/noise"
)

// An Elsewhere samples a hypothesis on the machines (workers) on which the rows are stored.
type Elsewhere interface {
	// Open opens the data on the other machines, runs the steps of the mechanism there, and returns the size
	// of the data. An error is a Refusal of malformed data; any other error is only written to the log.
	Open(ctx context.Context, description json.RawMessage, coins noise.Coins) (Extent, error)

	// Draw returns the hypothesis that the workers' steps have sampled, or
	// mechanism.ErrNoHypothesis.
	Draw(space model.Space, coins noise.Coins) (any, error)
}

// errStepsFailed replaces every error of the workers except a Refusal, because the message of another error may
// reveal private data.
var errStepsFailed = Withheld{"nothing was released: not all parts were solved after the data was opened, and the cause is not shown, because it may reveal private data (--private-log stores it)"}

// A Refusal is the error of workers that refuse malformed data. Its sentence is shown to the user.
type Refusal struct{ Sentence string }

func (r Refusal) Error() string { return r.Sentence }

// Learner returns the mechanism that samples the hypothesis from examples, or nil if the mechanism of the release
// samples from counts or from records.
func (p *Prepared) Learner() mechanism.Learner { return p.made.Learner }

// ReleaseElsewhere releases a model whose hypothesis is sampled by workers on other machines (see Elsewhere).
func (p *Prepared) ReleaseElsewhere(ctx context.Context, t Terms, e Elsewhere) (*model.Model, error) {
	if !p.Risks.IsZero() {
		return nil, parameter.Errorf("{risk} must be 0: risks need the counts of the whole table, but the parts of the table are processed separately")
	}
	description, err := p.describe()
	if err != nil {
		return nil, err
	}
	random := coins(p.request.Seed)
	open := func(ctx context.Context) (Extent, func(), error) {
		d, err := e.Open(ctx, description, random)
		switch {
		case err == nil || errors.As(err, new(Refusal)):
			return d, nil, err
		case ctx.Err() != nil:
			return d, nil, ctx.Err()
		}
		t.Log.tell("failed: %v", err)
		return d, nil, errStepsFailed
	}
	return takeModel(ctx, p, "data that others read", t, open, func(context.Context, Extent) (*model.Model, error) {
		h, err := e.Draw(p.setting.Space, random)
		return p.model(h), err
	})
}
