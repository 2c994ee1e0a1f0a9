package synthetic

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/synth"
	"github.com/sibyl-dp/sibyl/synth/cells"
	"github.com/sibyl-dp/sibyl/synth/loglinear"
)

// A Model is what was released of a table, and a model that was fitted to it. Models that Read
// returns are valid.
type Model struct {
	Layout *Layout

	// Guarantee is what the release promises, nil where nothing is promised; then Void says
	// why, and otherwise it is empty.
	Guarantee *privacy.Statement
	Void      model.Void

	Rows     int64 // of the table, or persons: their number under replace-one, else an estimate
	Measured *synth.Measured
	Fitted   *loglinear.Model // over pooled values
}

// Validate reports in one sentence what is wrong with the model.
func (m *Model) Validate() error {
	switch {
	case m.Layout == nil || m.Measured == nil || m.Fitted == nil:
		return errors.New("the model of synthetic data lacks its schema, what was measured or what was fitted")
	case m.Measured.Domain.Outcome != m.Layout.Domain.Outcome || !slices.Equal(m.Measured.Domain.Columns, m.Layout.Domain.Columns):
		return errors.New("what was measured is of other columns than the schema's")
	case m.Measured.Relation != m.Measured.Relation.OfPersons(m.Layout.persons()):
		return fmt.Errorf("what was measured is under the relation %v, and the schema is of others", m.Measured.Relation)
	case m.Rows < 0 || m.Rows > MostRows:
		return fmt.Errorf("the number of rows is outside 0..%d", int64(MostRows))
	case m.Guarantee == nil && m.Void != model.InsecureSeed:
		return fmt.Errorf("the model has no guarantee, and not_private does not say why (it is %s)", quote.Word(string(m.Void)))
	case m.Guarantee != nil && m.Void != "":
		return errors.New("the model has a guarantee and says that it is not private")
	}
	if err := m.checkFitted(); err != nil {
		return err
	}
	if m.Guarantee == nil {
		return nil
	}
	g, err := m.Measured.Guarantee()
	if err != nil {
		return err
	}
	return m.Guarantee.FollowsFrom(g)
}

// checkFitted holds the fitted model to the values that were pooled.
func (m *Model) checkFitted() error {
	pools := m.Measured.Pools()
	if len(m.Fitted.Sizes) != len(pools) {
		return errors.New("what was fitted has other columns than what was measured")
	}
	for k, pool := range pools {
		if m.Fitted.Sizes[k] != pool.Size {
			return fmt.Errorf("what was fitted has %d values of a column that has %d", m.Fitted.Sizes[k], pool.Size)
		}
	}
	for _, f := range m.Fitted.Factors {
		n := 1
		for _, a := range f.Axes {
			if a.Column < 0 || a.Column >= len(pools) {
				return errors.New("what was fitted has a factor of a column that is not there")
			}
			values := pools[a.Column].Size
			if a.Size < 1 || a.Cells == nil && a.Size != values || a.Cells != nil && len(a.Cells) != values {
				return errors.New("what was fitted has a factor of other cells than its columns")
			}
			if n > len(f.Theta)/a.Size {
				n = -1
				break
			}
			n *= a.Size
		}
		if n != len(f.Theta) || n != len(f.Expected) {
			return errors.New("what was fitted has a factor of another size than its cells")
		}
	}
	return nil
}

// MostRows is the greatest number of rows that are drawn at a time.
const MostRows = 1<<31 - 1

// Drawing says how rows are drawn from a model. It is public, and rows are a function of it
// and the model.
type Drawing struct {
	Seed     uint64
	Threads  int                  // at most so many, which changes nothing else
	Progress func(done, of int64) // units of work, if not nil
}

// Draw draws so many rows; it costs no privacy. It fails with the context's error.
func (m *Model) Draw(ctx context.Context, n int, d Drawing) (Rows, error) {
	pooled, err := m.Fitted.Rows(ctx, n, loglinear.Options{Seed: d.Seed, Threads: d.Threads, Progress: d.Progress})
	if err != nil {
		return Rows{}, err
	}
	free := cells.Spread(pooled, m.Measured.Pools(), m.Layout.Rules, m.Layout.Witness, d.Seed)
	return m.Layout.Complete(free), nil
}
