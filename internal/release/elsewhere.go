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

// An Elsewhere draws a hypothesis by steps that others take where the rows lie.
type Elsewhere interface {
	// Open has the steps taken, which opens the data, and tells how large it is. An error is
	// a Refusal of ill-formed data, or told to the log alone.
	Open(ctx context.Context, description json.RawMessage, coins noise.Coins) (Extent, error)

	// Draw returns the hypothesis that comes of the steps, or mechanism.ErrNoHypothesis.
	Draw(space model.Space, coins noise.Coins) (any, error)
}

// errStepsFailed stands for all errors of who takes the steps but refusals of ill-formed data.
var errStepsFailed = Withheld{"nothing was released: the parts were not all solved after the data was opened, and why is private (--private-log keeps it)"}

// A Refusal is an error of who takes steps elsewhere that refuses ill-formed data, in one
// sentence.
type Refusal struct{ Sentence string }

func (r Refusal) Error() string { return r.Sentence }

// Learner is the mechanism that draws the hypothesis from examples; nil of one that draws from
// counts or records.
func (p *Prepared) Learner() mechanism.Learner { return p.made.Learner }

// ReleaseElsewhere releases a model whose hypothesis is drawn elsewhere.
func (p *Prepared) ReleaseElsewhere(ctx context.Context, t Terms, e Elsewhere) (*model.Model, error) {
	if !p.Risks.IsZero() {
		return nil, parameter.Errorf("risks are counts of all rows, which are not brought together here; take {risk} 0")
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
