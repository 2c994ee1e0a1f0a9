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

// A Mechanism is a method of learning a hypothesis, with its parameters. The caller creates it with
// the defaults, sets its parameters, and then calls Over with a setting, which includes a form (the
// kind of hypotheses) and a schema.
type Mechanism interface {
	// Parameters defines the flags of the parameters, which set the fields of the mechanism.
	Parameters(*flag.FlagSet)

	// Over binds the mechanism to a setting, or returns an error that states in one sentence which parameter is
	// invalid.
	Over(*Setting) (*Made, error)
	// Bounds returns data-independent bounds on the excess cost. A mechanism may have several
	// variants, or no bound.
	Bounds(*Setting) ([]Bound, error)
}

// A Kind describes a mechanism that a user can select by name, before its parameters are set.
type Kind struct {
	Name string
	What string // a short description for users

	// For reports whether the mechanism supports the classes of hypotheses (forms) of a kind.
	For func(model.Kind) bool

	// Persons reports whether the guarantee is proved for persons who have several rows (persons.go).
	Persons bool

	// Divide returns how the mechanism partitions the rows. It is nil if the mechanism does not partition them, or if
	// Bounds reports the partition.
	Divide func(*Setting) (*Division, error)

	// New returns a new mechanism with the default values of its parameters.
	New func() Mechanism

	// Record returns an empty record. The mechanism's entry in a model file must decode into it.
	Record func() any
	// Recreate recreates the mechanism from the stored record, for a guarantee with the setting's ε, δ and relation.
	Recreate func(stored any, s *Setting) (*Recreated, error)
}

// A Recreated holds what a reader of a model file computes again from the mechanism's entry in the
// file (its record): the record that the file must contain, and the guarantee. Readers compare both
// with the contents of the file.
type Recreated struct {
	Record    any // the record that the model file must contain
	Guarantee privacy.Guarantee
	Charge    privacy.Guarantee // what an account was charged, if this is stronger than the guarantee; otherwise nil
}

// registered lists the mechanisms that Register added to All.
var registered []Kind

// Register adds mechanisms to All. Packages that describe mechanisms, such as papers, call it in
// their init functions.
func Register(kinds ...Kind) { registered = append(registered, kinds...) }

// All returns all mechanisms, in the order in which help texts list them. The default mechanism for
// a form is the first one that supports it.
func All() []Kind {
	return append([]Kind{
		exponentialKind, gibbsKind, stagedKind, statisticalKind, weightedKind, eitherKind, rankedTreeKind, newtonKind, dpsgdKind, boxKind,
	}, registered...)
}

// Divide returns how a mechanism partitions the rows for learning on disjoint parts. It calls the
// function Kind.Divide of the first mechanism that has one.
func Divide(s *Setting) (*Division, error) {
	all := All()
	at := slices.IndexFunc(all, func(k Kind) bool { return k.Divide != nil })
	if at < 0 {
		return nil, errors.New("this program has no mechanism that divides the rows; import package papers")
	}
	return all[at].Divide(s)
}

// Kinds returns the mechanisms that support forms of kind k, the default one first.
func Kinds(k model.Kind) []Kind {
	return slices.DeleteFunc(All(), func(m Kind) bool { return !m.For(k) })
}

// Usual returns the default mechanism for forms of kind k. It returns an error if no registered
// mechanism supports them, for example because the program does not import the package that
// registers it.
func Usual(k model.Kind) (Kind, error) {
	all := Kinds(k)
	if len(all) == 0 {
		return Kind{}, fmt.Errorf("no mechanism of this program supports the class %s; import package papers", k.Name)
	}
	return all[0], nil
}

// Named returns the mechanism with the given name. It returns an error unless the mechanism supports forms of kind
// k.
func Named(k model.Kind, name string) (Kind, error) {
	var names []string
	for _, m := range Kinds(k) {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Kind{}, parameter.Errorf("{mechanism} %s does not support {class} %s; it must be one of %s", quote.Word(name), k.Name, strings.Join(names, ", "))
}

// SearchedOnly is a value for Kind.For. It accepts the forms whose hypotheses are selected by a
// search.
func SearchedOnly(k model.Kind) bool { return k.Selection == model.BySearch }

// AdditiveOnly returns a value for Kind.For that accepts only additive forms with the given names.
func AdditiveOnly(kinds ...string) func(model.Kind) bool {
	return func(k model.Kind) bool { return slices.Contains(kinds, k.Name) }
}

// KindOfForm returns the kind of the form f, which is a class of hypotheses.
func KindOfForm(f model.Form) model.Kind {
	if u, ok := f.(model.Union); ok && len(u.Members) > 0 {
		return u.Kind()
	}
	k, _ := model.KindOf(f.Name())
	return k
}

// A Learner is a mechanism that releases a hypothesis from a list of examples (records with an outcome).
type Learner = privacy.Mechanism[[]learn.Example[table.Record], any]

// A RecordsLearner is a mechanism that releases a hypothesis from the distinct records of a table, whose label may
// have more than two outcomes.
type RecordsLearner = privacy.Mechanism[learn.Records[table.Record], any]

// A TableLearner is a mechanism that releases a hypothesis from a table, because it needs both the
// records and the marginals of the table.
type TableLearner = privacy.Mechanism[*table.Table, any]

// A CountedLearner is a mechanism that releases a hypothesis from the answers to queries for counts.
type CountedLearner = privacy.Mechanism[table.Counts, any]

// A Made is a mechanism with all its parameters, bound to one form and one schema. It is ready to
// run on data.
type Made struct {
	Learner
	Counted CountedLearner    // replaces the Learner if queries for counts suffice; otherwise nil
	Queries table.Queries     // the queries of Counted
	Table   TableLearner      // replaces the Learner if it reads a table, not a list of examples; otherwise nil
	Record  any               // the mechanism's entry in a model file
	Charge  privacy.Guarantee // what an account is charged, if this is stronger than the guarantee; otherwise nil
	Effort  *Effort           // for a mechanism that does not select from a class, but whose sampling takes time; otherwise nil
	// Observe reports the work of a release to the curator; the work is private. If it is nil, nothing is reported.
	Observe func(Curator)
}

// A Curator receives messages for the person who may see the private data.
type Curator struct {
	Tell  func(format string, args ...any) // writes a line to a log
	Watch func(line string)                // shows the progress of a release; may be nil
}

// Effort writes to the log how much work the sampling of a hypothesis took.
func (c Curator) Effort(e search.Effort) {
	c.Tell("visited %d nodes in %d passes, and sampled %d times", e.Nodes, e.Passes, e.Rounds)
}

// Guarantee returns the guarantee of a release. A release runs Counted or Table if one of them is set, and
// otherwise the Learner.
func (m *Made) Guarantee() privacy.Guarantee {
	switch {
	case m.Counted != nil:
		return m.Counted.Guarantee()
	case m.Table != nil:
		return m.Table.Guarantee()
	}
	return m.Learner.Guarantee()
}

// Charged returns the guarantee that is recorded in the ledger. It implies the guarantee that the
// method Guarantee returns, which may be weaker.
func (m *Made) Charged() privacy.Guarantee {
	if m.Charge != nil {
		return m.Charge
	}
	return m.Guarantee()
}

// Examples is a list of records with their outcomes and counts, the input of a Learner.
type Examples = []learn.Example[table.Record]

// A Releasing mechanism runs another mechanism and converts the value that it releases with the
// function As.
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

// ErrNoHypothesis reports that a mechanism released no hypothesis. Some mechanisms of the papers
// have this output, written ⊥.
var ErrNoHypothesis = errors.New("there is no hypothesis")

// NotMade returns the error for a mechanism that could not be created with the given parameters.
// The parameter err is the reason.
func NotMade(mechanism string, err error) error {
	return parameter.Errorf("{mechanism} %s: %s", mechanism, model.Reason(err))
}

// LossRecord is the JSON form of the costs of the two kinds of misclassification.
type LossRecord struct {
	FalsePositive int64 `json:"false_positive"`
	FalseNegative int64 `json:"false_negative"`
}

// Unprotected returns the mechanism entry of a model file for a hypothesis that was selected
// without privacy: the hypothesis of least total cost. The parameter costs holds the costs of
// misclassifications.
func Unprotected(costs learn.Loss) model.Mechanism {
	return model.NewMechanism(unprotected{model.None, (*LossRecord)(&costs)})
}

type unprotected struct {
	Name string      `json:"name"`
	Loss *LossRecord `json:"loss,omitempty"` // for forms whose mechanism uses a loss
}

// Costs returns the costs of misclassifications with which the model's mechanism selected the
// hypothesis. If the mechanism has no such costs, it returns learn.ZeroOne, in which all costs are
// 1.
func Costs(m *model.Model) learn.Loss {
	var j struct{ Loss *LossRecord }
	if json.Unmarshal(m.Mechanism.Parameters, &j) != nil || j.Loss == nil {
		return learn.ZeroOne
	}
	return learn.Loss(*j.Loss)
}

// Read reads a model file like model.Read. It also checks that the guarantee in the file follows
// from the parameters of the mechanism.
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

// Check recreates the mechanism of a valid model from the parameters that the model states. If this
// mechanism does not have the guarantee that the model states, Check returns an error, in one
// sentence. Otherwise it records in the model that its guarantee was checked.
func Check(m *model.Model) error {
	if m.Mechanism.Name == model.None {
		return checkUnprotected(m)
	}
	var risks privacy.Decimal
	if m.Risks != nil {
		risks = m.Risks.Epsilon
	}
	g, err := Promise(m, risks)
	if err != nil || g == nil {
		return err
	}
	return m.Guarantee.Refine(g)
}

// Promise returns the guarantee that is recorded in the ledger for a model, or nil if the model
// states no guarantee. The result covers the mechanism of the model and the release of risks.
//
// The parameter risks is the ε that the release of risks consumes, or 0. The hypothesis of the
// model may be unset. Promise returns an error if the guarantee that follows from the mechanism
// differs from the one that the model states.
func Promise(m *model.Model, risks privacy.Decimal) (privacy.Guarantee, error) {
	known := func(k Kind) bool { return k.Name == m.Mechanism.Name }
	if !slices.ContainsFunc(All(), known) {
		return nil, fmt.Errorf("mechanism %s is unknown; the model may need a newer version", quote.Word(m.Mechanism.Name))
	}
	all := Kinds(KindOfForm(m.Form))
	at := slices.IndexFunc(all, known)
	if at < 0 {
		return nil, fmt.Errorf("the mechanism %q does not support the class %q", m.Mechanism.Name, m.Form.Name())
	}
	stored := all[at].Record()
	if err := Decode(m.Mechanism.Parameters, stored); err != nil {
		return nil, err
	}
	g := m.Guarantee
	if g == nil {
		return nil, checkUnstated(m, stored)
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
	again, err := all[at].Recreate(stored, s)
	if err != nil {
		return nil, fmt.Errorf("the mechanism does not give the stated guarantee: %s", model.Reason(err))
	}
	if err := same(m.Mechanism.Parameters, again.Record, g); err != nil {
		return nil, err
	}
	promised, err := With(again.Guarantee, risks)
	if err != nil {
		return nil, err
	}
	if err := States(promised, g); err != nil || again.Charge == nil {
		return promised, err
	}
	return With(again.Charge, risks)
}

// checkUnstated checks the parameters of a model that states no guarantee. It returns an error for parameters that
// would be invalid with any guarantee. The parameter record is the decoded entry of the mechanism in the model
// file.
func checkUnstated(m *model.Model, record any) error {
	if err := checkCosts(m, Costs(m)); err != nil {
		return err
	}
	if e, ok := record.(*ExponentialRecord); ok && e.Series != nil {
		if err := e.Series.check(); err != nil {
			return fmt.Errorf("the mechanism is malformed: %w", err)
		}
	}
	return nil
}

// States returns an error if the guarantee g differs from the one that a file states.
func States(g privacy.Guarantee, stated *privacy.Statement) error {
	given, err := privacy.State(g)
	switch {
	case err != nil:
		return err
	case given.Epsilon != stated.Epsilon || given.Delta != stated.Delta:
		return fmt.Errorf("the mechanism's parameters give an epsilon of %s and a delta of %s, but the guarantee states %s and %s", given.Epsilon, given.Delta, stated.Epsilon, stated.Delta)
	case given.Relation != stated.Relation:
		return fmt.Errorf("the neighbour relation of the mechanism is %v, but that of the stated guarantee is %v", given.Relation, stated.Relation)
	case !slices.Equal(given.Assumes, stated.Assumes):
		return fmt.Errorf("the guarantee states the assumptions %q, but the mechanism requires %q", stated.Assumes, given.Assumes)
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
		return errors.New("the mechanism lacks the key \"loss\"")
	case !chosen && j.Loss != nil:
		return errors.New("the mechanism must not have the key \"loss\", because it uses no loss")
	case !chosen:
		return nil
	}
	return checkCosts(m, learn.Loss(*j.Loss))
}

// checkCosts returns an error if the costs l of misclassifications are invalid for the label of the model's schema.
func checkCosts(m *model.Model, l learn.Loss) error {
	if err := l.Validate(); err != nil {
		return errors.New(model.Reason(err))
	}
	return CheckLoss(m.Schema.Outcomes(), l)
}

// CheckLoss returns an error if the costs l of misclassifications are not supported for a label with this number of
// outcomes.
func CheckLoss(outcomes int, l learn.Loss) error {
	if outcomes > 2 && l != learn.ZeroOne {
		return fmt.Errorf("the label has %d outcomes, but costs other than 1 require a label with two outcomes", outcomes)
	}
	return nil
}

// Decode decodes the entry of the mechanism in a model file into the record, a pointer. It returns an error for unknown
// keys.
func Decode(entry json.RawMessage, record any) error {
	if err := strictjson.Decode(entry, record); err != nil {
		return fmt.Errorf("the mechanism is malformed: %w", err)
	}
	return nil
}

// same returns an error if the entry of the mechanism in a model file, the parameter have, differs
// from the record that the guarantee g requires.
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
			return fmt.Errorf("the mechanism's key %q is %s, but for the stated %s it must be %s", name, cut(h), promise, cut(w))
		}
	}
	return nil // the same values in another order
}

// names returns the keys of the JSON objects a and b together, sorted and without duplicates.
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

// cut shortens a JSON value for messages: it returns at most 60 characters, without the quotation
// marks of a nonempty string, and "absent" for a missing value.
func cut(value json.RawMessage) string {
	switch bare := bytes.Trim(value, `"`); {
	case value == nil:
		return "absent"
	case len(bare) == 0:
		return string(value)
	default:
		return fmt.Sprintf("%.60s", bare)
	}
}
