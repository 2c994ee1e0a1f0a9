package release

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

// When a request names no class, Choose selects one from public facts: the schema, ε, δ, the
// relation, the costs, and the number of rows if it is stated. It neither tries a candidate on the
// data nor derives a fact from it, so the choice consumes no privacy budget and is the same for
// all tables. docs/explanation/default-learner.md has
// the measurements behind the rule.

// A Candidate is a class with a mechanism that Choose considered.
type Candidate struct {
	Class  string            `json:"class"` // with its parameters, as Request.Name takes it
	Effort *mechanism.Effort `json:"effort,omitempty"`
	Bound  *mechanism.Bound  `json:"bound,omitempty"` // where rows are stated
	Taken  bool              `json:"taken"`
	Why    string            `json:"why"` // it is taken, or not

	Form      model.Form          `json:"-"`
	Mechanism mechanism.Mechanism `json:"-"`
}

// A Choice lists the considered candidates in the order of the rule; exactly one is taken. It is
// empty if the request named its class.
type Choice []Candidate

// Taken returns the candidate that was taken, or nil if the choice is empty.
func (c Choice) Taken() *Candidate {
	for i := range c {
		if c[i].Taken {
			return &c[i]
		}
	}
	return nil
}

// A candidate is a class, in the syntax of Request.Name, with the condition under which it is
// taken, provided that it needs at most mostSeconds.
type candidate struct {
	class    string
	pays     func(facts) bool
	why, not string // it pays, or does not
}

// candidates are in order of preference: the first one whose condition holds is taken.
var candidates = []candidate{
	{"card-or-tree --depth 4", facts.weighted, "with so many rows for the attributes, and such an ε, weighted cards rank best where labels follow points, and trees err least where they do not: the draw takes either", tooFew},
	{"card-or-tree --depth 3", facts.weighted, shallower, tooFew},
	{"card-or-tree --depth 2", facts.weighted, shallower, tooFew},
	{"naive-bayes --mechanism weighted", facts.weighted, "with so many rows for the attributes, and such an ε, it ranks best, and trees do not go with the schema, or take too long", tooFew},
	{"tree --depth 5", facts.many, "with so many rows and such an ε five questions err less than four", "with so few rows, or such an ε, four questions err as rarely"},
	{usualClass, always, deepest, ""},
	{"tree --depth 3", always, deepest, ""},
	{"tree --depth 2", always, deepest, ""},
	{"naive-bayes", always, "it takes a moment for any schema, and trees do not go with this one, or take too long", ""},
	{"logistic", always, "of what spends a δ it errs least", ""},
	{"sparse", never, "", "trees err as rarely on most tables; ask for it to have a card of few attributes"},
	{"scorecard", never, "", "nothing bounds how long its search takes, and where it ends trees mostly err as rarely"},
}

// usualClass is the candidate whose error Choose returns if all candidates are refused: it accepts
// every input that another candidate accepts.
const usualClass = "tree --depth 4"

const shallower = "with so many rows for the attributes, and such an ε, the draw takes a weighted card or a tree, and no deeper one is drawn in time"

const tooFew = "with so few rows for the attributes, such an ε, no rows stated or 128 records at most, trees err less"

const deepest = "no deeper trees are drawn in time, and trees err least on most tables"

func always(facts) bool { return true }
func never(facts) bool  { return false }

// facts are the inputs of the rule. All of them are public.
type facts struct {
	attributes int
	rows       int64 // as stated, or usualRows
	stated     bool
	epsilon    privacy.Decimal
	relation   privacy.Relation
	records    int64 // that may be distinct
}

// usualRows replaces the number of rows if it is not stated.
const usualRows = 1 << 15

// mostSeconds bounds the estimated time of a draw of the chosen candidate.
const mostSeconds = 10

// many reports whether one more misclassification per thousand rows is less than the error due to
// privacy.
func (f facts) many() bool {
	e, _ := f.epsilon.Rat().Float64()
	return e*float64(f.rows) >= 2000
}

// fewRecords is a number of distinct records that trees separate well, whatever the label depends
// on.
const fewRecords = 128

// weighted reports whether a weighted card, which needs stated rows, is worth its noise.
func (f facts) weighted() bool {
	return f.stated && f.records > fewRecords && learn.WeightedPays(f.attributes, f.rows, f.epsilon, f.relation)
}

// Choose sets the form and the mechanism of a request that names neither, and returns the
// candidates that it considered. Its errors are those of Prepare for the usual class.
func (r *Request) Choose() (Choice, error) {
	if r.Schema == nil || r.Schema.Label == nil {
		return nil, errUnlabelled
	}
	var weighed Choice
	var refused error
	taken := -1
	for _, c := range candidates {
		w, fits, err := r.weigh(c)
		switch {
		case err != nil:
			w.Why = err.Error()
			if c.class == usualClass {
				refused = err
			}
		case fits && taken < 0:
			taken = len(weighed)
		case fits:
			w.Why = "another comes before it"
		}
		weighed = append(weighed, w)
	}
	if taken < 0 {
		return nil, refused
	}
	weighed[taken].Taken = true
	return weighed, r.Name(weighed[taken].Class)
}

// weigh prepares a candidate and reports whether the rule allows it.
func (r Request) weigh(c candidate) (w Candidate, fits bool, err error) {
	w.Class = c.class
	stated := r.Rows != 0
	if !stated {
		r.Rows = usualRows
	}
	if err := r.Name(c.class); err != nil {
		return w, false, err
	}
	w.Form, w.Mechanism = r.Form, r.Mechanism
	p, err := r.Prepare()
	if err != nil {
		return w, false, err
	}
	w.Effort = p.Effort
	if stated {
		bounds, err := r.Mechanism.Bounds(p.setting)
		if err != nil {
			return w, false, err
		}
		if len(bounds) > 0 {
			w.Bound = &bounds[0]
		}
	}
	f := facts{len(r.Schema.Attributes), r.Rows, stated, r.Epsilon, p.setting.Relation, mechanism.Records(r.Schema, r.Rows)}
	switch {
	case p.Effort != nil && p.Effort.Seconds > mostSeconds:
		w.Why = fmt.Sprintf("a draw takes more than %d seconds", mostSeconds)
	case c.pays(f):
		w.Why, fits = c.why, true
	default:
		w.Why = c.not
	}
	return w, fits, nil
}
