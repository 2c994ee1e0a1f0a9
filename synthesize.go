package sibyl

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Synthetic is synthetic data: rows like those of a private table, and the model that they
// were drawn from. It holds nothing else of the table.
type Synthetic struct {
	model *synthetic.Model
	rows  synthetic.Rows
}

// An Answer says how many rows of the private table a question is true of, by the model, with
// a standard error.
type Answer = synthetic.Answer

// ReadDomain is ReadSchema for synthetic data, which needs no label.
func ReadDomain(path string) (*Schema, error) { return release.ReadDomain(path) }

// Target has all pairs with an attribute, or the label, of synthetic data counted with less
// noise.
func Target(attribute string) Option {
	return func(o *options) { o.target = attribute }
}

// Pair has two attributes of synthetic data counted together with less noise. It may be given
// several times.
func Pair(one, other string) Option {
	return func(o *options) { o.pairs = append(o.pairs, [2]string{one, other}) }
}

// Pairwise has columns and pairs of synthetic data counted and nothing drawn, so that a file of counts of pairs is
// enough.
func Pairwise() Option {
	return func(o *options) { o.pairwise = true }
}

// Synthesize releases synthetic data made from a table, spending the budget, whose δ is above
// 0. The label, where the schema has one, is a column like any other; the schema says how
// numbers of intervals are written, and which rules every row keeps. Errors are as of Learn.
func Synthesize(ctx context.Context, d Data, s *Schema, b Budget, more ...Option) (*Synthetic, error) {
	o, err := asked(b, more)
	if err != nil {
		return nil, err
	}
	r := o.request
	if r.Risk != nil || r.Costs != (learn.Loss{}) {
		return nil, errors.New("synthetic data has no use for Risk or Costs; leave them out")
	}
	p, err := release.Synthetic{
		Schema: s, Epsilon: r.Epsilon, Delta: r.Delta, Relation: r.Relation, Rows: r.Rows, Seed: r.Seed,
		Target: o.target, Pairs: o.pairs, Pairwise: o.pairwise, Model: true, Drawing: drawing(0),
	}.Prepare()
	if err != nil {
		return nil, err
	}
	end, err := o.charge(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	out, err := p.Release(ctx, d, o.terms)
	if err != nil {
		return nil, err
	}
	return &Synthetic{out.Model, out.Rows}, nil
}

// drawing draws on all processors, by a public seed.
func drawing(seed uint64) synthetic.Drawing {
	return synthetic.Drawing{Seed: seed, Threads: runtime.GOMAXPROCS(0)}
}

// ReadSynthetic reads the model that SaveModel or the command wrote, and nothing in it is
// trusted. It has no rows yet: Draw draws them.
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

// Draw returns other rows of the model, any number of them, which follow from a public seed. It
// costs no privacy. It fails with the context's error.
func (s *Synthetic) Draw(ctx context.Context, rows int, seed uint64) (*Synthetic, error) {
	if rows < 0 || rows > synthetic.MostRows {
		return nil, errors.New("there is no such number of rows")
	}
	drawn, err := s.model.Draw(ctx, rows, drawing(seed))
	if err != nil {
		return nil, err
	}
	return &Synthetic{s.model, drawn}, nil
}

// Len is the number of rows.
func (s *Synthetic) Len() int { return s.rows.Len() }

// Save writes the rows to a new file, which appears whole or not at all: Parquet where its
// name ends in .parquet, for which a program imports
// _ "github.com/sibyl-dp/sibyl/parquet", else text as the schema says.
func (s *Synthetic) Save(path string) error {
	return save(path, func(w io.Writer) error { return s.rows.Write(context.Background(), w, path, s.model.Void, nil) })
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
	if err != nil {
		return err
	}
	defer draft.Discard()
	if err := write(draft); err != nil {
		return err
	}
	return draft.Publish(context.Background())
}

// Ask answers a question such as "sex = Female and age ≥ 41" by the model. It costs no
// privacy. An error says in one sentence what is wrong with the question, or is the
// context's.
func (s *Synthetic) Ask(ctx context.Context, question string) (Answer, error) {
	q, err := synthetic.ParseQuestion(s.model.Layout.Flat, question)
	if err != nil {
		return Answer{}, err
	}
	answers, err := s.model.Ask(ctx, []*synthetic.Question{q}, drawing(0))
	if err != nil {
		return Answer{}, err
	}
	return answers[0], nil
}

// Guarantee returns what the release promises; nil where nothing is promised.
func (s *Synthetic) Guarantee() *privacy.Statement { return s.model.Guarantee }

// String tells what was measured, with the guarantee in plain words.
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
