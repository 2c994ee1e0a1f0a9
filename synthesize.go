package sibyl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Synthesis says which pairs of columns synthetic data is to keep best. The zero value treats all
// columns alike.
type Synthesis struct {
	// Target is an attribute, or the label, whose pairs with all others are counted with less
	// noise; "" is none.
	Target string
	// Pairs are pairs of attributes that are counted with less noise.
	Pairs [][2]string
	// Pairwise counts columns and pairs and nothing else, so that a file of counts of pairs is
	// enough data.
	Pairwise bool
}

// Synthetic is synthetic data: rows like those of a private table, and the model that they were
// drawn from. It holds nothing else of the table.
type Synthetic struct {
	model *synthetic.Model
	rows  synthetic.Rows
}

// Synthesize releases synthetic data made from a table. Settings.Delta must be above 0. The label,
// where the schema has one, is a column like any other. Errors are as of Learn.
func Synthesize(ctx context.Context, d Data, s *Schema, of Synthesis, set Settings) (*Synthetic, error) {
	p, err := synthesis(s, of, &set)
	if err != nil {
		return nil, wrong("schema", err)
	}
	out, err := p.Release(ctx, d.data, set.terms())
	if err != nil {
		return nil, told(err)
	}
	return &Synthetic{out.Model, out.Rows}, nil
}

// synthesis returns the release that is asked for.
func synthesis(s *Schema, of Synthesis, set *Settings) (*release.PreparedSynthetic, error) {
	if s == nil || s.schema == nil {
		return nil, parameter.About("schema", errNoSchema)
	}
	if err := set.alone("synthetic data"); err != nil {
		return nil, err
	}
	r := release.Synthetic{
		Schema: s.schema, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed,
		Target: of.Target, Pairs: of.Pairs, Pairwise: of.Pairwise, Model: true, Drawing: drawing(0),
	}
	var err error
	if r.Epsilon, r.Delta, err = set.budget(); err != nil {
		return nil, err
	}
	return r.Prepare()
}

// drawing draws on all processors, by a public seed.
func drawing(seed uint64) synthetic.Drawing {
	return synthetic.Drawing{Seed: seed, Threads: runtime.GOMAXPROCS(0)}
}

// ReadSynthetic reads the model that SaveModel or the command wrote, and trusts nothing in it. It
// has no rows yet: Draw draws them.
func ReadSynthetic(path string) (*Synthetic, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	m, err := synthetic.Read(file)
	if err != nil {
		return nil, err
	}
	return &Synthetic{model: m}, nil
}

// Draw returns n other rows of the model, which follow from a public seed. It costs no privacy.
func (s *Synthetic) Draw(ctx context.Context, n int, seed uint64) (*Synthetic, error) {
	if n < 0 || n > synthetic.MostRows {
		return nil, &ParameterError{Field: "n", text: fmt.Sprintf("n is outside 0..%d", int64(synthetic.MostRows))}
	}
	drawn, err := s.model.Draw(ctx, n, drawing(seed))
	if err != nil {
		return nil, err
	}
	return &Synthetic{s.model, drawn}, nil
}

// Len is the number of rows.
func (s *Synthetic) Len() int { return s.rows.Len() }

// Columns names the fields of a row.
func (s *Synthetic) Columns() []string {
	columns, err := s.model.Layout.Columns("", s.model.Void)
	if err != nil {
		panic(err) // the layout has been written before
	}
	return columns
}

// Rows gives the fields of each row, in the order of Columns. It ends with the context's error.
func (s *Synthetic) Rows(ctx context.Context) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for fields, err := range s.rows.All(ctx, "", s.model.Void, nil) {
			if !yield(slices.Clone(fields), err) {
				return
			}
		}
	}
}

// Write writes the rows as delimited text with a header, as the schema's [file] says.
func (s *Synthetic) Write(ctx context.Context, w io.Writer) error {
	return s.rows.Write(ctx, w, "", s.model.Void, nil)
}

// Save writes the rows to a new file, which appears whole or not at all: Parquet where its name
// ends in .parquet, for which a program imports _ "github.com/sibyl-dp/sibyl/parquet", and else
// as Write does.
func (s *Synthetic) Save(ctx context.Context, path string) error {
	return save(path, func(w io.Writer) error { return s.rows.Write(ctx, w, path, s.model.Void, nil) })
}

// SaveModel writes the model to a new file.
func (s *Synthetic) SaveModel(path string) error {
	return save(path, func(w io.Writer) error {
		text, err := s.model.Text()
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
}

// save writes a new file, which appears whole or not at all.
func save(path string, write func(io.Writer) error) error {
	draft, err := publish.NewDraft(context.Background(), &publish.Claims{}, path, false, publish.ForAll)
	if err == nil {
		defer draft.Discard()
		if err = write(draft); err == nil {
			err = draft.Publish(context.Background())
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "save", Path: path, Err: fs.ErrExist}
	}
	return err
}

// An Answer is how many rows of the private table a question is true of, by the model.
type Answer struct {
	Share, ShareError float64 // of the rows, and its standard error
	Count, CountError float64 // rows, and the standard error
	Measured          bool    // the count is a sum of what was measured, not an estimate of the model
}

// Ask answers a question such as "sex = Female and age ≥ 41" by the model. It costs no privacy.
// Its errors are a ParameterError for the question, and the context's.
func (s *Synthetic) Ask(ctx context.Context, question string) (Answer, error) {
	q, err := synthetic.ParseQuestion(s.model.Layout.Flat, question)
	if err != nil {
		return Answer{}, wrong("question", err)
	}
	answers, err := s.model.Ask(ctx, []*synthetic.Question{q}, drawing(0))
	if err != nil {
		return Answer{}, err
	}
	a := answers[0]
	return Answer{a.Share, a.ShareError, a.Count, a.CountError, a.Basis == synthetic.Measured}, nil
}

// Guarantee returns the guarantee of the release, or nil where nothing is promised.
func (s *Synthetic) Guarantee() *privacy.Statement { return s.model.Guarantee }

// String returns what was measured, with the guarantee in plain words.
func (s *Synthetic) String() string {
	var b strings.Builder
	if err := s.model.Card().Write(&b); err != nil {
		return err.Error()
	}
	return b.String()
}

// WriteHTML writes a page about the model for anyone, which is complete in itself.
func (s *Synthetic) WriteHTML(ctx context.Context, w io.Writer) error {
	return s.model.WriteHTML(ctx, w, drawing(0))
}
