package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
)

// A branch is a node of a decision tree: either a leaf, which predicts a class, or an inner node, which tests a
// condition. The branch yes of an inner node is for records that satisfy the condition, and the branch no is for all
// other records.
type branch struct {
	condition string
	yes, no   *branch // both nil at a leaf
	outcome   int

	number int         // for a leaf, its number from 1; 0 if leaves have been merged
	risk   *risk.Share // for a leaf, the risk of the positive outcome, or, if there are more than two outcomes, of the predicted one; nil if no risk is stated
}

func newBranch(w words, t *rule.Tree) *branch {
	if t.Leaf() {
		return &branch{outcome: t.Predict, number: t.Number}
	}
	return &branch{condition: w.sentence(t.If), yes: newBranch(w, t.Yes), no: newBranch(w, t.No)}
}

func (b *branch) leaf() bool { return b.yes == nil }

// leaves returns the leaves below the branch, in order: those of the branch yes precede those of the branch no.
func (b *branch) leaves() []*branch {
	if b.leaf() {
		return []*branch{b}
	}
	return append(b.yes.leaves(), b.no.leaves()...)
}

// A Leaf describes a leaf of a decision tree, as a rule for the records that satisfy all its conditions. Each record
// belongs to exactly one leaf.
type Leaf struct {
	Number     int         `json:"leaf"`    // the number of the leaf, from 1
	If         []Accepting `json:"if"`      // one condition for each attribute on which the leaf depends
	Predict    int         `json:"predict"` // the index of the predicted class
	Prediction string      `json:"prediction"`
	Risk       *risk.Share `json:"risk,omitempty"`
	// Risks replaces Risk if the label has more than two classes. It has one risk for each class.
	Risks []risk.Share `json:"risks,omitempty"`

	outcomes   []string // the names of the classes of Risks
	conditions []string
}

// An Accepting is a condition: the attribute has one of the listed categories.
type Accepting struct {
	Attribute string   `json:"attribute"`
	Is        []string `json:"is"`
}

// newTree describes a decision tree. Adjacent leaves with equal predictions are merged, as long as no risks are
// added.
func newTree(h Heading, w words, t *rule.Tree) *Rule {
	r := &Rule{whole: newBranch(w, t), tree: newBranch(w, t.Merged())}
	if r.tree.leaf() {
		r.always = h.Outcome(r.tree.outcome)
	}
	possible := make([][]uint16, len(w.attributes))
	for j := range possible {
		possible[j] = rule.Condition{}.Complement(w.attributes[j].Len()).Accepts
	}
	r.addLeaves(h, w, t, possible, nil)
	r.Sentences = r.tree.sentences(h)
	return r
}

// addLeaves adds the leaves of the subtree t to the rule. For each attribute, the parameter possible lists the
// category codes that a record at the root of the subtree may have. The parameter asked lists the attributes that
// the conditions above the subtree test.
func (r *Rule) addLeaves(h Heading, w words, t *rule.Tree, possible [][]uint16, asked []int) {
	if t.Leaf() {
		l := Leaf{Number: t.Number, Predict: t.Predict, Prediction: h.Outcome(t.Predict), If: []Accepting{}}
		for _, j := range asked {
			is := Accepting{Attribute: w.name(j)}
			for _, c := range possible[j] {
				is.Is = append(is.Is, w.categories(j)[c])
			}
			l.If = append(l.If, is)
			l.conditions = append(l.conditions, w.condition(j, possible[j]))
		}
		r.Leaves = append(r.Leaves, l)
		return
	}
	j := t.If.Attribute
	if !slices.Contains(asked, j) {
		asked = append(slices.Clip(asked), j)
	}
	all := possible[j]
	yes, no := t.If.Divide(all)
	possible[j] = yes
	r.addLeaves(h, w, t.Yes, possible, asked)
	possible[j] = no
	r.addLeaves(h, w, t.No, possible, asked)
	possible[j] = all
}

// addRisks adds risks to the sentences of a decision tree, by calling the function add for each leaf. Because leaves
// with the same prediction may have different risks, the tree with merged leaves is replaced by the complete tree.
func (r *Rule) addRisks(h Heading, add func(*branch, *Leaf)) {
	r.tree = r.whole
	for i, leaf := range r.tree.leaves() {
		add(leaf, &r.Leaves[i])
		r.Leaves[i].outcomes = h.Outcomes
	}
	r.Sentences = r.tree.sentences(h)
}

// sentences returns the sentences that describe the branch: two for an inner node, one for each of its branches, and
// one for a leaf.
func (b *branch) sentences(h Heading) []Sentence {
	if b.leaf() {
		return []Sentence{{Text: fmt.Sprintf("Always predict %s%s.", h.Outcome(b.outcome), b.riskText())}}
	}
	return []Sentence{b.yes.after("If "+b.condition, ", ", h), b.no.after("Otherwise", " ", h)}
}

// after returns a sentence about a branch. It begins with the text in the parameter before, such as "If age < 40" or
// "Otherwise". For a leaf, the text in the parameter link and the prediction follow.
func (b *branch) after(before, link string, h Heading) Sentence {
	if b.leaf() {
		return Sentence{Text: fmt.Sprintf("%s%spredict %s%s.", before, link, h.Outcome(b.outcome), b.riskText())}
	}
	return Sentence{Text: before + ":", Items: b.sentences(h)}
}

// riskText returns a text in parentheses that states the number and the risk of a leaf, or "" if the leaf has no
// risk.
func (b *branch) riskText() string {
	if b.risk == nil {
		return ""
	}
	of := "unknown"
	if v := Reliable(*b.risk); v != nil {
		of = percent(v, 1, 0)
	}
	return fmt.Sprintf(" (leaf %d, risk %s)", b.number, of)
}

// ErrNoLeaves is the error that Rules and WriteRules return for a model that is not a decision tree.
var ErrNoLeaves = errors.New("only a decision tree can be printed as rules")

// WriteRules writes one line for each leaf of a decision tree: its conditions, prediction and risk.
// It returns ErrNoLeaves for other models.
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
			fmt.Fprintf(&b, "; risk %s", estimated(*l.Risk))
		}
		for o, r := range l.Risks {
			fmt.Fprintf(&b, "; %s %s", quote.Clean(l.outcomes[o]), estimated(r))
		}
		b.WriteString(".\n")
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// Rules returns the leaves of a decision tree as rules. It returns ErrNoLeaves if the model is not
// a decision tree.
func (s Sheet) Rules() ([]Leaf, error) {
	if s.Rule == nil || s.Leaves == nil {
		return nil, ErrNoLeaves
	}
	return slices.Clone(s.Leaves), nil
}
