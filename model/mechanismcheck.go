package model

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/oracle"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/quote"
	"github.com/sibyl-dp/sibyl/table"
)

// assumed says what a guarantee assumes of each oracle that a model may name,
// and of none.
var assumed = map[string][]privacy.Assumption{
	"":           nil,
	"search":     nil,
	"exhaustive": nil,
	"transform":  nil,
	"toulbar2":   {privacy.ExactOracle},
	"clasp":      {privacy.ExactOracle},
	"cbc":        {privacy.ExactOracle, privacy.FloatBound},
	"highs":      {privacy.ExactOracle, privacy.FloatBound},
}

// OnItsWord tells that an answer's being the least rests on the word of the
// oracle of that name. Only privacy.ExactOracle says so in a guarantee, and PRSMA,
// whose oracle may fail, cannot assume that.
func OnItsWord(oracle string) bool {
	of := assumed[oracle]
	return slices.Contains(of, privacy.ExactOracle) && !slices.Contains(of, privacy.FloatBound)
}

// assumes lists what the guarantee assumes. PRSMA holds however its oracle fails.
func (m Mechanism) assumes() []privacy.Assumption {
	of := slices.Clone(assumed[m.Oracle])
	if m.Name == PRSMA {
		of = slices.DeleteFunc(of, func(a privacy.Assumption) bool { return a == privacy.ExactOracle })
	}
	return of
}

// approximate tells that the guarantee has a δ.
func (m Mechanism) approximate() bool {
	return m.Sigma2 != nil || m.Plan != nil || m.Perturbation != nil
}

// perturbs tells that the mechanism adds noise to costs and asks an oracle.
func (m Mechanism) perturbs() bool { return m.Name == RSPM || m.Name == OPDisc || m.Name == PRSMA }

// kinds lists, for the mechanisms of additive forms, the kinds that they release.
var kinds = map[string][]string{
	Exponential: {Logistic, SVM}, // over a Box
	Statistical: {NaiveBayes},
	DPSGD:       {Logistic},
	OPSamp:      {Logistic, SVM, LeastSquares},
}

// losses are those of the kinds that come from one.
var losses = map[string]convex.Loss{
	Logistic: convex.LogisticLoss, SVM: convex.HingeLoss, LeastSquares: convex.SquaredLoss,
}

// releases tells whether the mechanism releases hypotheses of the form.
func (m Mechanism) releases(f Form) bool {
	own, additive := kinds[m.Name]
	_, family := f.(Family)
	switch {
	case m.Name == None:
		return true
	case family:
		return !additive || m.Name == Exponential
	}
	return slices.Contains(own, f.Name())
}

// names are the names of all mechanisms.
var names = []string{Exponential, RSPM, OPDisc, PRSMA, Boost, Statistical, DPSGD, OPSamp, None}

// validate reports parameters that the mechanism has not, or that lack.
func (m Mechanism) validate(f Form) error {
	if !slices.Contains(names, m.Name) {
		return fmt.Errorf("the mechanism %s is unknown", quote.Word(m.Name))
	}
	if !m.releases(f) {
		return fmt.Errorf("the mechanism %q releases no hypothesis of %q", m.Name, f.Name())
	}
	_, family := f.(Family)
	gaussian := m.Name == RSPM && m.Noise == Gauss || m.Name == OPDisc && m.Rate == nil || m.Name == DPSGD
	for _, part := range []struct {
		name       string
		has, wants bool
	}{
		{"loss", m.Loss != learn.Loss{}, family},
		{"rate", m.Rate != nil, m.Name != None && !gaussian},
		{"sigma2", m.Sigma2 != nil, gaussian},
		{"sample", m.Sample != nil, m.Sample != nil && m.Name == Exponential && family},
		{"series", m.Series != nil, m.Series != nil && m.Name == Exponential && m.Sample == nil && family},
		{"boost", m.Boost != nil, m.Name == Boost},
		{"box", m.Box != nil, m.Name == Exponential && !family},
		{"columns", m.Columns != nil, m.Name == DPSGD || m.Name == OPSamp || m.Name == Exponential && !family},
		{"descent", m.Descent != nil, m.Name == DPSGD},
		{"perturbation", m.Perturbation != nil, m.Name == OPSamp},
		{"noise", m.Noise != "", m.Name == RSPM || m.Name == PRSMA},
		{"grid", m.Grid != 0, m.perturbs()},
		{"shift", m.Shift != 0, m.perturbs()},
		{"oracle", m.Oracle != "", m.perturbs()},
		{"plan", m.Plan != nil, m.Name == PRSMA},
		{"node budget", m.NodeBudget != 0, m.Name == PRSMA},
	} {
		switch {
		case part.has && !part.wants:
			return fmt.Errorf("the mechanism %q has no use for its %s", m.Name, part.name)
		case !part.has && part.wants:
			return fmt.Errorf("the mechanism %q needs its %s", m.Name, part.name)
		}
	}
	if family {
		if err := m.Loss.Validate(); err != nil {
			return errors.New(Reason(err))
		}
	}
	if p := m.Perturbation; p != nil && p.Loss != losses[f.Name()] {
		return fmt.Errorf("the mechanism's loss is %v, that of %q is %v", p.Loss, f.Name(), losses[f.Name()])
	}
	return m.ranges()
}

// ranges reports parameters that make no sense whatever is promised.
func (m Mechanism) ranges() error {
	switch {
	case m.Rate != nil && m.Rate.Sign() <= 0:
		return errors.New("the mechanism's rate is not positive")
	case m.Sigma2 != nil && m.Sigma2.Sign() <= 0:
		return errors.New("the mechanism's sigma2 is not positive")
	case m.Series != nil && (m.Series.Rounds < 1 || m.Series.Rounds > MostRounds):
		return fmt.Errorf("the mechanism's rounds %d are outside 1..%d", m.Series.Rounds, MostRounds)
	case m.Series != nil && (m.Series.Round < 1 || m.Series.Round-1 > m.Series.Rounds):
		return fmt.Errorf("the mechanism's round %d is none of %d and the one after them", m.Series.Round, m.Series.Rounds)
	case m.Descent != nil && m.Descent.Grid < 1:
		return fmt.Errorf("the mechanism's grid %d is not positive", m.Descent.Grid)
	case m.NodeBudget < 0:
		return fmt.Errorf("the mechanism's node budget is %d", m.NodeBudget)
	case !m.perturbs():
		return nil
	case m.Grid < 1 || m.Grid > learn.MostGrid:
		return fmt.Errorf("the mechanism's grid %d is outside 1..%d", m.Grid, learn.MostGrid)
	}
	if _, known := assumed[m.Oracle]; !known {
		return fmt.Errorf("the mechanism's oracle %s is unknown", quote.Word(m.Oracle))
	}
	if m.Name == PRSMA && OnItsWord(m.Oracle) {
		return fmt.Errorf("the mechanism %q cannot rest on the word of the oracle %q", m.Name, m.Oracle)
	}
	if m.Noise != "" && m.Noise != Gauss {
		if _, err := learn.ParseNoise(m.Noise); err != nil {
			return err
		}
	}
	return nil
}

// gives reports a guarantee that the mechanism's parameters do not give.
func (m Mechanism) gives(f Form, s *table.Schema, g Guarantee) error {
	if _, err := g.Relation.MarshalText(); err != nil {
		return errors.New(`the guarantee has no relation; it is "replace" or "add-remove"`)
	}
	if wants := m.assumes(); !slices.Equal(g.Assumes, wants) {
		return fmt.Errorf("the guarantee assumes %q, but the mechanism %q with the oracle %q calls for %q", g.Assumes, m.Name, m.Oracle, wants)
	}
	if g.Epsilon.IsZero() || g.Delta.IsZero() == m.approximate() {
		delta := "delta of 0"
		if m.approximate() {
			delta = "positive delta"
		}
		return fmt.Errorf("the guarantee must have a positive epsilon and a %s, as the mechanism %q has", delta, m.Name)
	}
	want, promise, err := m.made(f, s, g)
	if err != nil {
		return fmt.Errorf("the mechanism cannot give the guarantee: %s", Reason(err))
	}
	if m.Shift != want.Shift {
		return fmt.Errorf("the mechanism's shift is %d, but its grid and loss ask for %d", m.Shift, want.Shift)
	}
	if (m.Rate == nil) != (want.Rate == nil) || m.Rate != nil && m.Rate.Cmp(want.Rate) != 0 {
		return fmt.Errorf("the mechanism's rate is %.60s, which does not give the stated epsilon of %s (that takes %.60s)", ratio(m.Rate), g.Epsilon, ratio(want.Rate))
	}
	if (m.Sigma2 == nil) != (want.Sigma2 == nil) || m.Sigma2 != nil && m.Sigma2.Cmp(want.Sigma2) != 0 {
		return fmt.Errorf("the mechanism's sigma2 is %.60v, which does not give the stated epsilon of %s and delta of %s (they take %.60v)", m.Sigma2, g.Epsilon, g.Delta, want.Sigma2)
	}
	given, err := State(promise)
	if err != nil {
		return err
	}
	if given.Epsilon != g.Epsilon || given.Delta != g.Delta {
		return fmt.Errorf("the mechanism's parameters give an epsilon of %s and a delta of %s, not the stated %s and %s", given.Epsilon, given.Delta, g.Epsilon, g.Delta)
	}
	return nil
}

func ratio(r *big.Rat) string {
	if r == nil {
		return "absent"
	}
	return r.RatString()
}

// made returns what package learn makes of the parameters that were chosen and
// of the ε, δ and relation of a guarantee: the others must be equal.
func (m Mechanism) made(f Form, s *table.Schema, g Guarantee) (Mechanism, privacy.Guarantee, error) {
	family, ok := f.(Family)
	if !ok {
		return m.madeAdditive(f.(Additive), s, g)
	}
	c, err := family.Over(s)
	if err != nil {
		return Mechanism{}, nil, err
	}
	if m.perturbs() {
		return m.madeOverOracle(oracle.Search(c), g)
	}
	return m.madeOverClass(c, g)
}

// madeOverClass is for mechanisms that need no oracle.
func (m Mechanism) madeOverClass(c Class, g Guarantee) (Mechanism, privacy.Guarantee, error) {
	inner := g.Epsilon
	switch {
	case m.Sample != nil:
		inner = m.Sample.Epsilon
	case m.Series != nil:
		inner = m.Series.Epsilon
	}
	base, err := learn.NewExponential(c, inner, g.Relation, m.Loss)
	if err != nil {
		return Mechanism{}, nil, err
	}
	switch {
	case m.Sample != nil:
		made, err := m.Sample.Of(base)
		if err != nil {
			return Mechanism{}, nil, err
		}
		return OfSample(base, *m.Sample), made.Guarantee(), nil
	case m.Series != nil:
		promise, err := m.Series.promise(base)
		return OfSeries(base, *m.Series), promise, err
	case m.Boost != nil:
		made, err := learn.NewBoost(base, *m.Boost, g.Epsilon)
		if err != nil {
			return Mechanism{}, nil, err
		}
		return OfBoost(made, base), made.Guarantee(), nil
	}
	return OfExponential(base), base.Guarantee(), nil
}

// Of returns the mechanism on such a sample.
func (s Sample) Of(base *learn.Exponential[table.Record, any]) (*learn.Subsample[table.Record, any], error) {
	if s.Rate.IsZero() {
		return learn.NewSubsample(base, s.Rows, s.Size)
	}
	if s.Rows != 0 || s.Size != 0 {
		return nil, errors.New("its sample has a rate and a size")
	}
	return learn.NewPoissonSubsample(base, s.Rate)
}

// promise returns the guarantee of the whole series.
func (s Series) promise(base *learn.Exponential[table.Record, any]) (privacy.Guarantee, error) {
	if base.Guarantee().Relation() != privacy.ReplaceOne {
		return nil, errors.New("its series is under add-remove, where batches would not keep their rows")
	}
	leader, err := learn.NewLeader(base, s.Batch)
	if err != nil {
		return nil, err
	}
	return leader.Guarantee(s.Rounds)
}

// madeOverOracle is for the others.
func (m Mechanism) madeOverOracle(o minimizer, g Guarantee) (Mechanism, privacy.Guarantee, error) {
	switch {
	case m.Plan != nil:
		return m.madePRSMA(o, g.Relation)
	case m.Name == OPDisc && class.EmbeddingOf(o.Class()).Sphere().Dim == 0:
		return Mechanism{}, nil, errors.New("its class has only one hypothesis")
	case m.Name == OPDisc:
		made, err := learn.NewOPDisc(o, g.Epsilon, g.Delta, g.Relation, m.Loss, m.Grid)
		if err != nil {
			return Mechanism{}, nil, err
		}
		return OfOPDisc(made, m.Oracle), made.Guarantee(), nil
	case m.Noise == Gauss:
		made, err := learn.NewGaussianRSPM(o, g.Epsilon, g.Delta, g.Relation, m.Loss, m.Grid)
		if err != nil {
			return Mechanism{}, nil, err
		}
		return OfGaussianRSPM(made, m.Oracle), made.Guarantee(), nil
	}
	made, err := m.madeRSPM(o, g.Epsilon, g.Relation)
	if err != nil {
		return Mechanism{}, nil, err
	}
	return OfRSPM(made, m.Oracle), made.Guarantee(), nil
}

func (m Mechanism) madeRSPM(o minimizer, epsilon privacy.Decimal, r privacy.Relation) (*learn.RSPM[table.Record, any], error) {
	kind, err := learn.ParseNoise(m.Noise)
	if err != nil {
		return nil, err
	}
	return learn.NewRSPM(o, kind, epsilon, r, m.Loss, m.Grid)
}

func (m Mechanism) madePRSMA(o minimizer, r privacy.Relation) (Mechanism, privacy.Guarantee, error) {
	base, err := m.madeRSPM(o, m.Plan.BaseEpsilon, r)
	if err != nil {
		return Mechanism{}, nil, err
	}
	runs, err := base.Within(oracle.Budget{Nodes: m.NodeBudget})
	if err != nil {
		return Mechanism{}, nil, err
	}
	made, err := learn.NewPRSMA(runs, *m.Plan)
	if err != nil {
		return Mechanism{}, nil, err
	}
	return OfPRSMA(made, base, m.Oracle, m.NodeBudget), made.Guarantee(), nil
}

type minimizer = oracle.Minimizer[table.Record, any]
