package experiment

import (
	"context"
	"math"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// features returns the features of linear models on the instance: one feature for each attribute if in.Digits is
// true, and otherwise one for each category of each attribute.
func (in *Instance) features() (*convex.Features, error) {
	if in.Digits {
		return convex.NewFeatures(convex.Binary, in.Sizes)
	}
	return convex.NewFeatures(convex.OneHot, in.Sizes)
}

// linear returns the predictor that predicts a positive label if the score of the linear model l is greater than 0.
func linear(f *convex.Features, l convex.Linear) Predictor {
	return func(r []uint16) bool { return l.Score(f.Row(nil, r)) > 0 }
}

// Logistic returns the method that learns a logistic regression without privacy.
func Logistic(name string) Method {
	return Method{Name: name, Promise: "NOT PRIVATE", Constant: true, Learn: func(in *Instance, _ privacy.Decimal) (Trial, error) {
		f, err := in.features()
		if err != nil {
			return nil, err
		}
		return func(context.Context) (Predictor, error) {
			l, err := convex.Logistic(f, in.Examples, 1e-3)
			return linear(f, l), err
		}, nil
	}}
}

// A tuning holds the hyperparameters of differentially private gradient descent for one ε.
type tuning struct {
	epsilon, clip, share string
	steps                int
	rate                 float64
}

// tuned holds the best hyperparameters of differentially private gradient descent for each neighbour relation and
// several values of ε, selected from a grid on the balanced census data. As in the paper, they were selected on the
// data on which the method is evaluated, without consuming any budget for the selection.
var tuned = map[privacy.Relation][]tuning{
	privacy.AddRemove: {
		{"0.05", "0.5", "1", 30, 16}, {"0.1", "0.5", "1", 100, 16}, {"0.2", "1", "0.0326", 500, 8},
		{"0.5", "1", "0.5", 500, 8}, {"1", "1", "0.0326", 500, 8},
	},
	privacy.ReplaceOne: {
		{"0.05", "1", "1", 30, 1}, {"0.1", "0.5", "1", 30, 16}, {"0.2", "0.5", "1", 100, 16},
		{"0.5", "0.5", "0.5", 500, 16}, {"1", "1", "0.0326", 500, 8},
	},
}

// tuningFor returns the hyperparameters for the neighbour relation r and the tabulated ε that is nearest to epsilon
// on a logarithmic scale.
func tuningFor(r privacy.Relation, epsilon privacy.Decimal) tuning {
	var best tuning
	least := math.Inf(1)
	for _, t := range tuned[r] {
		if d := math.Abs(math.Log(float(decimal(t.epsilon)) / float(epsilon))); d < least {
			best, least = t, d
		}
	}
	return best
}

// decimal parses a decimal number. It panics if the text is not a number.
func decimal(text string) privacy.Decimal {
	d, err := privacy.ParseDecimal(text)
	if err != nil {
		panic(err)
	}
	return d
}

// float converts a decimal to floating point.
func float(d privacy.Decimal) float64 {
	v, _ := d.Rat().Float64()
	return v
}

// Descent returns the method that learns a logistic regression by differentially private gradient descent, with δ =
// 1/n² for n rows. The guarantee does not cover the selection of the hyperparameters.
func Descent(name string, r privacy.Relation) Method {
	return Method{Name: name, Promise: "δ = 1/n², tuning not charged", Learn: func(in *Instance, epsilon privacy.Decimal) (Trial, error) {
		f, err := in.features()
		if err != nil {
			return nil, err
		}
		delta, err := in.delta()
		if err != nil {
			return nil, err
		}
		t := tuningFor(r, epsilon)
		share := decimal(t.share)
		m, err := convex.NewDPSGD(f, convex.Descent{
			Share: share, Steps: t.steps, Clip: decimal(t.clip), Rate: t.rate, Batch: float(share) * float64(in.Rows),
		}, epsilon, delta, r)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (Predictor, error) {
			l, err := m.Release(ctx, in.Examples, noise.Crypto())
			return linear(f, l), err
		}, nil
	}}
}

// NaiveBayes returns the method that learns by naive Bayes on noisy counts (learn.NaiveBayes) under replace-one.
func NaiveBayes(name string) Method {
	return Method{Name: name, Promise: "pure", Learn: func(in *Instance, epsilon privacy.Decimal) (Trial, error) {
		budget, err := privacy.NewPure(privacy.ReplaceOne, epsilon)
		if err != nil {
			return nil, err
		}
		m, err := learn.NewNaiveBayes(in.Sizes, budget, 100)
		if err != nil {
			return nil, err
		}
		b := table.NewBuilder(in.Sizes)
		for _, e := range in.Examples {
			if err := b.Add(e.X, e.Label, e.Count); err != nil {
				return nil, err
			}
		}
		d := b.Table()
		return func(ctx context.Context) (Predictor, error) {
			p, err := m.Release(ctx, d, noise.Crypto())
			return func(r []uint16) bool { return p.Total(r) > 0 }, err
		}, nil
	}}
}
