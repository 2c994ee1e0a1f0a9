package mechanism

import (
	"errors"
	"flag"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Exponential is the exponential mechanism over a class of hypotheses, sampled by a search. It runs
// on all rows, or on a secret random sample of them: either Size rows, or each row with probability
// Rate.
type Exponential struct {
	Size int64
	Rate string
}

const ExponentialName = "exponential"

var exponentialKind = Kind{
	Name: ExponentialName, What: "samples a hypothesis, with higher probability for fewer misclassifications; recommended; δ = 0",
	For: SearchedOnly, Persons: true, New: func() Mechanism { return &Exponential{} },
	Record: func() any { return &ExponentialRecord{} }, Recreate: recreateExponential,
}

// Parameters implements Mechanism: it adds the flags of the parameters to f.
func (m *Exponential) Parameters(f *flag.FlagSet) {
	f.Int64Var(&m.Size, "sample", 0, "learn from a secret random sample of `K` rows instead of all rows, which takes less time; requires --rows; 0 means all rows")
	f.StringVar(&m.Rate, "sample-rate", "", "learn from a secret random sample that contains each row with the probability `Q`; requires --relation add-remove; empty means all rows")
}

// A Base is the exponential mechanism of package learn, for records of a schema.
type Base = learn.Exponential[table.Record, any]

// A sampleJSON describes, in a model file, the secret sample of rows on which the mechanism ran. Either Size of the
// Rows of the table were sampled without replacement, or each row was sampled with probability Rate. Epsilon is the
// ε with which the mechanism ran on the sample.
type sampleJSON struct {
	Rows    int64           `json:"rows,omitempty"`
	Size    int64           `json:"size,omitempty"`
	Rate    privacy.Decimal `json:"rate,omitzero"`
	Epsilon privacy.Decimal `json:"epsilon"`
}

type ExponentialRecord struct {
	Name   string      `json:"name"`
	Loss   LossRecord  `json:"loss"`
	Rate   string      `json:"rate"` // λ, an exact fraction such as "1/4"
	Sample *sampleJSON `json:"sample,omitempty"`
	Series *Series     `json:"series,omitempty"`
}

func RecordOf(m *Base) ExponentialRecord {
	return ExponentialRecord{Name: ExponentialName, Loss: LossRecord(m.Loss()), Rate: m.Rate().RatString()}
}

// lambda returns the rate λ of the exponential mechanism that runs on the data, or on the sample of the data.
func (m *Exponential) lambda(s *Setting) (*big.Rat, error) {
	_, inner, err := m.inner(s)
	if err != nil {
		return nil, err
	}
	return learn.Rate(inner, s.Relation, s.Costs), nil
}

// inner returns the requested secret sample of rows, or nil if none is requested, and the ε of the
// mechanism that runs on the sample or, without one, on all rows.
func (m *Exponential) inner(s *Setting) (*sampleJSON, privacy.Decimal, error) {
	sample, err := m.sample(s)
	if err != nil || sample == nil {
		return nil, s.Epsilon, err
	}
	return sample, sample.Epsilon, nil
}

func (m *Exponential) Over(s *Setting) (*Made, error) {
	if err := s.Pure(); err != nil {
		return nil, err
	}
	sample, inner, err := m.inner(s)
	if err != nil {
		return nil, err
	}
	b, err := learn.NewExponential(s.Space.Sampling().Class, inner, s.Relation, s.Costs)
	if err != nil {
		return nil, err
	}
	record := RecordOf(b)
	out := &Made{Learner: b, Observe: func(c Curator) { b.Observe = c.Effort }}
	if sample != nil {
		record.Sample = sample
		if out.Learner, err = sample.of(b); err != nil {
			return nil, err
		}
	}
	out.Record = record
	return out, nil
}

// sample returns the secret sample of rows that the parameters request, or nil if they request no sample.
func (m *Exponential) sample(s *Setting) (*sampleJSON, error) {
	switch {
	case m.Rate != "" && m.Size != 0:
		return nil, parameter.Errorf("{sample} and {sample-rate} cannot be used together; give only one of them")
	case m.Rate != "":
		return m.poisson(s)
	case m.Size == 0:
		return nil, nil
	}
	if err := s.Divided("{sample}"); err != nil {
		return nil, err
	}
	if m.Size < 1 || m.Size > s.Rows {
		return nil, parameter.Errorf("{sample} %d must be at least 1 and at most the number of rows, %d", m.Size, s.Rows)
	}
	inner, err := learn.BeforeSampling(s.Epsilon, big.NewRat(m.Size, s.Rows))
	if err != nil {
		return nil, parameter.Errorf("{sample} %d: %w", m.Size, err)
	}
	return &sampleJSON{Rows: s.Rows, Size: m.Size, Epsilon: inner}, nil
}

func (m *Exponential) poisson(s *Setting) (*sampleJSON, error) {
	if err := s.OfRows("{sample-rate}"); err != nil {
		return nil, err
	}
	if s.Relation.Replaces() {
		return nil, parameter.Errorf("{sample-rate} requires {relation} add-remove; use that relation, or {sample} instead of {sample-rate}")
	}
	rate, err := privacy.ParseDecimal(m.Rate)
	if err != nil {
		return nil, parameter.Errorf("{sample-rate} %w", err)
	}
	if rate.IsZero() || rate.Rat().Cmp(big.NewRat(1, 1)) > 0 {
		return nil, parameter.Errorf("{sample-rate} %s is outside (0, 1]", rate)
	}
	inner, err := learn.BeforeSampling(s.Epsilon, rate.Rat())
	if err != nil {
		return nil, parameter.Errorf("{sample-rate} %s: %w", rate, err)
	}
	return &sampleJSON{Rate: rate, Epsilon: inner}, nil
}

// of returns the mechanism that runs the exponential mechanism b on the secret sample of rows that
// j describes.
func (j sampleJSON) of(b *Base) (*learn.Subsample[table.Record, any], error) {
	if j.Rate.IsZero() {
		return learn.NewSubsample(b, j.Rows, j.Size)
	}
	if j.Rows != 0 || j.Size != 0 {
		return nil, errors.New("the mechanism's key \"sample\" must have either the key \"rate\" or the keys \"rows\" and \"size\", not both")
	}
	return learn.NewPoissonSubsample(b, j.Rate)
}

func (m *Exponential) Bounds(s *Setting) ([]Bound, error) {
	all, err := learn.NewExponential(s.Space.Sampling().Class, s.Epsilon, s.Relation, s.Costs)
	if err != nil {
		return nil, err
	}
	bounds := []Bound{s.Bound(ExponentialName, "", all)}
	sample, err := m.sample(s)
	if err != nil || sample == nil {
		return bounds, err
	}
	b, err := learn.NewExponential(s.Space.Sampling().Class, sample.Epsilon, s.Relation, s.Costs)
	if err != nil {
		return nil, err
	}
	on, err := sample.of(b)
	if err != nil {
		return nil, err
	}
	one := s.Bound(ExponentialName, "", on)
	one.Sample, one.SampleRate = m.Size, m.Rate
	return append(bounds, one), nil
}

func recreateExponential(stored any, s *Setting) (*Recreated, error) {
	j := stored.(*ExponentialRecord)
	inner := s.Epsilon
	switch {
	case j.Sample != nil && j.Series != nil:
		return nil, errors.New("the mechanism must not have both of the keys \"sample\" and \"series\"")
	case j.Sample != nil:
		inner = j.Sample.Epsilon
	case j.Series != nil:
		inner = j.Series.Epsilon
	}
	b, err := learn.NewExponential(s.Space.Sampling().Class, inner, s.Relation, learn.Loss(j.Loss))
	if err != nil {
		return nil, err
	}
	record := RecordOf(b)
	record.Sample, record.Series = j.Sample, j.Series
	switch {
	case j.Sample != nil:
		on, err := j.Sample.of(b)
		if err != nil {
			return nil, err
		}
		return &Recreated{Record: record, Guarantee: on.Guarantee()}, nil
	case j.Series != nil:
		promise, err := j.Series.promise(b)
		return &Recreated{Record: record, Guarantee: promise}, err
	}
	return &Recreated{Record: record, Guarantee: b.Guarantee()}, nil
}

// charges returns the setting's form, which must be a union of classes, with a penalty for each
// member of the union. The penalties compensate for the different sizes of the members.
func charges(m Mechanism, s *Setting) (model.Form, error) {
	u, ok := s.Form.(model.Union)
	if !ok {
		return nil, parameter.Errorf("{balanced} requires a union such as {class} union:scorecard,conjunction; choose a union, or leave {balanced} out")
	}
	if u.Kind().Selection == model.Combined {
		return u.Balanced(learn.Rate(s.Epsilon, s.Relation, s.Costs), s.Schema)
	}
	e, ok := m.(*Exponential)
	if !ok {
		return nil, parameter.Errorf("{balanced} requires {mechanism} exponential, because the penalties are computed from the rate of that mechanism; use it, or leave {balanced} out")
	}
	rate, err := e.lambda(s)
	if err != nil {
		return nil, err
	}
	return u.Balanced(rate, s.Schema)
}
