package mechanism

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/search"
)

// A Mechanism is a way to choose a hypothesis, in the making: it is made with defaults,
// its parameters are set, and then it is made over a form and a schema.
type Mechanism interface {
	// Parameters defines the parameters, which point into the mechanism.
	Parameters(*flag.FlagSet)

	// Over makes it, or says in one sentence what is wrong.
	Over(*Setting) (*Made, error)
	// Bounds tells how far it may be off, before any data is seen. It may have several
	// variants, or none that a plan can speak of.
	Bounds(*Setting) ([]Bound, error)
}

// A Kind is a mechanism that can be asked for.
type Kind struct {
	Name string
	What string // in a few words, for people

	// For tells whether it works for forms of that kind.
	For func(model.Kind) bool

	// Persons tells whether it is proved for persons with several rows (persons.go).
	Persons bool

	// Divide plans how the mechanism divides the rows; nil of one that does not, or whose
	// Bounds tell it.
	Divide func(*Setting) (*Division, error)

	// Ask begins one.
	Ask func() Mechanism

	// Record returns an empty record, which what a model says must fit.
	Record func() any
	// Again makes it of what a model says, a record, for a guarantee with that ε, δ and
	// relation.
	// It returns what a model must say of it, and what it promises.
	Again func(said any, s *Setting) (record any, g privacy.Guarantee, err error)
}

// registered are the mechanisms of other packages.
var registered []Kind

// Register adds mechanisms to All. It is called by the init functions of packages that
// describe some, as papers is.
func Register(kinds ...Kind) { registered = append(registered, kinds...) }

// All is the only list of them, in the order in which people meet them: the first that works
// for a form is its usual one.
func All() []Kind {
	return append([]Kind{
		exponentialKind, gibbsKind, stagedKind, statisticalKind, weightedKind, eitherKind, dpsgdKind, boxKind,
	}, registered...)
}

// Divide plans how the mechanism that says so beforehand divides the rows.
func Divide(s *Setting) (*Division, error) {
	all := All()
	at := slices.IndexFunc(all, func(k Kind) bool { return k.Divide != nil })
	if at < 0 {
		return nil, errors.New("no mechanism plans beforehand how it divides the rows")
	}
	return all[at].Divide(s)
}

// Kinds lists those that work for forms of a kind, the usual one first.
func Kinds(k model.Kind) []Kind {
	return slices.DeleteFunc(All(), func(m Kind) bool { return !m.For(k) })
}

// Usual returns the first of Kinds. It fails where the mechanisms of a kind are described by a
// package that the program does not import.
func Usual(k model.Kind) (Kind, error) {
	all := Kinds(k)
	if len(all) == 0 {
		return Kind{}, fmt.Errorf("no mechanism of this program learns a class of the kind %s; import package papers", k.Name)
	}
	return all[0], nil
}

// Named returns the mechanism of that name that works for forms of a kind.
func Named(k model.Kind, name string) (Kind, error) {
	var names []string
	for _, m := range Kinds(k) {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Kind{}, parameter.Errorf("{mechanism} %s does not go with {class} %s, which has %s", quote.Word(name), k.Name, strings.Join(names, ", "))
}

// SearchedOnly is for mechanisms that choose from a class.
func SearchedOnly(k model.Kind) bool { return k.Searched }

// AdditiveOnly is for mechanisms of additive forms, of those kinds.
func AdditiveOnly(kinds ...string) func(model.Kind) bool {
	return func(k model.Kind) bool { return slices.Contains(kinds, k.Name) }
}

// KindOfForm returns the kind of a form.
func KindOfForm(f model.Form) model.Kind {
	if u, ok := f.(model.Union); ok && len(u.Members) > 0 {
		return u.Kind()
	}
	k, _ := model.KindOf(f.Name())
	return k
}

// A Learner releases a hypothesis.
type Learner = privacy.Mechanism[[]learn.Example[table.Record], any]

// A RecordsLearner does so from records where they are, whose label may have more than two
// outcomes.
type RecordsLearner = privacy.Mechanism[learn.Records[table.Record], any]

// A CountedLearner does so from counts.
type CountedLearner = privacy.Mechanism[table.Counts, any]

// Made is a mechanism over a form and a schema.
type Made struct {
	Learner
	Counted CountedLearner // what draws, in place of the learner, where counts are enough; else nil
	Asks    table.Asks     // of what is counted
	Records RecordsLearner // what draws, in place of the learner, where no list of examples is needed; else nil
	Record  any            // what a model says of it
	Effort  *Effort        // of what has no class and still takes its time; else nil
	// Observe has the curator told what a release costs, which is private; nil where nothing
	// is told.
	Observe func(Curator)
}

// A Curator is told what is private.
type Curator struct {
	Tell  func(format string, args ...any) // a line of a log
	Watch func(line string)                // how far a release is; nil where nobody asks
}

// Effort tells what a draw cost.
func (c Curator) Effort(e search.Effort) {
	c.Tell("walked %d nodes in %d passes, and drew %d times", e.Nodes, e.Passes, e.Rounds)
}

// Guarantee is that of what draws.
func (m *Made) Guarantee() privacy.Guarantee {
	switch {
	case m.Counted != nil:
		return m.Counted.Guarantee()
	case m.Records != nil:
		return m.Records.Guarantee()
	}
	return m.Learner.Guarantee()
}

// Examples are the records of a table.
type Examples = []learn.Example[table.Record]

// A Releasing learner is one whose values are of another type.
type Releasing[D, T any] struct {
	privacy.Mechanism[D, T]
	As func(T) (any, error)
}

func (r Releasing[D, T]) Release(ctx context.Context, d D, coins noise.Coins) (any, error) {
	v, err := r.Mechanism.Release(ctx, d, coins)
	if err != nil {
		return nil, err
	}
	return r.As(v)
}

// ErrNoHypothesis stands for ⊥, a value that a mechanism releases: there is no hypothesis.
var ErrNoHypothesis = errors.New("there is no hypothesis")

// NotMade reports why parameters make no such mechanism.
func NotMade(mechanism string, err error) error {
	return parameter.Errorf("{mechanism} %s: %s", mechanism, model.Reason(err))
}

// LossRecord stands for a loss in JSON.
type LossRecord struct {
	FalsePositive int64 `json:"false_positive"`
	FalseNegative int64 `json:"false_negative"`
}

// Unprotected is what a model says of a hypothesis that was chosen without privacy, by
// its cost.
func Unprotected(costs learn.Loss) model.Mechanism {
	return model.NewMechanism(unprotected{model.None, (*LossRecord)(&costs)})
}

type unprotected struct {
	Name string      `json:"name"`
	Loss *LossRecord `json:"loss,omitempty"` // of forms that are chosen by it
}

// Costs returns what wrong predictions cost where the model's mechanism charged for them,
// and otherwise learn.ZeroOne.
func Costs(m *model.Model) learn.Loss {
	var j struct{ Loss *LossRecord }
	if json.Unmarshal(m.Mechanism.Parameters, &j) != nil || j.Loss == nil {
		return learn.ZeroOne
	}
	return learn.Loss(*j.Loss)
}

// Read reads a model, as model.Read does, and checks that its mechanism gives the
// guarantee that it states.
func Read(r io.Reader) (*model.Model, error) {
	m, err := model.Read(r)
	if err != nil {
		return nil, err
	}
	if err := Check(m); err != nil {
		return nil, err
	}
	return m, nil
}

// Check makes the mechanism of a valid model anew from the parameters that it states,
// and reports in one sentence if they are not those that give its guarantee.
func Check(m *model.Model) error {
	if m.Mechanism.Name == model.None {
		return checkUnprotected(m)
	}
	var risks privacy.Decimal
	if m.Risks != nil {
		risks = m.Risks.Epsilon
	}
	_, err := Promise(m, risks)
	return err
}

// Promise returns the guarantee of the model's mechanism and of risks with that ε, 0 for
// none, which must be the one stated; nil where nothing is stated. The model need have no
// hypothesis.
func Promise(m *model.Model, risks privacy.Decimal) (privacy.Guarantee, error) {
	known := func(k Kind) bool { return k.Name == m.Mechanism.Name }
	if !slices.ContainsFunc(All(), known) {
		return nil, fmt.Errorf("the mechanism %s is unknown", quote.Word(m.Mechanism.Name))
	}
	all := Kinds(KindOfForm(m.Form))
	at := slices.IndexFunc(all, known)
	if at < 0 {
		return nil, fmt.Errorf("the mechanism %q releases no hypothesis of %q", m.Mechanism.Name, m.Form.Name())
	}
	said := all[at].Record()
	if err := Decode(m.Mechanism.Parameters, said); err != nil {
		return nil, err
	}
	g := m.Guarantee
	if g == nil {
		return nil, sensible(m, said)
	}
	space, err := m.Over()
	if err != nil {
		return nil, err
	}
	s := &Setting{Schema: m.Schema, Form: m.Form, Space: space, Epsilon: g.Epsilon, Delta: g.Delta, Relation: g.Relation}
	if err := s.ForPersons(all[at]); err != nil {
		return nil, err
	}
	if s.Epsilon, err = less(g.Epsilon, risks); err != nil {
		return nil, err
	}
	record, promised, err := all[at].Again(said, s)
	if err != nil {
		return nil, fmt.Errorf("the mechanism cannot give the guarantee: %s", model.Reason(err))
	}
	if err := same(m.Mechanism.Parameters, record, g); err != nil {
		return nil, err
	}
	if promised, err = With(promised, risks); err != nil {
		return nil, err
	}
	return promised, States(promised, g)
}

// sensible reports parameters that make no sense whatever is promised.
func sensible(m *model.Model, said any) error {
	if err := checkCosts(m, Costs(m)); err != nil {
		return err
	}
	if e, ok := said.(*ExponentialRecord); ok && e.Series != nil {
		if err := e.Series.check(); err != nil {
			return fmt.Errorf("the mechanism is malformed: %w", err)
		}
	}
	return nil
}

// States reports a statement that is not that of the guarantee.
func States(g privacy.Guarantee, stated *privacy.Statement) error {
	given, err := privacy.State(g)
	switch {
	case err != nil:
		return err
	case given.Epsilon != stated.Epsilon || given.Delta != stated.Delta:
		return fmt.Errorf("the mechanism's parameters give an epsilon of %s and a delta of %s, not the stated %s and %s", given.Epsilon, given.Delta, stated.Epsilon, stated.Delta)
	case given.Relation != stated.Relation:
		return fmt.Errorf("the mechanism's relation is %v, not the stated %v", given.Relation, stated.Relation)
	case !slices.Equal(given.Assumes, stated.Assumes):
		return fmt.Errorf("the guarantee assumes %q, but the mechanism calls for %q", stated.Assumes, given.Assumes)
	}
	return nil
}

func checkUnprotected(m *model.Model) error {
	var j unprotected
	if err := Decode(m.Mechanism.Parameters, &j); err != nil {
		return err
	}
	switch chosen := KindOfForm(m.Form).Chosen(); {
	case chosen && j.Loss == nil:
		return errors.New("the mechanism needs its loss")
	case !chosen && j.Loss != nil:
		return errors.New("the mechanism has no use for its loss")
	case !chosen:
		return nil
	}
	return checkCosts(m, learn.Loss(*j.Loss))
}

// checkCosts reports costs that no model of the schema is chosen by.
func checkCosts(m *model.Model, l learn.Loss) error {
	if err := l.Validate(); err != nil {
		return errors.New(model.Reason(err))
	}
	return CheckLoss(m.Schema.Outcomes(), l)
}

// CheckLoss reports costs that do not go with so many outcomes.
func CheckLoss(outcomes int, l learn.Loss) error {
	if outcomes > 2 && l != learn.ZeroOne {
		return fmt.Errorf("the label has %d outcomes, and every error costs 1", outcomes)
	}
	return nil
}

// Decode decodes what a model says of a mechanism, strictly.
func Decode(text json.RawMessage, to any) error {
	if err := strictjson.Decode(text, to); err != nil {
		return fmt.Errorf("the mechanism is malformed: %w", err)
	}
	return nil
}

// same reports a parameter that is not what it must be for the guarantee.
func same(have json.RawMessage, record any, g *privacy.Statement) error {
	want := model.NewMechanism(record).Parameters
	if bytes.Equal(have, want) {
		return nil
	}
	var has, wants map[string]json.RawMessage
	if json.Unmarshal(have, &has) != nil || json.Unmarshal(want, &wants) != nil {
		return errors.New("the mechanism is malformed")
	}
	for _, name := range names(has, wants) {
		if h, w := has[name], wants[name]; !bytes.Equal(h, w) {
			promise := "epsilon of " + g.Epsilon.String()
			if !g.Delta.IsZero() {
				promise += " and delta of " + g.Delta.String()
			}
			return fmt.Errorf("the mechanism's %s is %s, which does not give the stated %s (that takes %s)", name, cut(h), promise, cut(w))
		}
	}
	return nil // in another order
}

// names lists the keys of two objects in order.
func names(a, b map[string]json.RawMessage) []string {
	var all []string
	for name := range a {
		all = append(all, name)
	}
	for name := range b {
		if _, both := a[name]; !both {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func cut(value json.RawMessage) string {
	if value == nil {
		return "absent"
	}
	return fmt.Sprintf("%.60s", bytes.Trim(value, `"`))
}
