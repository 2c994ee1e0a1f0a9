package release

import (
	"context"
	"errors"

	"github.com/sibyl-dp/sibyl/mechanism"
	"github.com/sibyl-dp/sibyl/model"
)

// solvedExtent is the extent of the data.
type solvedExtent struct{ *mechanism.PartsSolved }

func (s solvedExtent) Weight() int64 { return 1 }
func (s solvedExtent) Rows() int64   { return s.PartsSolved.Rows }
func (s solvedExtent) Nulls() int64  { return s.PartsSolved.Nulls }

// errPartsFailed stands for all errors of who solves parts but refusals of ill-formed data.
var errPartsFailed = Withheld{"nothing was released: the parts were not all solved after the data was opened, and why is private (--private-log keeps it)"}

// A PartsRefusal is an error of who solves parts that refuses ill-formed data, in one sentence.
type PartsRefusal struct{ Sentence string }

func (r PartsRefusal) Error() string { return r.Sentence }

// ReleaseParts releases a model by prsma whose parts others solve, by a PartsSolver of the task,
// and which is the one that Release releases of the same rows with the same coins. Who solves
// them opens the data, and returns a PartsRefusal or an error that is told to the log alone.
func (p *Prepared) ReleaseParts(ctx context.Context, t Terms, solve func(context.Context, mechanism.PartsTask) (*mechanism.PartsSolved, error)) (*model.Model, error) {
	switch {
	case p.made.Parts == nil:
		return nil, errors.New("only parts of --mechanism prsma can be solved where the rows lie")
	case !p.Risks.IsZero():
		return nil, errors.New("risks are counts of all rows, which are not brought together here; take --risk 0")
	}
	description, err := p.describe()
	if err != nil {
		return nil, err
	}
	random := coins(p.request.Seed)
	open := func(ctx context.Context) (solved solvedExtent, done func(), err error) {
		solved.PartsSolved, err = solve(ctx, mechanism.NewPartsTask(description, p.made.Parts, random))
		switch {
		case err == nil || errors.As(err, new(PartsRefusal)):
			return solved, nil, err
		case ctx.Err() != nil:
			return solved, nil, ctx.Err()
		}
		t.Log.tell("failed: %v", err)
		return solved, nil, errPartsFailed
	}
	return takeModel(ctx, p, nil, t, open, func(_ context.Context, solved solvedExtent) (*model.Model, error) {
		h, err := solved.Choose(p.made.Parts, p.setting.Space, random)
		return p.model(h), err
	})
}
