package mechanism

import (
	"context"
	"flag"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Gibbs is the exponential mechanism over a class with a tractable partition function, or over a
// union of such classes and classes that are searched. It has two options:
//
//   - With ConstantWork, the work is the same for every table with the stated number of rows.
//     Unions do not support it.
//   - If Loss is "graded", the leaves of decision trees predict risk levels, and the cost of a
//     record is the squared error of its risk level instead of a misclassification.
type Gibbs struct {
	ConstantWork bool
	Loss         string
}

const GradedName = "graded"

var gibbsKind = Kind{
	Name: ExponentialName, What: "samples a tree without a search, with higher probability for a smaller tree and fewer misclassifications; δ = 0",
	For: func(k model.Kind) bool { return k.Selection == model.ByPartition || k.Selection == model.Combined }, Persons: true, New: func() Mechanism { return &Gibbs{} },
	Record: func() any { return &gibbsJSON{} }, Recreate: recreateGibbs,
}

// Parameters implements Mechanism: it adds the flags of the parameters to f.
func (g *Gibbs) Parameters(f *flag.FlagSet) {
	f.BoolVar(&g.ConstantWork, "constant-work", false, "do as much work for repeated records as for distinct ones, so that the running time does not reveal how many records are distinct; requires --rows")
	f.StringVar(&g.Loss, "loss", "", "the `loss` of a tree, with which its probability decreases: empty, which stands for the number of misclassifications, or graded, which stands for the squared error of leaves that predict one of four risk levels; graded usually gives a higher AUC")
}

type gibbsJSON struct {
	Name   string     `json:"name"`
	Loss   LossRecord `json:"loss"`
	Graded bool       `json:"graded,omitempty"`
	Rate   string     `json:"rate"` // λ, an exact fraction such as "1/4"; for the graded loss, per 1/64 of a misclassification
}

// A weighed is a mechanism of package learn that samples from a class with a prior. The methods
// provide what the model file and the error bounds state about the mechanism.
type weighed interface {
	Bounded
	Guarantee() privacy.Guarantee
	Loss() learn.Loss
	Rate() *big.Rat
}

// A mixture samples from a union of classes with a tractable partition function and classes that
// are searched, and converts the samples to hypotheses of the model's form.
type mixture struct {
	*learn.Mixture[table.Record, union.Choice[any]]
	space model.Mixed
}

func (m mixture) Release(ctx context.Context, d []learn.Example[table.Record], coins noise.Coins) (any, error) {
	h, err := m.Mixture.Release(ctx, d, coins)
	if err != nil {
		return nil, err
	}
	return m.space.Whole(h)
}

// A levelsLearner samples a tree whose leaves predict risk levels, and then replaces each level by the more likely
// outcome.
type levelsLearner struct {
	*learn.Gibbs[table.Record, any]
	space model.Multilevel
}

func (m levelsLearner) Release(ctx context.Context, d learn.Records[table.Record], coins noise.Coins) (any, error) {
	h, err := m.Gibbs.Release(ctx, d, coins)
	if err != nil {
		return nil, err
	}
	return m.space.Relabel(h, learn.GradedOutcome), nil
}

// Loss returns the costs of misclassifications that the model file states; they are all 1.
func (levelsLearner) Loss() learn.Loss { return learn.ZeroOne }

// checkLoss returns an error if the parameter loss has an unknown value.
func (g *Gibbs) checkLoss() error {
	if g.Loss != "" && g.Loss != GradedName {
		return parameter.Errorf("{loss} %s is unknown; it must be %s; to count misclassifications, leave {loss} out", quote.Word(g.Loss), GradedName)
	}
	return nil
}

// levels returns the setting's space as a model.Multilevel, and the corresponding space of trees
// whose leaves predict risk levels, from which the mechanism samples if the loss is graded. It
// returns an error if the setting does not support the graded loss.
func levels(s *Setting) (model.Multilevel, model.Space, error) {
	of, ok := s.Space.(model.Multilevel)
	switch n := s.Schema.Outcomes(); {
	case !ok:
		return nil, nil, parameter.Errorf("{loss} %s requires {class} tree; choose that class, or leave {loss} out", GradedName)
	case n > 2:
		return nil, nil, parameter.Errorf("{loss} %s requires a label with two outcomes, but this label has %d; leave {loss} out", GradedName, n)
	}
	space, err := of.WithLevels(learn.GradedLevels)
	return of, space, err
}

// DrawnFrom returns the space of hypotheses from which the mechanism m samples. This is s.Space,
// unless the loss is graded; then it is the space of trees that predict risk levels.
func (s *Setting) DrawnFrom(m Mechanism) (model.Space, error) {
	if g, ok := m.(*Gibbs); ok && g.Loss == GradedName {
		_, space, err := levels(s)
		return space, err
	}
	return s.Space, nil
}

// A drawer holds the mechanism of package learn that samples the hypothesis. The field learner is
// set for a class that is searched, which supports only labels with two outcomes. The field records
// is set for a class with a tractable partition function.
type drawer struct {
	weighed
	learner Learner                          // for a searched class; otherwise nil
	records RecordsLearner                   // for a class without a search
	observe func(Curator)                    // for a searched class
	fill    func(rows int64, x table.Record) // for a class without a search
}

// gibbs returns the mechanism of package learn that samples the hypothesis, and its record for the
// model file. The parameter l holds the costs of misclassifications. They must all be 1 if the
// label has more than two outcomes, or if graded is true, that is, if trees predict risk levels.
func gibbs(s *Setting, l learn.Loss, graded bool) (m drawer, record gibbsJSON, err error) {
	if graded {
		if l != learn.ZeroOne {
			return m, record, parameter.Errorf("{loss} %s cannot be combined with costs; leave {false-positive} and {false-negative} out", GradedName)
		}
		of, space, err := levels(s)
		if err != nil {
			return m, record, err
		}
		own := levelsLearner{space: of}
		if own.Gibbs, err = learn.NewGibbs(space.Sampling().Tractable, s.Epsilon, s.Relation, learn.Graded()); err != nil {
			return m, record, err
		}
		m = drawer{weighed: own, records: own, fill: own.Fill}
	} else if of := s.Space.Sampling().Mixed; of != nil {
		own := mixture{space: of}
		own.Mixture, err = learn.NewMixture[table.Record, union.Choice[any]](of.Mixed(), s.Epsilon, s.Relation, l)
		m = drawer{weighed: own, learner: own, observe: func(c Curator) { own.Observe = c.Effort }}
	} else {
		c := s.Space.Sampling().Tractable
		if err := CheckLoss(c.Outcomes(), l); err != nil {
			return m, record, err
		}
		own, err := learn.NewGibbs(c, s.Epsilon, s.Relation, l.CostMatrix(c.Outcomes()))
		if err != nil {
			return m, record, err
		}
		m = drawer{weighed: own, records: own, fill: own.Fill}
	}
	if err != nil {
		return m, record, err
	}
	return m, gibbsJSON{ExponentialName, LossRecord(m.Loss()), graded, m.Rate().RatString()}, nil
}

func (g *Gibbs) Over(s *Setting) (*Made, error) {
	if err := s.Pure(); err != nil {
		return nil, err
	}
	if err := g.checkLoss(); err != nil {
		return nil, err
	}
	m, record, err := gibbs(s, s.Costs, g.Loss != "")
	if err != nil {
		return nil, err
	}
	if g.ConstantWork {
		if err := s.Stated("{constant-work}"); err != nil {
			return nil, err
		}
		if !s.Relation.Replaces() {
			return nil, parameter.Errorf("{constant-work} requires {relation} replace, because the number of rows must be public; use that relation, or leave {constant-work} out")
		}
		if m.fill == nil {
			return nil, parameter.Errorf("{constant-work} does not support a union in which a class is searched, because the time of a search depends on the data; leave {constant-work} out")
		}
		most := int64(s.Schema.Outcomes()) * Records(s.Schema, s.Rows) // the maximum number of distinct records with their labels
		m.fill(min(counting(s.Schema, s.Rows), most), make(table.Record, len(s.Schema.Attributes)))
	}
	made := &Made{Learner: m.learner, Observe: m.observe, Record: record}
	if m.records != nil {
		made.Table = learn.OnRecords[any]{Mechanism: m.records}
	}
	return made, nil
}

func (g *Gibbs) Bounds(s *Setting) ([]Bound, error) {
	if err := g.checkLoss(); err != nil {
		return nil, err
	}
	m, _, err := gibbs(s, s.Costs, g.Loss != "")
	if err != nil {
		return nil, err
	}
	return []Bound{s.Bound(ExponentialName, g.Loss, m)}, nil
}

func recreateGibbs(stored any, s *Setting) (*Recreated, error) {
	j := stored.(*gibbsJSON)
	m, record, err := gibbs(s, learn.Loss(j.Loss), j.Graded)
	if err != nil {
		return nil, err
	}
	return &Recreated{Record: record, Guarantee: m.Guarantee()}, nil
}
