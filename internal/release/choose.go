package release

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/privacy"
)

// If a request names no class, Choose selects one from public facts: the schema, ε, δ, the relation, the costs, and
// the number of rows if it is stated. It neither tries a candidate on the data nor derives a fact from the data. So
// the choice consumes no privacy budget, and is the same for all tables. docs/measurements/default-learner.md has the
// measurements on which the rule is based.

// A Candidate is a class with a mechanism that Choose considered.
type Candidate struct {
	Class  string            `json:"class"` // the class with its parameters, in the syntax of Request.Name
	Effort *mechanism.Effort `json:"effort,omitempty"`
	Bound  *mechanism.Bound  `json:"bound,omitempty"` // nil if the number of rows is not stated
	Taken  bool              `json:"taken"`
	Why    string            `json:"why"` // the reason why it was selected or not

	Form      model.Form          `json:"-"`
	Mechanism mechanism.Mechanism `json:"-"`
}

// A Choice lists the candidates that Choose considered, in order of preference. Exactly one of them is selected.
// The list is empty if the request named its class.
type Choice []Candidate

// Taken returns the selected candidate, or nil if the choice is empty.
func (c Choice) Taken() *Candidate {
	for i := range c {
		if c[i].Taken {
			return &c[i]
		}
	}
	return nil
}

// A candidate is a class with the condition under which Choose selects it. Choose also requires that the estimated
// time of sampling is at most c.mostSeconds.
type candidate struct {
	class string           // in the syntax of Request.Name
	pays  func(facts) bool // whether the candidate's condition holds
	why   string           // the reason for users if the condition holds
	not   string           // the reason for users if the condition does not hold; if empty, facts.unweighted returns it
}

// candidates are in order of preference: Choose selects the first one whose condition holds.
var candidates = []candidate{
	{"card-or-tree --depth 4 --mechanism newton", facts.stepped, stepped, ""},
	{"card-or-tree --depth 3 --mechanism newton", facts.stepped, shallower, ""},
	{"card-or-tree --depth 2 --mechanism newton", facts.stepped, shallower, ""},
	{rereading, facts.stepped, treeless, ""},
	{"card-or-tree --depth 4", facts.weighted, "there are enough rows for these attributes at this ε, and it samples a weighted card, which ranks best if points fit the label, or else a tree, which errs least", ""},
	{"card-or-tree --depth 3", facts.weighted, shallower, ""},
	{"card-or-tree --depth 2", facts.weighted, shallower, ""},
	{"naive-bayes --mechanism weighted", facts.weighted, treeless, ""},
	{"ranked-tree --depth 5", facts.deepRanked, "trees err least at this ε, five questions are enough for so many rows, and points rank the records of a leaf", "there are too few rows at this ε for a fifth question, or a tree alone is better"},
	{"ranked-tree --depth 4", facts.ranked, ranked, fewToRank},
	{"ranked-tree --depth 3", facts.ranked, ranked, fewToRank},
	{"ranked-tree --depth 2", facts.ranked, ranked, fewToRank},
	{"tree --depth 5", facts.deep, "there are enough rows at this ε for trees of five questions to err less than trees of four", "there are too few rows at this ε for a fifth question"},
	{"union:sparse,tree --attributes 4 --depth 4 --risk 0", facts.sparse, sparseOrTree, notSparse},
	{"union:sparse,tree --attributes 3 --depth 4 --risk 0", facts.sparse, sparseOrTree, notSparse},
	{"union:sparse,tree --attributes 2 --depth 4 --risk 0", facts.verySparse, sparseOrTree, notSparse},
	{"tree --depth 4 --risk 0", facts.riskless, riskless, risky},
	{"tree --depth 3 --risk 0", facts.riskless, riskless, risky},
	{"tree --depth 2 --risk 0", facts.riskless, riskless, risky},
	{usualClass, always, deepest, ""},
	{"tree --depth 3", always, deepest, ""},
	{"tree --depth 2", always, deepest, ""},
	{"naive-bayes", always, "it is fast for any schema, and trees do not support this one or take too long", ""},
	{"card-and-tree --depth 4", always, addsUp, ""},
	{"card-and-tree --depth 3", always, addsUp + shallowerTrees, ""},
	{"card-and-tree --depth 2", always, addsUp + shallowerTrees, ""},
	{"logistic", always, "of the classes that use a δ it errs least, except those with trees, which do not support this schema or take too long", ""},
	{"sparse", never, "", "never chosen: trees err as rarely on most tables; name it for a card of few attributes"},
	{"scorecard", never, "", "never chosen: its search has no time limit, and trees err as rarely on most tables"},
}

// usualClass is the candidate whose error Choose returns if no candidate can be prepared. This candidate accepts every
// input that any candidate accepts.
const usualClass = "tree --depth 4"

// rereading is the class of a candidate that only reads the rows about ten times and does little more. So its limit on
// the time may exceed mostSeconds: it is at least rereadingSeconds for each row. With the usual limit, no candidate
// would be selected for 10⁸ rows and a δ.
const (
	rereading        = "naive-bayes --mechanism newton"
	rereadingSeconds = 1e-6
)

const stepped = "there are enough rows for a Newton step at this ε, and it selects a scorecard with a weight for each attribute, which ranks best if points fit the label, or else a tree, which errs least"

const treeless = "there are enough rows for these attributes at this ε, and trees do not support the schema or take too long"

const shallower = "there are enough rows for these attributes at this ε, and sampling deeper trees takes too long"

const ranked = "sampling deeper trees takes too long or does not pay, trees err least at this ε, and points rank the records of a leaf"

var fewToRank = fmt.Sprintf("there are too few rows at this ε, or at most %d records can be distinct, so a tree alone is better", fewRecords)

const sparseOrTree = "there are too few rows at this ε to also release risks or points, and it samples a card of few attributes, which ranks best if points fit the label, or else a tree"

var notSparse = fmt.Sprintf("there are enough rows at this ε to also release risks or points, or a share of ε for risks is stated, or at most %d records can be distinct", fewRecords)

const (
	riskless = "trees err least at this ε, and there are too few rows to also release the risks of their leaves"
	risky    = "there are enough rows at this ε to release the risks of leaves, or their share of ε is stated"
)

const (
	addsUp         = "of the classes that use a δ it errs least, because it adds up points and the prediction of a tree"
	shallowerTrees = "; sampling deeper trees takes too long"
)

const deepest = "sampling deeper trees takes too long or does not pay, and trees err least on most tables"

func always(facts) bool { return true }
func never(facts) bool  { return false }

// facts are the inputs of the rule by which Choose selects. All of them are public.
type facts struct {
	attributes int
	rows       int64 // the stated number of rows, or usualRows
	stated     bool  // whether the number of rows was stated
	risk       bool  // whether the share of ε for risks was stated
	epsilon    privacy.Decimal
	relation   privacy.Relation
	budget     privacy.Guarantee // pure ε-DP, or ρ if there is a δ
	records    int64             // upper bound on the number of distinct records
}

// usualRows is the number of rows that Choose assumes if the request does not state the number.
const usualRows = 1 << 15

// mostSeconds is the usual maximum of the estimated time of sampling. Candidates that take longer are not selected.
const mostSeconds = 10

// mostSeconds returns the maximum of the estimated time of sampling for this candidate, given the number of rows.
func (c candidate) mostSeconds(rows int64) float64 {
	if c.class == rereading {
		return max(mostSeconds, rereadingSeconds*float64(rows))
	}
	return mostSeconds
}

// many reports whether ε·n is at least least, where n is the number of rows. Under add-remove half of it suffices,
// because the exponential mechanism then has twice the rate λ.
func (f facts) many(least float64) bool {
	e, _ := f.epsilon.Rat().Float64()
	if !f.relation.Replaces() {
		e *= 2
	}
	return e*float64(f.rows) >= least
}

// deep reports whether trees of depth 5 are expected to have fewer misclassifications than trees of depth 4. On the
// measured tables they do from an ε·n of 2000 on.
func (f facts) deep() bool { return f.many(2000) }

// fewRecords is the greatest number of possible distinct records for which trees can fit any label
// well.
const fewRecords = 128

// ranked reports whether a ranked tree is expected to be better than a tree. With fewer rows, a ranked tree has more
// misclassifications, because it samples its tree with a smaller part of ε.
func (f facts) ranked() bool { return f.records > fewRecords && f.many(2000) }

// riskless reports whether there are so few rows that a tree that is sampled with the whole ε ranks records as well as
// one that also releases risks, and has fewer misclassifications. It requires that no share of ε for risks is stated.
func (f facts) riskless() bool { return !f.risk && !f.many(500) }

// sparse reports whether a sparse card or a tree, sampled with the whole ε, is expected to rank records better than a
// tree that also releases risks, and to have no more misclassifications. The cards use three or four attributes.
func (f facts) sparse() bool { return !f.risk && f.records > fewRecords && !f.many(1000) }

// verySparse is like sparse, for cards of at most two attributes.
func (f facts) verySparse() bool { return f.sparse() && f.riskless() }

// deepRanked is like deep, for ranked trees.
func (f facts) deepRanked() bool { return f.ranked() && f.many(3000) }

// manyRecords reports whether a card may have fewer misclassifications than a tree. It requires that the number of
// rows is stated, and that more than fewRecords distinct records are possible.
func (f facts) manyRecords() bool { return f.stated && f.records > fewRecords }

// stepped reports whether a card that is improved by a Newton step is expected to have fewer misclassifications
// than a weighted card, given the number of rows, the number of attributes, and the budget.
func (f facts) stepped() bool {
	return f.manyRecords() && learn.NewtonBeatsWeights(f.attributes, f.rows, f.budget)
}

// weighted reports whether a card with a weight for each attribute is expected to have fewer misclassifications
// than one without weights, given the number of rows, the number of attributes, and ε.
func (f facts) weighted() bool {
	return f.manyRecords() && learn.WeightedPays(f.attributes, f.rows, f.epsilon, f.relation)
}

// unweighted returns the reason, as users see it, why a candidate is not selected whose condition is facts.stepped or
// facts.weighted.
func (f facts) unweighted() string {
	switch {
	case !f.stated:
		return "the number of rows is not stated"
	case f.records <= fewRecords:
		return fmt.Sprintf("at most %d records can be distinct, so other classes err less", fewRecords)
	}
	return "there are too few rows for these attributes at this ε, so other classes err less"
}

// Choose sets the form and the mechanism of a request that names neither, and returns the candidates that it
// considered. If no candidate can be prepared, it returns the error of Prepare for the class usualClass. Some
// candidates can be prepared only if r.Rows is set. If Choose would select one of them, but r.Rows is not set, it
// returns an error that asks for the number of rows.
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
			w.Why, _, _ = strings.Cut(err.Error(), "; ") // without the remedy
			if c.class == usualClass {
				refused = err
			}
		case fits && taken < 0:
			taken = len(weighed)
		case fits:
			w.Why = "a class before it was taken"
		}
		weighed = append(weighed, w)
	}
	if taken < 0 {
		return nil, refused
	}
	weighed[taken].Taken = true
	if err := r.Name(weighed[taken].Class); err != nil {
		return nil, err
	}
	if r.Rows == 0 {
		if _, err := r.Prepare(); err != nil {
			return nil, parameter.Errorf("{rows} is missing; it is needed to choose a class for a release with {delta}; give the number of %s of the data, including null ones, or name a class", r.Schema.Unit(2))
		}
	}
	return weighed, nil
}

// weigh prepares the release with the candidate c. It reports whether the condition of c holds and its estimated time
// is within the limit.
func (r Request) weigh(c candidate) (w Candidate, fits bool, err error) {
	w.Class = c.class
	stated, risk := r.Rows != 0, r.Risk != nil
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
	r.Epsilon, r.Delta = p.request.Epsilon, p.request.Delta
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
	whole := *p.setting
	whole.Epsilon = r.Epsilon
	budget, err := whole.Budget()
	if err != nil {
		return w, false, err
	}
	f := facts{len(r.Schema.Attributes), r.Rows, stated, risk, r.Epsilon, p.setting.Relation, budget, mechanism.Records(r.Schema, r.Rows)}
	switch {
	case p.Effort != nil && p.Effort.Seconds > c.mostSeconds(r.Rows):
		w.Why = fmt.Sprintf("sampling takes more than %d seconds", mostSeconds)
	case c.pays(f) && p.searches():
		w.Why = "the time of its search has no limit"
	case c.pays(f):
		w.Why, fits = c.why, true
	default:
		w.Why = cmp.Or(c.not, f.unweighted())
	}
	return w, fits, nil
}

// searches reports whether sampling requires a search whose time depends on the data.
func (p *Prepared) searches() bool {
	return p.Effort != nil && (p.Effort.Search == mechanism.Usually || p.Effort.Search == mechanism.Unbounded)
}
