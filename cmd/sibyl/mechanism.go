package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// A learner releases a hypothesis.
type learner = privacy.Mechanism[[]learn.Example[table.Record], any]

// A mechanism is a learner, and what is told of it.
type mechanism struct {
	learner
	described model.Mechanism
	class     model.Class // that it chooses from, nil where none is laid out
	rows      int64       // that the data must have, 0 for any number
	// observe has the log, and a bar where it is wanted, told what a release
	// costs, which is private; nil where nothing is told.
	observe func(*privateLog, *bar)
}

// read returns the mechanism over the family's class, which flags call so.
func (f *mechanismFlags) read(cmd *cobra.Command, class string, s *table.Schema, family model.Family, loss learn.Loss) (mechanism, error) {
	epsilon, relation, err := f.privacyFlags.read()
	if err != nil {
		return mechanism{}, err
	}
	if err := f.check(cmd, class); err != nil {
		return mechanism{}, err
	}
	delta, err := f.readDelta()
	if err != nil {
		return mechanism{}, err
	}
	if f.name == model.Exponential || f.name == model.Boost {
		c, err := family.Over(s)
		if err != nil {
			return mechanism{}, err
		}
		if f.name == model.Boost {
			return f.boost(c, epsilon, relation, loss)
		}
		return f.exponential(c, epsilon, relation, loss)
	}
	if err := f.checkNoise(); err != nil {
		return mechanism{}, err
	}
	o, err := newOracle(f.oracle, s, family)
	if err != nil {
		return mechanism{}, err
	}
	if f.name != model.PRSMA {
		return f.over(o, epsilon, delta, relation, loss)
	}
	plan, err := f.planPRSMA(epsilon, delta, relation)
	if err != nil {
		return mechanism{}, err
	}
	return f.prsma(o, plan, loss)
}

// over returns rspm or opdisc over the oracle.
func (f *mechanismFlags) over(o minimizer, epsilon, delta privacy.Decimal, r privacy.Relation, l learn.Loss) (mechanism, error) {
	switch {
	case f.name == model.OPDisc && class.EmbeddingOf(o.Class()).Sphere().Dim == 0:
		return mechanism{}, errOneHypothesis
	case f.name == model.OPDisc:
		m, err := learn.NewOPDisc(o, epsilon, delta, r, l, f.grid)
		if err != nil {
			return mechanism{}, err
		}
		return mechanism{learner: m, class: o.Class(), described: model.OfOPDisc(m, f.oracle)}, nil
	case f.noise == model.Gauss:
		m, err := learn.NewGaussianRSPM(o, epsilon, delta, r, l, f.grid)
		if err != nil {
			return mechanism{}, err
		}
		return mechanism{learner: m, class: o.Class(), described: model.OfGaussianRSPM(m, f.oracle)}, nil
	}
	m, err := f.rspm(o, epsilon, r, l)
	if err != nil {
		return mechanism{}, err
	}
	return mechanism{learner: m, class: o.Class(), described: model.OfRSPM(m, f.oracle)}, nil
}

// errOneHypothesis reports a class that opdisc has no sphere for.
var errOneHypothesis = errors.New("--mechanism opdisc: the class has only one hypothesis, so there is nothing to choose; take exponential")

func (f *mechanismFlags) exponential(c model.Class, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss) (mechanism, error) {
	inner, err := f.beforeSampling(epsilon, r)
	if err != nil {
		return mechanism{}, err
	}
	m, err := learn.NewExponential(c, inner, r, l)
	if err != nil {
		return mechanism{}, err
	}
	observe := func(log *privateLog, _ *bar) { m.Observe = log.effort }
	if !f.samples() {
		return mechanism{learner: m, class: c, described: model.OfExponential(m), observe: observe}, nil
	}
	s := model.Sample{Size: f.sample, Rate: f.share, Epsilon: inner}
	if f.sample != 0 {
		s.Rows = f.rows
	}
	sampled, err := s.Of(m)
	if err != nil {
		return mechanism{}, err
	}
	return mechanism{learner: sampled, class: c, described: model.OfSample(m, s), rows: s.Rows, observe: observe}, nil
}

// checkNoise checks the name of the noise; opdisc has none.
func (f *mechanismFlags) checkNoise() error {
	if _, err := learn.ParseNoise(f.noise); err == nil || f.name == model.OPDisc {
		return nil
	}
	switch {
	case f.name == model.PRSMA:
		return fmt.Errorf("--noise %s of prsma is neither laplace nor cube", quote.Word(f.noise))
	case f.noise == model.Gauss:
		return nil
	}
	return fmt.Errorf("--noise %s is none of laplace, cube and gauss", quote.Word(f.noise))
}

func (f *mechanismFlags) rspm(o minimizer, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss) (*learn.RSPM[table.Record, any], error) {
	kind, err := learn.ParseNoise(f.noise)
	if err != nil {
		return nil, err
	}
	return learn.NewRSPM(o, kind, epsilon, r, l, f.grid)
}
