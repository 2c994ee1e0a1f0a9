package mechanism

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A partAnswer is the answer of a part.
type partAnswer = learn.Answer[any]

// A PartsTask is what they are told who take the steps of prsma where the rows lie: all that is
// public of the release, and the keys of its coins, which are as private as the data. Whoever
// takes a step again takes it with the same coins.
type PartsTask struct {
	Description json.RawMessage
	Division    noise.Key
	Groups      []noise.Key // of each group of records
	Parts       []noise.Key
}

// PartsSolved is what came of the steps, which is as private as the data.
type PartsSolved struct {
	Rows, Nulls int64                   // of the data
	Tried       int                     // parts: all, or none where the rows are not as many as were stated
	Passed      map[int]json.RawMessage // the answers of those parts that passed
}

// NewPartsTask draws the keys, in the order of the steps.
func NewPartsTask(description json.RawMessage, m *prsma, random noise.Coins) PartsTask {
	t := PartsTask{description, noise.NewKey(random), make([]noise.Key, m.Grouping.Groups), make([]noise.Key, m.Plan().Parts)}
	for _, keys := range [][]noise.Key{t.Groups, t.Parts} {
		for i := range keys {
			keys[i] = noise.NewKey(random)
		}
	}
	return t
}

// Choose returns the hypothesis that is released of the answers, or ErrNoHypothesis.
func (p *PartsSolved) Choose(m *prsma, s model.Space, random noise.Coins) (any, error) {
	answers, err := p.read(m.Plan().Parts, s)
	if err != nil {
		return nil, err
	}
	return answered(m.Combine(answers, random))
}

// read reads the answers of all parts.
func (p *PartsSolved) read(parts int, s model.Space) ([]partAnswer, error) {
	if p.Tried != parts {
		return nil, fmt.Errorf("%d of %d parts were tried", p.Tried, parts)
	}
	answers := make([]partAnswer, parts)
	for i, text := range p.Passed {
		h, err := model.ReadHypothesis(s, text)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		answers[i] = partAnswer{Hypothesis: h, OK: true}
	}
	return answers, nil
}

// A PartsSolver takes the steps of prsma for a task. Each is a function of its arguments and of
// the task's coins, however often it is taken.
type PartsSolver struct {
	Schema *table.Schema

	task  PartsTask
	space model.Space
	prsma *prsma
}

// Solver returns who takes the steps.
func (t PartsTask) Solver() (*PartsSolver, error) {
	m, _, err := model.ReadDescription(t.Description)
	if err != nil {
		return nil, err
	}
	if m.Mechanism.Name != prsmaName {
		return nil, fmt.Errorf("the mechanism %s has no parts", quote.Word(m.Mechanism.Name))
	}
	var j prsmaJSON
	if err := Decode(m.Mechanism.Parameters, &j); err != nil {
		return nil, err
	}
	space, err := m.Over()
	if err != nil {
		return nil, err
	}
	o, err := NewOracle(j.Oracle, space)
	if err != nil {
		return nil, err
	}
	made, err := j.Over(o, &Setting{Schema: m.Schema, Form: m.Form, Space: space, Relation: privacy.ReplaceOne})
	if err != nil {
		return nil, err
	}
	return &PartsSolver{m.Schema, t, space, made.Parts}, nil
}

// Rows is how many rows the data must have.
func (s *PartsSolver) Rows() int64 { return s.prsma.Plan().Rows }

// Parts is how many parts there are.
func (s *PartsSolver) Parts() int { return s.prsma.Plan().Parts }

// Groups is how many groups of records there are.
func (s *PartsSolver) Groups() int { return s.prsma.Grouping.Groups }

// Group is that of a record with an outcome.
func (s *PartsSolver) Group(r table.Record, outcome int) int {
	return s.prsma.Grouping.Of(r, outcome == 1)
}

// Divide draws how many rows of each group fall into each part, and last are discarded, given
// how many rows the records of each group have. It fails where these are more than Rows.
func (s *PartsSolver) Divide(totals []int64) ([][]int64, error) {
	return s.prsma.Divide(totals, noise.Keyed(s.task.Division))
}

// Deal draws which rows of a group, a table of its records, fall into each part, given how many.
// What it returns last is discarded.
func (s *PartsSolver) Deal(group int, of *table.Table, sizes []int64) [][]learn.Example[table.Record] {
	return learn.Deal(learn.Examples(of), sizes, noise.Keyed(s.task.Groups[group]))
}

// Solve returns the answer of a part, a table of the records that were dealt to it, and whether it
// passed. Its error is the context's.
func (s *PartsSolver) Solve(ctx context.Context, part int, of *table.Table) (answer json.RawMessage, passed bool, err error) {
	a, err := s.prsma.Try(ctx, learn.Examples(of), noise.Keyed(s.task.Parts[part]))
	if err != nil || !a.OK {
		return nil, false, err
	}
	answer, err = model.WriteHypothesis(s.space, a.Hypothesis)
	return answer, err == nil, err
}
