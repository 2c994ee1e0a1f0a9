package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Format is the name and version of the file format of models.
const Format = "sibyl-model/1"

// document is the JSON form of a model, which is the content of a model file.
type document struct {
	Format     string             `json:"format"`
	Guarantee  *privacy.Statement `json:"guarantee"`
	NotPrivate Void               `json:"not_private,omitempty"`
	Mechanism  json.RawMessage    `json:"mechanism"`
	Class      json.RawMessage    `json:"class"`
	Hypothesis json.RawMessage    `json:"hypothesis,omitempty"`
	Schema     *table.Schema      `json:"schema"`

	// Risks has the risks of a model. A description has no hypothesis; it has RiskEpsilon, the ε of the risks,
	// instead of Risks.
	Risks       *risk.Counts    `json:"risks,omitempty"`
	RiskEpsilon privacy.Decimal `json:"risk_epsilon,omitzero"`
	// Rows is the number of rows or persons of the table, if the model has risks and this number is public.
	Rows *int64 `json:"rows,omitempty"`
}

// Write writes the model as JSON. It returns an error if the model is invalid.
func (m *Model) Write(w io.Writer) error {
	text, err := m.Text()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// Text returns the text of the model file, in JSON. It returns an error if the model is invalid.
func (m *Model) Text() ([]byte, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	space, err := m.Over()
	if err != nil {
		return nil, err
	}
	d := m.document()
	if d.Risks = m.Risks; m.Risks != nil && m.Risks.Rows != nil {
		rows := m.Risks.Rows.Int64()
		d.Rows = &rows
	}
	d.Hypothesis = WriteHypothesis(space, m.Hypothesis)
	text, err := compact(d)
	return laidOut(text), err
}

// WriteHypothesis returns the JSON form of the hypothesis h, which belongs to the space s.
func WriteHypothesis(s Space, h any) json.RawMessage {
	if choice, ok := h.(union.Choice[any]); ok {
		return mustCompact(choiceJSON{choice.Member, WriteHypothesis(Members(s)[choice.Member], choice.Hypothesis)})
	}
	if w, ok := s.(writer); ok {
		return mustCompact(w.write(h))
	}
	return mustCompact(rule.JSON(s.domain(), s.rule(h)))
}

// A writer is a Space whose hypotheses have a JSON form of their own. Hypotheses of other spaces are written as the
// rule by which they predict.
type writer interface {
	// write returns the JSON form of the hypothesis h.
	write(h any) any
}

// ReadHypothesis converts the output of WriteHypothesis back to a hypothesis of the space s.
func ReadHypothesis(s Space, text json.RawMessage) (any, error) { return s.read(text) }

// Describe returns the public description of a model in JSON: the mechanism, the class, the schema and the guarantee.
// The hypothesis and its risks are left out, so the model need not have them. The parameter risks is the ε that the
// release of risks consumes, or 0 if no risks are released.
func (m *Model) Describe(risks privacy.Decimal) (json.RawMessage, error) {
	d := m.document()
	d.RiskEpsilon = risks
	return compact(d)
}

// document returns the content of the model file, except the hypothesis and its risks.
func (m *Model) document() document {
	return document{
		Format: Format, Guarantee: m.Guarantee, NotPrivate: m.Void, Mechanism: m.Mechanism.Parameters,
		Class: mustCompact(m.Form.parameters()), Schema: m.Schema,
	}
}

// compact returns v as JSON without white space.
func compact(v any) (json.RawMessage, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(text.Bytes()), err
}

// mustCompact is like compact, for values whose conversion to JSON cannot fail.
func mustCompact(v any) json.RawMessage {
	text, err := compact(v)
	if err != nil {
		panic(err)
	}
	return text
}

// Read reads and validates a model that Write wrote. The text may have at most table.MostBytes bytes. Each error is
// one sentence. Read does not check that the mechanism's parameters imply the stated guarantee; the function Read of
// package mechanism does.
func Read(r io.Reader) (*Model, error) {
	text, err := table.ReadDocument(r)
	if err != nil {
		return nil, fmt.Errorf("the model cannot be read: %w", err)
	}
	if err := strictjson.Check(text); err != nil {
		return nil, fmt.Errorf("this is not a model: %w", err)
	}
	var start struct {
		Format string `json:"format"`
	}
	if json.Unmarshal(text, &start) != nil {
		return nil, errors.New("this is not a model: it must be a JSON object with the key \"format\"")
	}
	if start.Format != Format {
		return nil, fmt.Errorf("this model cannot be read: its format is %s, not %q; name a model that sibyl learn wrote", quote.Word(start.Format), Format)
	}
	var d document
	if err := strict(text, &d); err != nil {
		return nil, fmt.Errorf("the model is malformed: %w", err)
	}
	m, err := d.model()
	if err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, err
	}
	return m, nil
}

// strict decodes a JSON value and stores it in the variable that the parameter to points to. Unknown keys, null and a
// missing value are errors.
func strict(text []byte, to any) error {
	if len(text) == 0 || string(text) == "null" {
		return errors.New("it is missing")
	}
	return strictjson.Decode(text, to)
}

// ReadDescription reads a text that Describe returned. It returns a model without a hypothesis, and the part of its ε
// that the release of risks consumes.
func ReadDescription(text json.RawMessage) (m *Model, risks privacy.Decimal, err error) {
	var d document
	if err := strict(text, &d); err != nil {
		return nil, risks, fmt.Errorf("the description is malformed: %w", err)
	}
	if d.Format != Format || d.Hypothesis != nil || d.Risks != nil || d.Rows != nil {
		return nil, risks, fmt.Errorf(`the description must have the format %q, and must not have the keys "hypothesis", "risks" and "rows"`, Format)
	}
	if m, err = d.described(); err != nil {
		return nil, risks, err
	}
	if !d.RiskEpsilon.IsZero() && m.Guarantee != nil {
		if err := m.validateRisks(d.RiskEpsilon, m.Guarantee.Relation); err != nil {
			return nil, risks, err
		}
	}
	return m, d.RiskEpsilon, m.validateGuarantee()
}

// model converts the content of a model file to a model, which is not validated yet.
func (d *document) model() (*Model, error) {
	m, err := d.described()
	if err != nil {
		return nil, err
	}
	space, err := m.Over()
	if err != nil {
		return nil, err
	}
	if !d.RiskEpsilon.IsZero() {
		return nil, errors.New("the model is malformed: the key \"risk_epsilon\" is allowed only in descriptions without a hypothesis")
	}
	m.Risks = d.Risks
	if d.Rows != nil {
		if d.Risks == nil || !d.Risks.Relation.Replaces() || *d.Rows < 0 || *d.Rows > learn.MostRows {
			return nil, fmt.Errorf("the model is malformed: the key \"rows\" must be 0 to %d, and is allowed only with risks under the relation replace", int64(learn.MostRows))
		}
		m.Risks.Rows = big.NewInt(*d.Rows)
	}
	m.Hypothesis, err = space.read(d.Hypothesis)
	return m, err
}

// described converts the content of a model file to a model without its hypothesis and its risks.
func (d *document) described() (*Model, error) {
	if d.Schema == nil {
		return nil, errors.New("the model has no schema")
	}
	m := &Model{Schema: d.Schema, Guarantee: d.Guarantee, Void: d.NotPrivate}
	if g := m.Guarantee; g != nil && g.Assumes == nil {
		g.Assumes = []privacy.Assumption{} // which is not null in JSON
	}
	var err error
	if m.Form, err = readForm(d.Class); err != nil {
		return nil, err
	}
	m.Mechanism, err = readMechanism(d.Mechanism)
	return m, err
}
