package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Branch is a leaf, which predicts Outcome, or a condition and what follows where it is
// true, and where it is not.
type Branch struct {
	Condition string
	Yes, No   *Branch // nil both at a leaf
	Outcome   int

	number int         // of a leaf, from 1; 0 where leaves have been merged
	risk   *risk.Share // of a leaf: of the positive outcome, of more than two that of the one predicted; nil where none is stated
}

// Leaf tells that nothing is asked.
func (b *Branch) Leaf() bool { return b.Yes == nil && b.No == nil }

// leaves lists the leaves, those of Yes first.
func (b *Branch) leaves() []*Branch {
	if b.Leaf() {
		return []*Branch{b}
	}
	return append(b.Yes.leaves(), b.No.leaves()...)
}

// merged returns the tree for people, who are not asked what makes no difference.
func (b *Branch) merged() *Branch {
	if b.Leaf() {
		return &Branch{Outcome: b.Outcome}
	}
	yes, no := b.Yes.merged(), b.No.merged()
	if yes.Leaf() && no.Leaf() && yes.Outcome == no.Outcome {
		return yes
	}
	return &Branch{Condition: b.Condition, Yes: yes, No: no}
}

// A Leaf of a decision tree is a rule for the records of which all conditions are true:
// each record is at one leaf.
type Leaf struct {
	Number     int         `json:"leaf"`    // from 1
	If         []Accepting `json:"if"`      // one for each attribute that is asked for
	Predict    int         `json:"predict"` // the number of an outcome
	Prediction string      `json:"prediction"`
	Risk       *risk.Share `json:"risk,omitempty"`
	// Risks are there instead, one for each outcome, where the label has more than two.
	Risks []risk.Share `json:"risks,omitempty"`

	outcomes   []string // what Risks are of
	conditions []string
}

// An Accepting condition lists the categories that an attribute may have.
type Accepting struct {
	Attribute string   `json:"attribute"`
	Is        []string `json:"is"`
}

// Require adds that attribute a has one of the categories, ascending.
func (l *Leaf) Require(a *table.Attribute, accepted []uint16) {
	is := Accepting{Attribute: a.Name}
	for _, c := range accepted {
		is.Is = append(is.Is, a.Categories()[c])
	}
	l.If = append(l.If, is)
	l.conditions = append(l.conditions, Condition(a, accepted))
}

// NewTree lays out a decision tree, with its leaves in order. Without risks, leaves that
// make no difference are merged.
func NewTree(h Heading, b *Branch, leaves []Leaf) *Rule {
	r := &Rule{Leaves: leaves, tree: b.merged()}
	if r.tree.Leaf() {
		r.always = h.Outcome(r.tree.Outcome)
	}
	for i, leaf := range b.leaves() {
		leaf.number = i + 1
		l := &r.Leaves[i]
		l.Number, l.Predict, l.Prediction = i+1, leaf.Outcome, h.Outcome(leaf.Outcome)
	}
	r.Sentences = r.tree.sentences(h)
	r.whole = b
	return r
}

// tell adds the risks of the leaves, which are no longer merged then: add puts them to one.
func (r *Rule) tell(h Heading, add func(*Branch, *Leaf)) {
	r.tree = r.whole
	for i, leaf := range r.tree.leaves() {
		add(leaf, &r.Leaves[i])
		r.Leaves[i].outcomes = h.Outcomes
	}
	r.Sentences = r.tree.sentences(h)
}

// sentences says what follows from the condition, and what otherwise.
func (b *Branch) sentences(h Heading) []Sentence {
	if b.Leaf() {
		return []Sentence{{Text: fmt.Sprintf("Always predict %s%s.", h.Outcome(b.Outcome), b.told())}}
	}
	return []Sentence{b.Yes.after("If "+b.Condition, ", ", h), b.No.after("Otherwise", " ", h)}
}

// after says what follows from what was said.
func (b *Branch) after(said, link string, h Heading) Sentence {
	if b.Leaf() {
		return Sentence{Text: fmt.Sprintf("%s%spredict %s%s.", said, link, h.Outcome(b.Outcome), b.told())}
	}
	return Sentence{Text: said + ":", Items: b.sentences(h)}
}

// told tells the number and the risk of a leaf that has one.
func (b *Branch) told() string {
	if b.risk == nil {
		return ""
	}
	return fmt.Sprintf(" (leaf %d, risk %s)", b.number, percent(b.risk.Value, 1, 0))
}

// ErrNoLeaves is what WriteRules returns of what is no decision tree.
var ErrNoLeaves = errors.New("rules with one line a leaf are for decision trees")

// WriteRules writes a line for each leaf of a decision tree.
func (s Sheet) WriteRules(w io.Writer) error {
	leaves, err := s.Rules()
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, l := range leaves {
		text := "Always"
		if len(l.conditions) > 0 {
			text = "If " + both(l.conditions) + ","
		}
		fmt.Fprintf(&b, "%d. %s predict %s", l.Number, quote.Clean(text), quote.Clean(l.Prediction))
		if l.Risk != nil {
			fmt.Fprintf(&b, "; risk %s", within(*l.Risk))
		}
		for o, r := range l.Risks {
			fmt.Fprintf(&b, "; %s %s", quote.Clean(l.outcomes[o]), within(r))
		}
		b.WriteString(".\n")
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// Rules returns the leaves of a decision tree, or ErrNoLeaves.
func (s Sheet) Rules() ([]Leaf, error) {
	if s.Rule == nil || s.Leaves == nil {
		return nil, ErrNoLeaves
	}
	return slices.Clone(s.Leaves), nil
}
