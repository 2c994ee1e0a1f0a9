package evaluation

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/strictjson"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Format is the name and version of the format in which evaluations are stored.
const Format = "sibyl-evaluation/1"

// A File is a released evaluation: the noisy counts, and the digest of the evaluated model. All other numbers of the
// evaluation are computed from these counts and the model.
type File struct {
	Format string `json:"format"`
	// Model is the SHA-256 of the model's file, in hexadecimal. It is empty for a model without a
	// guarantee, whose digest would reveal private data.
	Model     string             `json:"model"`
	Guarantee *privacy.Statement `json:"guarantee"`
	Void      model.Void         `json:"not_private,omitempty"` // the reason if there is no guarantee
	Rows      *int64             `json:"rows"`                  // null if the number of rows is private
	Counts    *risk.Counts       `json:"counts"`
}

// Digest returns the SHA-256 of a model file, in hexadecimal. The model must be valid.
func Digest(m *model.Model) (string, error) {
	text, err := m.Text()
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// NewFile returns a File with the noisy counts c of the predictions of the valid model m, and their guarantee g. If
// the counts have no guarantee, g is nil and void is the reason.
func NewFile(m *model.Model, c *risk.Counts, g *privacy.Statement, void model.Void) (*File, error) {
	f := &File{Format: Format, Guarantee: g, Void: void, Counts: c}
	if c.Rows != nil {
		rows := c.Rows.Int64()
		f.Rows = &rows
	}
	if m.Guarantee == nil {
		return f, nil
	}
	var err error
	f.Model, err = Digest(m)
	return f, err
}

// Text returns the text of the file, in JSON.
func (f *File) Text() ([]byte, error) {
	text, err := json.MarshalIndent(f, "", "\t")
	return append(text, '\n'), err
}

// Is reports whether a text looks like a file with a released evaluation, because it contains the name of the
// format.
func Is(text []byte) bool { return bytes.Contains(text, []byte(`"`+Format+`"`)) }

// Parse reads a file with a released evaluation. It returns an error if the text is malformed, or if the stated
// guarantee does not follow from the parameters of the counts.
func Parse(text []byte) (*File, error) {
	f := &File{}
	if err := strictjson.Decode(text, f); err != nil {
		return nil, fmt.Errorf("the evaluation is malformed: %w", err)
	}
	return f, f.validate()
}

func (f *File) validate() error {
	switch {
	case f.Format != Format:
		return fmt.Errorf("the format is %s, but must be %s", quote.Word(f.Format), Format)
	case f.Counts == nil:
		return errors.New("the evaluation has no counts")
	case f.Guarantee == nil && f.Void != model.InsecureSeed:
		return fmt.Errorf("the evaluation has no guarantee, so the key \"not_private\" must be %q, but it is %s", model.InsecureSeed, quote.Word(string(f.Void)))
	case f.Guarantee != nil && f.Void != "":
		return errors.New("the evaluation must have either a guarantee or the key \"not_private\", but has both")
	case f.Counts.Relation.Replaces() != (f.Rows != nil), f.Rows != nil && *f.Rows < 0:
		return errors.New("the key \"rows\" must be a number of at least 0 under the relation replace, and must be missing under other relations")
	}
	h, err := learn.NewHistogram(f.Counts.Scale.Cells(), f.Counts.Epsilon, f.Counts.Relation)
	if err != nil {
		return errors.New(model.Reason(err))
	}
	if f.Guarantee == nil {
		return nil
	}
	return f.Guarantee.FollowsFrom(h.Guarantee())
}

// ErrOther is the error for a file with the evaluation of another model.
var ErrOther = errors.New("the evaluation is about another model")

// Of returns the evaluation that the file contains. The parameter m is the evaluated model. If the file evaluates
// another model, Of returns ErrOther.
func (f *File) Of(m *model.Model) (*Evaluation, error) {
	digest, err := Digest(m)
	if err != nil {
		return nil, err
	}
	if digest != f.Model {
		return nil, ErrOther
	}
	g, err := m.Grades()
	if err != nil {
		return nil, err
	}
	if !g.Scale.Equal(f.Counts.Scale) || m.Guarantee != nil && m.Guarantee.Relation != f.Counts.Relation {
		return nil, errors.New("the evaluation does not fit its model: the grades or the relation of its counts differ from those of the model")
	}
	c := *f.Counts
	c.Order = m.Order()
	if f.Rows != nil {
		c.Rows = big.NewInt(*f.Rows)
	}
	return New(m, &c, f.Guarantee, f.Void), nil
}
