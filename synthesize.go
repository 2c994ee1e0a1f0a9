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
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Synthesis holds the options of Synthesize: which pairs of columns get a larger share of the
// privacy budget. With the zero value, only the pairs of the label have a larger share than the others.
type Synthesis struct {
	// Target is the name of an attribute or of the label. The pairs of this column with all other columns are
	// measured with less noise. "" stands for no column.
	Target string
	// Pairs are pairs of attributes that are measured with less noise.
	Pairs [][2]string
	// Pairwise measures only the marginals of columns and of pairs of columns, so that a file of
	// pair counts is sufficient as data.
	Pairwise bool
}

// Synthetic is released synthetic data: a model of the private table, and rows sampled from it. It
// contains nothing else that depends on the table.
//
// The zero value holds no model: methods that return an error return one, and the others return a zero value.
type Synthetic struct {
	model *synthetic.Model
	rows  synthetic.Rows
}

var errNoSynthetic = errors.New("the synthetic data is missing; use Synthesize or ReadSynthetic")

// Synthesize releases synthetic data for the table d with the schema s. It measures marginals with discrete Gaussian
// noise, fits a model to them, and samples as many rows as the table is estimated to have. A label of the schema is
// treated as one more column.
//
// The guarantee is (ε, δ)-DP, and Settings.Delta must be above 0. Errors are as for Learn.
func Synthesize(ctx context.Context, d Data, s *Schema, of Synthesis, set Settings) (*Synthetic, error) {
	p, err := prepareSynthesis(s, of, &set)
	if err != nil {
		return nil, parameterError("schema", err)
	}
	out, err := p.Release(ctx, d.data, set.terms())
	if err != nil {
		return nil, releaseError(err)
	}
	return &Synthetic{out.Model, out.Rows}, nil
}

// prepareSynthesis checks the schema and the settings, and prepares the release.
func prepareSynthesis(s *Schema, of Synthesis, set *Settings) (*release.PreparedSynthetic, error) {
	if s == nil || s.schema == nil {
		return nil, parameter.About("schema", errNoSchema)
	}
	if err := set.refuseLearning("synthetic data"); err != nil {
		return nil, err
	}
	r := release.Synthetic{
		Schema: s.schema, Total: set.Total, Relation: set.Relation, Rows: set.Rows, Seed: set.InsecureSeed,
		Target: of.Target, Pairs: of.Pairs, Pairwise: of.Pairwise, Model: true, Drawing: sampling(0),
	}
	var err error
	if r.Epsilon, r.Delta, err = set.budget(); err != nil {
		return nil, err
	}
	return r.Prepare()
}

// sampling returns options that sample rows on all processors, from a public seed.
func sampling(seed uint64) synthetic.Drawing {
	return synthetic.Drawing{Seed: seed, Threads: runtime.GOMAXPROCS(0)}
}

// ReadSynthetic reads a model that SaveModel or the command sibyl wrote, and verifies its guarantee.
// The result has no rows; use Draw to sample some.
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

// Draw samples n new rows from the model. They are a function of the model and the public seed, so Draw consumes no
// privacy budget.
func (s *Synthetic) Draw(ctx context.Context, n int, seed uint64) (*Synthetic, error) {
	return s.draw(ctx, nil, n, seed)
}

// DrawWhere samples n new rows that satisfy a condition, such as "sex = Female and age ≥ 41", in the syntax of Ask.
// Like Draw, it consumes no privacy budget. It returns a ParameterError if the condition is invalid, or if no record
// of the model satisfies it.
func (s *Synthetic) DrawWhere(ctx context.Context, condition string, n int, seed uint64) (*Synthetic, error) {
	q, err := s.parse(condition)
	if err != nil {
		return nil, parameterError("condition", err)
	}
	drawn, err := s.draw(ctx, q, n, seed)
	if err != nil && ctx.Err() == nil {
		err = parameterError("condition", err)
	}
	return drawn, err
}

// draw samples n rows that satisfy the condition, or any rows if it is nil.
func (s *Synthetic) draw(ctx context.Context, condition *synthetic.Question, n int, seed uint64) (*Synthetic, error) {
	if s.model == nil {
		return nil, errNoSynthetic
	}
	if n < 0 || n > synthetic.MostRows {
		return nil, &ParameterError{Field: "n", text: fmt.Sprintf("n %d is outside 0..%d", n, int64(synthetic.MostRows))}
	}
	rows, err := s.model.DrawWhere(ctx, condition, n, sampling(seed))
	if err != nil {
		return nil, err
	}
	return &Synthetic{s.model, rows}, nil
}

// parse parses a condition or a question about the synthetic rows, in the syntax of Ask.
func (s *Synthetic) parse(text string) (*synthetic.Question, error) {
	if s.model == nil {
		return nil, errNoSynthetic
	}
	return synthetic.ParseQuestion(s.model.Layout.Flat, text)
}

// Len returns the number of synthetic rows.
func (s *Synthetic) Len() int { return s.rows.Len() }

// Columns returns the names of the columns of the synthetic rows.
func (s *Synthetic) Columns() []string {
	if s.model == nil {
		return nil
	}
	columns, err := s.model.Layout.Columns("", s.model.Void)
	if err != nil {
		panic(err) // the layout was checked when the model was made
	}
	return columns
}

// Rows yields the fields of each row, in the order of Columns. If the context is cancelled, it
// yields the context's error and stops.
func (s *Synthetic) Rows(ctx context.Context) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		if s.model == nil {
			yield(nil, errNoSynthetic)
			return
		}
		for fields, err := range s.rows.All(ctx, "", s.model.Void, nil) {
			if !yield(slices.Clone(fields), err) {
				return
			}
		}
	}
}

// Write writes the rows as delimited text with a header, in the format that [file] in the schema describes.
func (s *Synthetic) Write(ctx context.Context, w io.Writer) error { return s.write(ctx, w, "") }

// Save writes the rows to a new file. It returns an error if the file exists already. The file is created atomically:
// after an error it does not exist.
//
// If the name of the file ends in .parquet, the format is Parquet. Otherwise the format is that of Write. A program
// that writes Parquet must import _ "github.com/sibyl-dp/sibyl/parquet".
func (s *Synthetic) Save(ctx context.Context, path string) error {
	return save(path, func(w io.Writer) error { return s.write(ctx, w, path) })
}

// write writes the synthetic rows to w, in the format that the ending of the path names.
func (s *Synthetic) write(ctx context.Context, w io.Writer, path string) error {
	if s.model == nil {
		return errNoSynthetic
	}
	return s.rows.Write(ctx, w, path, s.model.Void, nil)
}

// SaveModel writes the model to a new file, created atomically. It returns an error if the file exists already.
func (s *Synthetic) SaveModel(path string) error {
	return save(path, func(w io.Writer) error {
		if s.model == nil {
			return errNoSynthetic
		}
		text, err := s.model.Text()
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
}

// save creates a file atomically with the contents that the function write produces. It returns an
// error if the file exists already.
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

// An Answer is the model's estimate of how many rows of the private table satisfy a condition.
type Answer struct {
	Share, ShareError float64 // the share of the rows, and its standard error
	Count, CountError float64 // the number of rows, and its standard error
	Measured          bool    // whether the count is a sum of noisy measurements or an estimate of the model
}

// Ask estimates how many rows of the private table satisfy a question such as "sex = Female and age ≥ 41". It
// computes the answer from the model, so it consumes no privacy budget. If the question is invalid, it returns a
// ParameterError. It can also return the error of the context.
func (s *Synthetic) Ask(ctx context.Context, question string) (Answer, error) {
	q, err := s.parse(question)
	if err != nil {
		return Answer{}, parameterError("question", err)
	}
	answers, err := s.model.Ask(ctx, []*synthetic.Question{q}, sampling(0))
	if err != nil {
		return Answer{}, err
	}
	a := answers[0]
	return Answer{a.Share, a.ShareError, a.Count, a.CountError, a.Basis == synthetic.Measured}, nil
}

// Guarantee returns the guarantee of the release, or nil if it has none, as with
// Settings.InsecureSeed.
func (s *Synthetic) Guarantee() *privacy.Statement {
	if s.model == nil {
		return nil
	}
	return s.model.Guarantee
}

// String returns a readable list of the measurements, and the guarantee.
func (s *Synthetic) String() string {
	if s.model == nil {
		return ""
	}
	var b strings.Builder
	if err := s.model.Card().Write(&b); err != nil {
		return err.Error()
	}
	return b.String()
}

// WriteHTML writes an HTML page about the model and its guarantee. The page may be published, and refers to no other
// files.
func (s *Synthetic) WriteHTML(ctx context.Context, w io.Writer) error {
	if s.model == nil {
		return errNoSynthetic
	}
	return s.model.WriteHTML(ctx, w, sampling(0), report.Imprint{})
}
