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

// A Model of synthetic data holds the noisy measurements of a table and the records that were fitted to them. Models
// that Read returns are valid.
type Model struct {
	Layout *Layout

	// Guarantee is the guarantee of the release. It is nil if there is none; Void then states the
	// reason.
	Guarantee *privacy.Statement
	Void      model.Void

	Rows     int64 // number of rows or persons of the table: exact under replace, else an estimate
	Measured *synth.Measured
	Records  *Records // nil in a model of the first format until they are fitted

	// Independent says that the numbers of a row are independent of each other within intervals, as in the earlier
	// formats.
	Independent bool
}

// Validate returns an error if the model is invalid. The text of the error is one sentence.
func (m *Model) Validate() error {
	switch {
	case m.Layout == nil || m.Measured == nil:
		return errors.New("the model of synthetic data has no schema or no measurements")
	case m.Measured.Domain.Outcome != m.Layout.Domain.Outcome || !slices.Equal(m.Measured.Domain.Columns, m.Layout.Domain.Columns):
		return errors.New("the columns of the measurements differ from those of the schema")
	case m.Measured.Bins != nil && !slices.EqualFunc(m.Measured.Domain.Bins, m.Layout.Domain.Bins, slices.Equal):
		return errors.New("the bins of the measurements differ from those that follow from the schema")
	case m.Measured.Relation != m.Measured.Relation.OfPersons(m.Layout.persons()):
		return fmt.Errorf("the neighbour relation of the measurements, %v, does not match the schema's [person]", m.Measured.Relation)
	case m.Rows < 0 || m.Rows > MostRows:
		return fmt.Errorf("the number of rows is outside 0..%d", int64(MostRows))
	case m.Guarantee == nil && m.Void != model.InsecureSeed:
		return fmt.Errorf("the model has no guarantee, so the key \"not_private\" must be %q, but it is %s", model.InsecureSeed, quote.Word(string(m.Void)))
	case m.Guarantee != nil && m.Void != "":
		return errors.New("the model must have either a guarantee or the key \"not_private\", but has both")
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
	return m.Guarantee.RestOn(g)
}

// checkRecords returns an error if the number of rows or records is wrong, or if a record violates a rule of the
// schema.
func (m *Model) checkRecords() error {
	if !m.Measured.Relation.Replaces() && m.Rows != m.Counted() {
		return fmt.Errorf("the model states %d rows, but its measurements give %d", m.Rows, m.Counted())
	}
	r := m.Records
	if r == nil {
		return nil // fit adds them when they are needed
	}
	if want := m.Layout.Domain.Records(m.Rows); r.n != want {
		return fmt.Errorf("the model of synthetic data has %d records, but for %d rows it must have %d", r.n, m.Rows, want)
	}
	var record []uint16
	for i := range r.n {
		if record = m.Layout.complete(r, i, record); !m.Layout.constraints.Allows(record) {
			return errors.New("a record of the model violates a rule of the schema")
		}
	}
	return nil
}

// Counted estimates the number of non-null rows, or of persons, of the table from the released counts.
func (m *Model) Counted() int64 { return int64(math.Round(min(m.Measured.Total(), MostRows))) }

// MostRows is the maximum number of rows that one call of Draw samples.
const MostRows = 1<<31 - 1

// Drawing holds the public options for sampling rows. The model and the seed alone determine the sampled rows.
type Drawing struct {
	Seed     uint64
	Threads  int                  // maximum number of threads; the rows do not depend on it
	Progress func(done, of int64) // receives the finished and total units of work; may be nil
}

// Draw samples n rows from the model. It consumes no privacy budget. It returns the context's error
// if the context ends.
func (m *Model) Draw(ctx context.Context, n int, d Drawing) (Rows, error) {
	if err := m.fit(ctx, d); err != nil {
		return Rows{}, err
	}
	densities := m.densities()
	p, err := m.places(ctx, d.Threads, densities)
	if err != nil {
		return Rows{}, err
	}
	return newRows(m.Layout, m.Records, densities, p, n, d.Seed), nil
}

// DrawWhere samples n rows that satisfy the condition where. If where is nil, it samples any rows, as Draw does. A
// category of a record may represent several values, of which only a share satisfies the condition. DrawWhere samples
// records in proportion to these shares.
//
// It returns an error if Draw does, and ErrNone if no record satisfies the condition. It also returns an error if the
// condition accepts only a part of an interval, for a column that a rule with at_most lists. The text of this error
// is one sentence.
func (m *Model) DrawWhere(ctx context.Context, where *Question, n int, d Drawing) (Rows, error) {
	rows, err := m.Draw(ctx, n, d)
	if err != nil || where == nil {
		return rows, err
	}
	return rows.where(where)
}

// Expected estimates, from the model, how many rows of the table satisfy the condition where. The result is at least
// 1. If where is nil, it is the number of all rows. Expected returns the context's error if the context ends.
func (m *Model) Expected(ctx context.Context, where *Question, d Drawing) (int64, error) {
	if where == nil {
		return m.Rows, nil
	}
	answers, err := m.Ask(ctx, []*Question{where}, d)
	if err != nil {
		return 0, err
	}
	return max(1, int64(math.Round(answers[0].Count))), nil
}

// fit adds records to a model in the first file format, which contains none. It fits them to the measurements with
// the default seed, as the release did. It returns the context's error if the context ends.
func (m *Model) fit(ctx context.Context, d Drawing) error {
	if m.Records != nil {
		return nil
	}
	fitting := m.Layout.Fitting(Drawing{Threads: d.Threads, Progress: d.Progress})
	fitting.First = true
	made := synth.NewSynthesis(m.Measured, fitting)
	rows, err := made.Rows(ctx, m.Layout.Domain.Records(m.Rows))
	if err != nil {
		return err
	}
	m.Records = NewRecords(m.Layout.Domain, rows)
	return nil
}

// Fitting returns the options of package synth for fitting records with this layout.
func (l *Layout) Fitting(d Drawing) synth.Fitting {
	return synth.Fitting{Rules: l.Rules, Witness: l.Witness, Ordered: l.Ordered, Options: loglinear.Options{Seed: d.Seed, Threads: d.Threads, Progress: d.Progress}}
}
