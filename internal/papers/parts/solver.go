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

// A Solver executes the steps of PRSMA for a task. The result of a step is determined by its arguments and the task,
// so a worker that repeats the step obtains the same result.
type Solver struct {
	Schema *table.Schema

	task  Task
	space model.Space
	prsma *mechanisms.Partitioned
}

// Solver returns a Solver for the task t. It returns an error if the description in t is malformed or its mechanism
// is not PRSMA.
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

// Rows returns the number of rows that the data must have.
func (s *Solver) Rows() int64 { return s.prsma.Plan().Rows }

// Parts returns the number of parts into which PRSMA divides the rows.
func (s *Solver) Parts() int { return s.prsma.Plan().Parts }

// Groups returns the number of groups into which PRSMA divides the records to distribute them among workers.
func (s *Solver) Groups() int { return s.prsma.Grouping.Groups }

// Group returns the group, 0..Groups-1, of the record r. The parameter outcome is the record's label.
func (s *Solver) Group(r table.Record, outcome int) int {
	return s.prsma.Grouping.Of(r, outcome == 1)
}

// PartSizes divides the rows of each group at random: it samples how many rows of the group each part receives, and
// how many are discarded. The slice totals holds the number of rows of each group. Results and errors are those of
// robust.PRSMA.PartSizes: it fails if the sum of totals exceeds Rows.
func (s *Solver) PartSizes(totals []int64) ([][]int64, error) {
	return s.prsma.PartSizes(totals, noise.Keyed(s.task.Division))
}

// AssignRows samples which rows of the given group each part receives. The table rows holds the group's records, and
// sizes is the group's entry in the result of PartSizes. As in robust.AssignRows, the result has one list for each
// part, followed by the list of rows to discard.
func (s *Solver) AssignRows(group int, rows *table.Table, sizes []int64) [][]learn.Example[table.Record] {
	return robust.AssignRows(learn.Examples(rows), sizes, noise.Keyed(s.task.Groups[group]))
}

// Solve runs the base mechanism on the given part. The table rows holds the records that AssignRows assigned to the
// part. If no run fails, the part passes, and Solve returns its answer as JSON. The only possible error is that of
// the context.
func (s *Solver) Solve(ctx context.Context, part int, rows *table.Table) (answer json.RawMessage, passed bool, err error) {
	a, err := s.prsma.Try(ctx, learn.Examples(rows), noise.Keyed(s.task.Parts[part]))
	if err != nil || !a.OK {
		return nil, false, err
	}
	return model.WriteHypothesis(s.space, a.Hypothesis), true, nil
}
