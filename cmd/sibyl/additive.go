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
	steps       int
	clip, share string
	rate        float64
}

func (f *descentFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.steps, "steps", 100, "of dpsgd: `steps` of the descent")
	flags.StringVar(&f.clip, "clip", "0.5", "of dpsgd: cut the gradient of a row to this `norm`")
	flags.StringVar(&f.share, "share", "1", "of dpsgd: the `probability` with which a step takes a row")
	flags.Float64Var(&f.rate, "learning-rate", 16, "of dpsgd: how far a step goes, as a multiple of the mean gradient")
}

// read returns the parameters for about so many rows.
func (f *descentFlags) read(rows int64) (convex.Descent, error) {
	o := convex.Descent{Steps: f.steps, Rate: f.rate}
	var err error
	if o.Clip, err = privacy.ParseDecimal(f.clip); err != nil {
		return o, fmt.Errorf("--clip %w", err)
	}
	if o.Share, err = privacy.ParseDecimal(f.share); err != nil {
		return o, fmt.Errorf("--share %w", err)
	}
	share, _ := o.Share.Rat().Float64()
	o.Batch = share * float64(rows)
	switch {
	case !(share > 0 && share <= 1):
		return o, fmt.Errorf("--share %s is outside (0, 1]", o.Share)
	case f.steps < 1 || f.steps > convex.MostSteps:
		return o, fmt.Errorf("--steps %d is outside 1..%d", f.steps, convex.MostSteps)
	case !(f.rate > 0) || math.IsInf(f.rate, 0):
		return o, fmt.Errorf("--learning-rate %v must be a positive number", f.rate)
	case o.Clip.IsZero():
		return o, fmt.Errorf("--clip %s must be positive", o.Clip)
	}
	return o, nil
}

// ofBox returns the form with whole weights: a point each, unless the flag says
// otherwise.
func ofBox(cmd *cobra.Command, f model.Additive) model.Additive {
	if !cmd.Flags().Changed("scale") {
		f.Scale = 1
	}
	return f
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
	columns, features, err := f.readColumns(s)
	if err != nil {
		return mechanism{}, err
	}
	switch f.name {
	case model.Exponential:
		m, box, err := f.box(form, features, epsilon, relation)
		if err != nil {
			return mechanism{}, err
		}
		observe := func(log *privateLog, _ *bar) { m.Observe = log.effort }
		return mechanism{learner: boxed{m, features}, described: model.OfBox(m, box, columns), observe: observe}, nil
	case model.OPSamp:
		m, err := f.opsamp(form.Loss(), features, epsilon, delta, relation)
		if err != nil {
			return mechanism{}, err
		}
		return mechanism{learner: weighing{m, features, form.Scale}, described: model.OfOPSamp(m, columns)}, nil
	}
	m, err := f.dpsgd(features, epsilon, delta, relation)
	if err != nil {
		return mechanism{}, err
	}
	return mechanism{learner: weighing{m, features, form.Scale}, described: model.OfDPSGD(m, columns)}, nil
}

// readColumns returns what the flags say of columns.
func (f *mechanismFlags) readColumns(s *table.Schema) (e convex.Encoding, own *convex.Features, err error) {
	if err := e.UnmarshalText([]byte(f.columns)); err != nil {
		return e, nil, fmt.Errorf("--columns %w", err)
	}
	own, err = convex.NewFeatures(e, s.Sizes())
	return e, own, err
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

func (f *mechanismFlags) dpsgd(features *convex.Features, epsilon, delta privacy.Decimal, r privacy.Relation) (*convex.DPSGD, error) {
	if err := f.needRows("--mechanism dpsgd"); err != nil {
		return nil, err
	}
	o, err := f.descent.read(f.rows)
	if err != nil {
		return nil, err
	}
	m, err := convex.NewDPSGD(features, o, epsilon, delta, r)
	if err != nil {
		return nil, notMade(model.DPSGD, err)
	}
	return m, nil
}

func (f *mechanismFlags) opsamp(loss convex.Loss, features *convex.Features, epsilon, delta privacy.Decimal, r privacy.Relation) (*convex.OPSamp, error) {
	if err := f.needRows("--mechanism opsamp"); err != nil {
		return nil, err
	}
	o, err := f.perturbation.read(loss, features, f.rows, epsilon, delta, r)
	if err != nil {
		return nil, err
	}
	m, err := convex.NewOPSamp(features, o, epsilon, delta, r)
	if err != nil {
		return nil, notMade(model.OPSamp, err)
	}
	return m, nil
}

// box returns the exponential mechanism over whole weights.
func (f *mechanismFlags) box(form model.Additive, features *convex.Features, epsilon privacy.Decimal, r privacy.Relation) (*learn.Box, model.Box, error) {
	b := model.Box{Bound: f.perturbation.bound, Ridge: f.ridge}
	s, err := b.Space(form, features)
	if err != nil {
		return nil, b, fmt.Errorf("--bound: %w", err)
	}
	m, err := learn.NewBox(s, epsilon, r)
	if err != nil {
		return nil, b, notMade(model.Exponential, err)
	}
	return m, b, nil
}

// notMade reports why flags make no such mechanism.
func notMade(mechanism string, err error) error {
	return fmt.Errorf("--mechanism %s: %s", mechanism, model.Reason(err))
}

// counting releases any hypothesis of its learner's.
type counting struct{ *learn.NaiveBayes }

func (m counting) Release(ctx context.Context, d []learn.Example[table.Record], coins noise.Coins) (any, error) {
	return m.NaiveBayes.Release(ctx, d, coins)
}

// boxed releases whole weights as points.
type boxed struct {
	*learn.Box
	features *convex.Features
}

func (m boxed) Release(ctx context.Context, d []learn.Example[table.Record], coins noise.Coins) (any, error) {
	w, err := m.Box.Release(ctx, m.features.Vectors(d), coins)
	if err != nil {
		return nil, err
	}
	l := convex.Linear{Weights: make([]float64, len(w))}
	for j, v := range w {
		l.Weights[j] = float64(v)
	}
	return l.Points(m.features, 1), nil
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
