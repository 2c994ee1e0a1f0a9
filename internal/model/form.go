package model

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Form is a class of hypotheses, or a type of linear model, together with values of its public parameters. Each form
// has its own file, and Kinds lists them all.
type Form interface {
	// Name returns the name of the form in commands and files.
	Name() string
	// Noun returns the noun for a hypothesis of the form, such as "scorecard".
	Noun() report.Noun
	// Over returns the set of the form's hypotheses over the attributes of a schema. Its error states in one
	// sentence which parameter or attribute is wrong.
	Over(*table.Schema) (Space, error)

	// parameters returns the JSON form of the parameters, including the name.
	parameters() any
}

// A Class is a class of hypotheses over the records of a schema, which mechanisms search for hypotheses of low cost.
type Class = class.Class[table.Record, any]

// A TractableClass is a class of hypotheses over the records of a schema, from which mechanisms sample without a
// search. The class computes a tight upper bound on its partition function, the sum of prior · e^(−λ · cost) over all
// hypotheses, where λ is the rate of the exponential mechanism.
type TractableClass = class.Tractable[table.Record, any]

// A MixedClass is a union of classes over the records of a schema. Mechanisms search some of these classes, and sample
// from the others without a search.
type MixedClass = class.Mixed[table.Record, union.Choice[any]]

// A Space is the set of all hypotheses of a form over the attributes of one schema.
type Space interface {
	// Sampling describes how a mechanism selects a hypothesis.
	Sampling() Sampling
	// MostGrades returns the kind of the grades, and an upper bound on the number of grades of a hypothesis.
	MostGrades() (risk.Kind, int)

	// domain returns the schema over whose attributes the hypotheses of the space are defined.
	domain() *table.Schema
	// read reads a hypothesis that WriteHypothesis wrote. The hypothesis fits the schema, but may not belong to the
	// space.
	read(json.RawMessage) (any, error)
	// check returns an error if the hypothesis h is not in the space.
	check(h any) error
	// rule returns the rule that a hypothesis in the space represents.
	rule(h any) rule.Body
}

// A Sampling describes how mechanisms select a hypothesis with few misclassifications from a space. At most one field
// is set, to the class from which the hypothesis is selected. If no field is set, mechanisms compute the hypothesis
// from statistics instead.
type Sampling struct {
	Class     Class          // selected by branch-and-bound search
	Tractable TractableClass // sampled through the partition function
	Mixed     Mixed          // a union with a summed or a staged member
	Staged    Staged         // sampled in stages
	Tree      TractableClass // the trees of the forms card-or-tree, ranked-tree and card-and-tree; the mechanisms compute cards or points in addition
}

// SearchedClass returns the class of a space that mechanisms search, or nil if they use no search. For a space that is
// sampled in stages, it is the class of the first stage without penalties, because penalties depend on the rate λ of
// the exponential mechanism.
func SearchedClass(s Space) Class {
	of := s.Sampling()
	if of.Staged != nil {
		return of.Staged.First()
	}
	return of.Class
}

// A Tabular space can compute the costs of all its hypotheses at once, in a table.
type Tabular interface {
	Space
	// Tabulated returns the class with a table of the costs of all hypotheses, or an error if the class is too large.
	Tabulated() (Class, error)
}

// A Separated space has a separator: a public set of records on which any two hypotheses predict differently. A form
// may require a minimum Hamming distance, which is the minimum number of these records on which two hypotheses differ.
type Separated interface {
	Space
	// Distance returns the minimum Hamming distance of the separator, or 0 for the natural separator of the class.
	Distance() int
}

// A Multilevel space has a variant for levels of risk, with a tractable class. The hypotheses of the variant have the
// same structure, but predict one of several levels of risk instead of an outcome.
type Multilevel interface {
	Space
	// WithLevels returns the space of hypotheses with the same structure that predict one of the given number of levels.
	// The class of this space is tractable.
	WithLevels(levels int) (Space, error)
	// Relabel converts a hypothesis h that predicts levels, from a space that WithLevels returned, to a hypothesis of
	// this space. The function outcome maps each level to an outcome.
	Relabel(h any, outcome func(level int) int) any
}

// A Mixed space is a union of classes that mechanisms sample in different ways: by search, through the partition
// function, or in stages.
type Mixed interface {
	// Mixed returns the union, the class from which mechanisms sample.
	Mixed() MixedClass
	// Whole converts a sample from the union of classes (drawn) to a hypothesis of the space.
	Whole(drawn union.Choice[any]) (union.Choice[any], error)
}

// A Staged space is sampled in stages. Each stage samples a hypothesis from a class that depends on the samples of the
// earlier stages.
type Staged interface {
	learn.Stages[table.Record, any]
	// First returns the class of hypotheses of the first stage, without penalties.
	First() Class
	// Weight returns the sum of the prior weights of all hypotheses of the first stage, with the penalties for lambda,
	// the rate of the exponential mechanism. A hypothesis without a penalty has weight 1.
	Weight(lambda *big.Rat) (*big.Int, error)
	// Work returns the approximate number of steps that all stages take before they search, for the given number of
	// distinct records. A step takes about 10 ns.
	Work(records int64) int64
	// Quick reports whether sampling takes only seconds for the given number of rows, according to measurements.
	Quick(rows int64) bool
	// Summed reports whether a complete enumeration of the only stage takes a few seconds at most, for every table.
	Summed() bool
	// Sum returns the partition function of the only stage, with the penalties for lambda, the rate of the exponential
	// mechanism, or without penalties if lambda is nil. Summed must be true.
	Sum(lambda *big.Rat) (class.Summed[table.Record, any], error)
	// Join combines the samples of all stages to a hypothesis of the space.
	Join(drawn []any) (any, error)
	// Counted returns the stages for a data source that can answer only queries for counts. It returns nil if there is
	// more than one stage, or if the marginals to query have too many cells.
	Counted() learn.CountedStages[table.Record, any]
}

// A FormBuilder collects the parameters of a form, beginning with their defaults. The caller sets parameters as flags,
// and then calls Form with a schema. Errors are created by package parameter, so that they can refer to a parameter
// either as a flag of a command or as a field of a Go program.
type FormBuilder interface {
	// Parameters defines the parameters as flags. Setting a flag sets a field of the FormBuilder.
	Parameters(*flag.FlagSet)
	// Form returns the form with the parameters that were set, which may name attributes of the schema. The error
	// states in one sentence which parameter is wrong.
	Form(*table.Schema) (Form, error)
}

// A Selection is the method by which mechanisms obtain a hypothesis of a form: a search, the partition function, or a
// computation from statistics.
type Selection int

const (
	Computed    Selection = iota // not selected: computed from statistics
	BySearch                     // by branch-and-bound search; all mechanisms for searched classes apply
	ByPartition                  // through the partition function; only the exponential mechanism applies
	InStages                     // in stages; only the exponential mechanism applies
	Combined                     // from a union of such classes; only the exponential mechanism applies
)

// A Kind describes a form that commands and programs can request by name. Its parameters are not set yet.
type Kind struct {
	Name      string
	What      string // a short description
	Selection Selection
	Quicker   parameter.Text // a remedy if the search takes too long
	Outcomes  bool           // whether labels may have more than two outcomes

	// New returns a FormBuilder with the default values of the form's parameters.
	New func() FormBuilder

	read func(json.RawMessage) (Form, error)
}

// Chosen reports whether mechanisms select the hypothesis from a class, so that it has few misclassifications.
// Otherwise they compute the hypothesis from statistics.
func (k Kind) Chosen() bool { return k.Selection != Computed }

// Joins reports whether the form may be a member of a union. This requires that mechanisms select its hypothesis from a
// class, and that the form is not a union itself.
func (k Kind) Joins() bool { return k.Chosen() && k.Selection != Combined }

// UnionKind returns the kind of a union of forms, given the kinds of its members. Mechanisms search the union if they
// search all its members; otherwise its Selection is Combined. There must be at least one member.
func UnionKind(of []Kind) Kind {
	k := of[0]
	if slices.ContainsFunc(of, func(k Kind) bool { return k.Selection != BySearch }) {
		k = Kind{Selection: Combined}
	}
	k.Name, k.Quicker = unionName, "fewer categories, or smaller classes"
	return k
}

// kinds lists all kinds of forms, in the order of the documentation.
var kinds = []Kind{
	scorecardKind, halfspaceKind, conjunctionKind, disjunctionKind, decisionListKind,
	parityKind, majorityKind, nandKind, decisionTreeKind, sparseKind, sumScoreKind,
	naiveBayesKind, cardOrTreeKind, rankedTreeKind, cardAndTreeKind, logisticKind, svmKind, leastSquaresKind,
}

// Kinds returns all forms that can be requested, in the order of the documentation: first the forms whose hypotheses
// are selected from a class, and then those whose hypotheses are computed from statistics.
func Kinds() []Kind { return kinds }

// KindOf returns the kind of the form with the given name, and whether there is one.
func KindOf(name string) (Kind, bool) {
	for _, k := range kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Over returns the space of a form over a schema. Unlike Form.Over, it also returns an error if the label has more than
// two outcomes and the form supports only two.
func Over(f Form, s *table.Schema) (Space, error) {
	if n := s.Outcomes(); n > 2 {
		if k, _ := KindOf(f.Name()); !k.Outcomes {
			return nil, parameter.Errorf("the label has %d outcomes, but {class} %s supports only two; %s", n, f.Name(), forOutcomes())
		}
	}
	return f.Over(s)
}

// forOutcomes returns the end of an error message for labels with more than two outcomes. It lists the forms that
// support them.
func forOutcomes() parameter.Text {
	var names []string
	for _, k := range kinds {
		if k.Outcomes {
			names = append(names, k.Name)
		}
	}
	const name parameter.Text = "name its positive and negative values"
	if len(names) == 0 {
		return name
	}
	return "choose {class} " + parameter.Text(strings.Join(names, " or ")) + ", or " + name
}

// readForm reads a form, its name and parameters, from the JSON text in a model file.
func readForm(text json.RawMessage) (Form, error) {
	var start struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(text, &start) != nil {
		return nil, errors.New("the class must be a JSON object that states its name")
	}
	read := readUnion
	if start.Name != unionName {
		k, known := KindOf(start.Name)
		if !known {
			var names []string
			for _, k := range kinds {
				names = append(names, k.Name)
			}
			return nil, fmt.Errorf("the class %s is unknown; it must be one of %s, %s", quote.Word(start.Name), strings.Join(names, ", "), unionName)
		}
		read = k.read
	}
	f, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("the class is malformed: %w", err)
	}
	return f, nil
}

// Reason returns the text of an error without a leading package name, such as "learn: ".
func Reason(err error) string {
	text := err.Error()
	if name, after, found := strings.Cut(text, ": "); found && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == "" {
		return after
	}
	return text
}

// noClass returns the error for a class whose constructor failed with the error err.
func noClass(err error) error {
	return parameter.About("class", fmt.Errorf("invalid class: %s", Reason(err)))
}

// searched is the common part of all spaces whose class mechanisms search.
type searched struct {
	form   Form
	schema *table.Schema
	class  Class
}

// Sampling implements Space: it returns the class of hypotheses, which mechanisms search.
func (s searched) Sampling() Sampling { return Sampling{Class: s.class} }

func (s searched) domain() *table.Schema { return s.schema }

// MostGrades returns 2, the number of outcomes, because the grade of a record is its prediction.
func (s searched) MostGrades() (risk.Kind, int) { return risk.Prediction, 2 }

func (s searched) check(h any) error {
	if !s.class.Contains(h) {
		return notOf(s.form)
	}
	return nil
}

// notOf returns the error for a hypothesis in a model file that does not belong to f, the class that the file states.
func notOf(f Form) error {
	return fmt.Errorf("the hypothesis does not belong to its class, %s: it violates a parameter of the class", f.Name())
}
