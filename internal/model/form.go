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

// A Form is what the hypothesis of a model is, by its public parameters. The forms are
// those of this package, each in a file of its own, and kinds lists them.
type Form interface {
	// Name is what commands and files call the form.
	Name() string
	// Noun names one of its hypotheses.
	Noun() report.Noun
	// Over lays the form over the attributes of a schema, or says in one sentence what
	// is wrong.
	Over(*table.Schema) (Space, error)

	// parameters returns what stands for the form in JSON, its name included.
	parameters() any
}

// A Class is a class over the records of a schema.
type Class = class.Class[table.Record, any]

// A SummedClass is one over the records of a schema that is drawn from without a search.
type SummedClass = class.Summed[table.Record, any]

// A Space is a form over a schema: the hypotheses that it has there.
type Space interface {
	// Class is what a mechanism chooses from; nil where nothing is searched.
	Class() Class
	// MostGrades returns what grades are, and how many a hypothesis has at most.
	MostGrades() (risk.Kind, int)

	// domain returns the schema.
	domain() *table.Schema
	// read returns the hypothesis that WriteHypothesis wrote. It need not be of the form, but is
	// well formed for the schema.
	read(json.RawMessage) (any, error)
	// check reports in one sentence why a hypothesis is not of the form.
	check(h any) error
	// rule returns what a hypothesis of the form says of records.
	rule(h any) rule.Body
}

// SearchedClass returns the class of a space that is searched, of several draws that of the
// first, without charges; nil where nothing is searched.
func SearchedClass(s Space) Class {
	if of, staged := s.(Staged); staged {
		return of.First()
	}
	return s.Class()
}

// A Tabular space can have the costs of all its hypotheses computed at once.
type Tabular interface {
	Space
	// Tabulated returns the class laid out so, or says why it is too large.
	Tabulated() (Class, error)
}

// A Separated space may have a separator whose bits hypotheses differ in at least some.
type Separated interface {
	Space
	// Distance is in how many; 0 for that of the class's own separator.
	Distance() int
}

// A Summed space has a class that is not searched, but drawn from through its mass.
type Summed interface {
	Space
	Summed() SummedClass
}

// A Leveled space is summed, and has a space of hypotheses that tell levels in place of
// outcomes.
type Leveled interface {
	Summed
	// Leveled returns it.
	Leveled(levels int) (Summed, error)
	// Told returns one of its hypotheses as one of this space, with an outcome for each level.
	Told(h any, outcome func(level int) int) any
}

// A Mixed space has a class of which a part is searched, and a part may be drawn from through
// its mass.
type Mixed interface {
	Space
	Mixed() MixedClass
	// Whole returns what was drawn of the class as a hypothesis of the form.
	Whole(drawn union.Choice[any]) (union.Choice[any], error)
}

// A MixedClass is a union over the records of a schema.
type MixedClass = *union.Mixed[table.Record, any]

// A Staged space is drawn in stages: a hypothesis after the other, each from a class that
// depends on those before.
type Staged interface {
	Space
	learn.Stages[table.Record, any]
	// First returns the class of the first stage, without charges.
	First() Class
	// Weight returns how many hypotheses without charges all of the first stage weigh as much
	// as, at a rate that they are charged for.
	Weight(lambda *big.Rat) (*big.Int, error)
	// Work returns about how many steps of some 10 ns the draws take over so many distinct
	// records before they search.
	Work(records int64) int64
	// Quick tells whether the draws over so many rows take seconds, as far as is known.
	Quick(rows int64) bool
	// Join returns the hypothesis of the form that those drawn make.
	Join(drawn []any) (any, error)
	// Counted returns the stages for data that answers for counts; nil where there are several
	// draws, or what they ask has too many cells.
	Counted() learn.CountedStages[table.Record, any]
}

// An Asking is a form in the making: it is made with defaults, its parameters are set,
// and then it is asked for its form over a schema. Errors call parameters by their names
// as the command does, --penalty.
type Asking interface {
	// Parameters defines the parameters, which point into the asking.
	Parameters(*flag.FlagSet)
	// Form returns the form that the parameters describe, or says in one sentence what is
	// wrong with them. A parameter may speak of attributes of the schema.
	Form(*table.Schema) (Form, error)
}

// A Kind is a form that can be asked for.
type Kind struct {
	Name string
	What string // in a few words, for people

	// Searched tells that the form is a class, of which a mechanism chooses.
	Searched bool
	Quicker  string // what makes a search shorter, for people
	// Summed tells that the form is a class of which only the exponential mechanism
	// chooses, which does not search it.
	Summed bool
	// Mixed tells that the form is a union of which a member is summed or staged, and of
	// which only the exponential mechanism chooses.
	Mixed bool
	// Staged tells that the form is drawn in stages, by the exponential mechanism alone.
	Staged bool
	// Outcomes tells that labels may have more than two outcomes.
	Outcomes bool

	// Ask begins an asking.
	Ask func() Asking

	read func(json.RawMessage) (Form, error)
}

// Chosen tells that a mechanism chooses a hypothesis by what its errors cost.
func (k Kind) Chosen() bool { return k.Searched || k.Summed || k.Mixed || k.Staged }

// Joins tells that a union may have the form as a member.
func (k Kind) Joins() bool { return k.Searched || k.Summed || k.Staged }

// UnionKind returns the kind of a union of forms of the kinds, at least one. It is mixed
// if one of them is summed or staged.
func UnionKind(of []Kind) Kind {
	k := of[0]
	if slices.ContainsFunc(of, func(k Kind) bool { return !k.Searched }) {
		k = Kind{Mixed: true}
	}
	k.Name, k.Quicker = unionName, "fewer categories, or smaller classes"
	return k
}

// kinds is the only list of forms, in the order in which people meet them.
var kinds = []Kind{
	scorecardKind, halfspaceKind, conjunctionKind, disjunctionKind, decisionListKind,
	parityKind, majorityKind, nandKind, decisionTreeKind, sparseKind,
	naiveBayesKind, cardOrTreeKind, logisticKind, svmKind, leastSquaresKind,
}

// Kinds lists the forms that can be asked for, in the order in which people meet them:
// those that are chosen come first.
func Kinds() []Kind { return kinds }

// KindOf returns the kind of that name.
func KindOf(name string) (Kind, bool) {
	for _, k := range kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Over lays a form over a schema, as Form.Over does, or fails where the label has more
// outcomes than the form tells apart.
func Over(f Form, s *table.Schema) (Space, error) {
	if n := s.Outcomes(); n > 2 {
		if k, _ := KindOf(f.Name()); !k.Outcomes {
			return nil, parameter.Errorf("the label has %d outcomes, and {class} %s tells two apart; %s", n, f.Name(), forOutcomes())
		}
	}
	return f.Over(s)
}

// forOutcomes says what to do with a label of more than two outcomes.
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
	return "take {class} " + parameter.Text(strings.Join(names, " or ")) + ", or " + name
}

// readForm reads the parameters of a form.
func readForm(text json.RawMessage) (Form, error) {
	var start struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(text, &start) != nil {
		return nil, errors.New("the class is malformed: it is no object with a name")
	}
	read := readUnion
	if start.Name != unionName {
		k, known := KindOf(start.Name)
		if !known {
			var names []string
			for _, k := range kinds {
				names = append(names, k.Name)
			}
			return nil, fmt.Errorf("the class %s is unknown; models have one of %s, %s", quote.Word(start.Name), strings.Join(names, ", "), unionName)
		}
		read = k.read
	}
	f, err := read(text)
	if err != nil {
		return nil, fmt.Errorf("the class is malformed: %w", err)
	}
	return f, nil
}

// Reason returns what an error says, without the name of the package that says so.
func Reason(err error) string {
	text := err.Error()
	if name, after, found := strings.Cut(text, ": "); found && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == "" {
		return after
	}
	return text
}

// noClass reports why the parameters make no class.
func noClass(err error) error {
	return parameter.About("class", fmt.Errorf("invalid class: %s", Reason(err)))
}

// searched is what spaces have in common whose hypotheses are those of a class.
type searched struct {
	form   Form
	schema *table.Schema
	class  Class
}

// Class returns the class.
func (s searched) Class() Class { return s.class }

func (s searched) domain() *table.Schema { return s.schema }

// MostGrades returns those of the prediction.
func (s searched) MostGrades() (risk.Kind, int) { return risk.Prediction, 2 }

func (s searched) check(h any) error {
	if !s.class.Contains(h) {
		return notOf(s.form)
	}
	return nil
}

// notOf reports a hypothesis that is not of the form.
func notOf(f Form) error {
	return fmt.Errorf("the hypothesis is not of the stated class (%s): it breaks one of its parameters", f.Name())
}
