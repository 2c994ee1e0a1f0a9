package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// descentFlags are the parameters of gradient descent.
type descentFlags struct {
	columns     string
	steps       int
	clip, share string
	rate        float64
}

func (f *descentFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.columns, "columns", convex.OneHot.String(), "of dpsgd: a column for each category (one-hot), for each but the first (reference), or for each binary digit of its number (binary)")
	flags.IntVar(&f.steps, "steps", 100, "of dpsgd: `steps` of the descent")
	flags.StringVar(&f.clip, "clip", "0.5", "of dpsgd: cut the gradient of a row to this `norm`")
	flags.StringVar(&f.share, "share", "1", "of dpsgd: the `probability` with which a step takes a row")
	flags.Float64Var(&f.rate, "learning-rate", 16, "of dpsgd: how far a step goes, as a multiple of the mean gradient")
}

// read returns the parameters for about so many rows.
func (f *descentFlags) read(rows int64) (convex.Encoding, convex.Descent, error) {
	var columns convex.Encoding
	o := convex.Descent{Steps: f.steps, Rate: f.rate}
	if err := columns.UnmarshalText([]byte(f.columns)); err != nil {
		return columns, o, fmt.Errorf("--columns %w", err)
	}
	var err error
	if o.Clip, err = privacy.ParseDecimal(f.clip); err != nil {
		return columns, o, fmt.Errorf("--clip %w", err)
	}
	if o.Share, err = privacy.ParseDecimal(f.share); err != nil {
		return columns, o, fmt.Errorf("--share %w", err)
	}
	share, _ := o.Share.Rat().Float64()
	o.Batch = share * float64(rows)
	switch {
	case !(share > 0 && share <= 1):
		return columns, o, fmt.Errorf("--share %s is outside (0, 1]", o.Share)
	case f.steps < 1 || f.steps > convex.MostSteps:
		return columns, o, fmt.Errorf("--steps %d is outside 1..%d", f.steps, convex.MostSteps)
	case !(f.rate > 0) || math.IsInf(f.rate, 0):
		return columns, o, fmt.Errorf("--learning-rate %v must be a positive number", f.rate)
	case o.Clip.IsZero():
		return columns, o, fmt.Errorf("--clip %s must be positive", o.Clip)
	}
	return columns, o, nil
}

// readAdditive returns the mechanism of a form that is not searched.
func (f *mechanismFlags) readAdditive(cmd *cobra.Command, s *table.Schema, form model.Additive) (mechanism, error) {
	epsilon, relation, err := f.privacyFlags.read()
	if err != nil {
		return mechanism{}, err
	}
	if err := f.check(cmd, form.Kind); err != nil {
		return mechanism{}, err
	}
	delta, err := f.readDelta()
	if err != nil {
		return mechanism{}, err
	}
	if f.name == model.Statistical {
		return naiveBayes(s, form.Scale, epsilon, relation)
	}
	m, features, columns, err := f.dpsgd(s, epsilon, delta, relation)
	if err != nil {
		return mechanism{}, err
	}
	return mechanism{learner: weighing{m, features, form.Scale}, described: model.OfDPSGD(m, columns)}, nil
}

// naiveBayes returns the mechanism with a pure budget.
func naiveBayes(s *table.Schema, scale int, epsilon privacy.Decimal, r privacy.Relation) (mechanism, error) {
	budget, err := privacy.NewPure(r, epsilon)
	if err != nil {
		return mechanism{}, err
	}
	m, err := learn.NewNaiveBayes(s.Sizes(), budget, scale)
	if err != nil {
		return mechanism{}, err
	}
	return mechanism{learner: counting{m}, described: model.OfNaiveBayes(m)}, nil
}

// dpsgd returns the mechanism and its columns.
func (f *mechanismFlags) dpsgd(s *table.Schema, epsilon, delta privacy.Decimal, r privacy.Relation) (*convex.DPSGD, *convex.Features, convex.Encoding, error) {
	if err := f.needRows("--mechanism dpsgd"); err != nil {
		return nil, nil, 0, err
	}
	columns, o, err := f.descent.read(f.rows)
	if err != nil {
		return nil, nil, 0, err
	}
	features, err := convex.NewFeatures(columns, s.Sizes())
	if err != nil {
		return nil, nil, 0, err
	}
	m, err := convex.NewDPSGD(features, o, epsilon, delta, r)
	if err != nil {
		return nil, nil, 0, fmt.Errorf("--mechanism dpsgd: %w", err)
	}
	return m, features, columns, nil
}

// counting releases any hypothesis of its learner's.
type counting struct{ *learn.NaiveBayes }

func (m counting) Release(ctx context.Context, d []learn.Example[table.Record], coins noise.Coins) (any, error) {
	return m.NaiveBayes.Release(ctx, d, coins)
}

// weighing releases weights as points.
type weighing struct {
	privacy.Mechanism[[]learn.Example[table.Record], convex.Linear]
	features *convex.Features
	scale    int
}

func (m weighing) Release(ctx context.Context, d []learn.Example[table.Record], coins noise.Coins) (any, error) {
	l, err := m.Mechanism.Release(ctx, d, coins)
	if err != nil {
		return nil, err
	}
	return l.Points(m.features, m.scale), nil
}
