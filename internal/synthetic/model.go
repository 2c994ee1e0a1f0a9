package synthetic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Model is what was released of a table, and the records that were fitted to it. Models that Read
// returns are valid.
type Model struct {
	Layout *Layout

	// Guarantee is what the release promises, nil where nothing is promised; then Void says
	// why, and otherwise it is empty.
	Guarantee *privacy.Statement
	Void      model.Void

	Rows     int64 // of the table, or persons: their number under replace-one, else an estimate
	Measured *synth.Measured
	Records  *Records // nil in a model of the first format, until they are fitted
}

// Validate reports in one sentence what is wrong with the model.
func (m *Model) Validate() error {
	switch {
	case m.Layout == nil || m.Measured == nil:
		return errors.New("the model of synthetic data lacks its schema or what was measured")
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
	if err := m.checkRecords(); err != nil {
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

// checkRecords holds the records to the number of rows and to the schema's rules.
func (m *Model) checkRecords() error {
	if !m.Measured.Relation.Replaces() && m.Rows != m.Counted() {
		return fmt.Errorf("the model states %d rows, and what was measured tells of %d", m.Rows, m.Counted())
	}
	r := m.Records
	if r == nil {
		return nil // they are fitted when they are asked for
	}
	if want := m.Layout.Domain.Records(m.Rows); r.n != want {
		return fmt.Errorf("the model has %d records, and one of %d rows has %d", r.n, m.Rows, want)
	}
	var record []uint16
	for i := range r.n {
		if record = m.Layout.complete(r, i, record); !m.Layout.constraints.Allows(record) {
			return errors.New("a record of the model breaks a rule of the schema")
		}
	}
	return nil
}

// Counted is the number of rows that are not null, or of persons, as the counts of columns tell it.
func (m *Model) Counted() int64 { return int64(math.Round(min(m.Measured.Total(), MostRows))) }

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
	if err := m.fit(ctx, d); err != nil {
		return Rows{}, err
	}
	return newRows(m.Layout, m.Records, n, d.Seed), nil
}

// fit fits the records of a model of the first format, which has none, to what was measured, as its
// release did with the usual seed. It fails with the context's error.
func (m *Model) fit(ctx context.Context, d Drawing) error {
	if m.Records != nil {
		return nil
	}
	made := synth.NewSynthesis(m.Measured, m.Layout.Fitting(Drawing{Threads: d.Threads, Progress: d.Progress}))
	rows, err := made.Rows(ctx, m.Layout.Domain.Records(m.Rows))
	if err != nil {
		return err
	}
	m.Records = NewRecords(m.Layout.Domain, rows)
	return nil
}

// Fitting is how records over the layout are fitted.
func (l *Layout) Fitting(d Drawing) synth.Fitting {
	return synth.Fitting{Rules: l.Rules, Witness: l.Witness, Options: loglinear.Options{Seed: d.Seed, Threads: d.Threads, Progress: d.Progress}}
}
