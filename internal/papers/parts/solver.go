package parts

import (
	"context"
	"encoding/json"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/internal/papers/robust"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
)

// A Solver takes the steps of prsma for a task. Each is a function of its arguments and of
// the task's coins, however often it is taken.
type Solver struct {
	Schema *table.Schema

	task  Task
	space model.Space
	prsma *mechanisms.Partitioned
}

// Solver returns who takes the steps.
func (t Task) Solver() (*Solver, error) {
	m, _, err := model.ReadDescription(t.Description)
	if err != nil {
		return nil, err
	}
	prsma, space, err := mechanisms.PartitionedIn(m)
	if err != nil {
		return nil, err
	}
	return &Solver{m.Schema, t, space, prsma}, nil
}

// Rows is how many rows the data must have.
func (s *Solver) Rows() int64 { return s.prsma.Plan().Rows }

// Parts is how many parts there are.
func (s *Solver) Parts() int { return s.prsma.Plan().Parts }

// Groups is how many groups of records there are.
func (s *Solver) Groups() int { return s.prsma.Grouping.Groups }

// Group is that of a record with an outcome.
func (s *Solver) Group(r table.Record, outcome int) int {
	return s.prsma.Grouping.Of(r, outcome == 1)
}

// Divide draws how many rows of each group fall into each part, and last are discarded, given
// how many rows the records of each group have. It fails where these are more than Rows.
func (s *Solver) Divide(totals []int64) ([][]int64, error) {
	return s.prsma.Divide(totals, noise.Keyed(s.task.Division))
}

// Deal draws which rows of a group, a table of its records, fall into each part, given how many.
// What it returns last is discarded.
func (s *Solver) Deal(group int, of *table.Table, sizes []int64) [][]learn.Example[table.Record] {
	return robust.Deal(learn.Examples(of), sizes, noise.Keyed(s.task.Groups[group]))
}

// Solve returns the answer of a part, a table of the records that were dealt to it, and whether it
// passed. Its error is the context's.
func (s *Solver) Solve(ctx context.Context, part int, of *table.Table) (answer json.RawMessage, passed bool, err error) {
	a, err := s.prsma.Try(ctx, learn.Examples(of), noise.Keyed(s.task.Parts[part]))
	if err != nil || !a.OK {
		return nil, false, err
	}
	return model.WriteHypothesis(s.space, a.Hypothesis), true, nil
}
