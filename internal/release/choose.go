package release

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/privacy"
)

// If a request names no class, Choose selects one from public facts: the schema, ε, δ, the relation, the costs, and
// the number of rows if it is stated. It neither tries a candidate on the data nor derives a fact from the data. So
// the choice consumes no privacy budget, and is the same for all tables. docs/measurements/default-learner.md has the
// measurements on which the rule is based.

// A Candidate is a class with a mechanism that Choose considered, and the reason why it was selected or not.
type Candidate struct {
	Class  string            `json:"class"` // the class with its parameters, in the syntax of Request.Name
	Effort *mechanism.Effort `json:"effort,omitempty"`
	Bound  *mechanism.Bound  `json:"bound,omitempty"` // nil if the number of rows is not stated
	Taken  bool              `json:"taken"`
	Why    string            `json:"why"` // the reason why it was selected or not

	Form      model.Form          `json:"-"`
	Mechanism mechanism.Mechanism `json:"-"`
	Refused   bool                `json:"-"` // whether it cannot be prepared
	NoDelta   bool                `json:"-"` // whether it was refused because the request has a δ, but its guarantee is pure
}

// A Choice lists the candidates that Choose considered, in order of preference. Exactly one of them was selected. The
// list is empty if the request named its class.
type Choice []Candidate

// Taken returns the candidate that was selected, or nil if the choice is empty.
func (c Choice) Taken() *Candidate {
	for i := range c {
		if c[i].Taken {
			return &c[i]
		}
	}
	return nil
}

// A candidate is a class, and the condition on public facts under which Choose selects it. In addition, the estimated
// time of sampling must be within a limit (see mostSeconds).
type candidate struct {
	class     string           // in the syntax of Request.Name
	condition func(facts) bool // whether the candidate is expected to be better than those after it
	why       string           // the reason for users if the condition holds
	otherwise string           // the reason if the condition does not hold; if empty, facts.whyNoWeights returns it
}

// pure reports whether the candidate is a union with sum scores. Choose may select these even if a δ is stated; their
// guarantee is pure, so the release then does not consume the δ.
func (c candidate) pure() bool { return strings.HasPrefix(c.class, "union:sum-score,") }

// candidates lists all candidates in order of preference. Choose selects the first one whose condition holds and
// whose estimated time is within the limit.
var candidates = []candidate{
	{"card-or-tree --depth 4 --mechanism newton", facts.enoughForNewton, whyNewton, ""},
	{"card-or-tree --depth 3 --mechanism newton", facts.enoughForNewton, whyShallower, ""},
	{"card-or-tree --depth 2 --mechanism newton", facts.enoughForNewton, whyShallower, ""},
	{newtonCard, facts.enoughForNewton, whyNoTree, ""},
	{"card-or-tree --depth 4 --sum-scores true", facts.alikeAndEnoughForWeights, whyManySums, whyNoSums},
	{"card-or-tree --depth 3 --sum-scores true", facts.alikeAndEnoughForWeights, whyManySums, whyNoSums},
	{"card-or-tree --depth 2 --sum-scores true", facts.alikeAndEnoughForWeights, whyManySums, whyNoSums},
	{"card-or-tree --depth 4", facts.enoughForWeights, whyWeights, ""},
	{"card-or-tree --depth 3", facts.enoughForWeights, whyShallower, ""},
	{"card-or-tree --depth 2", facts.enoughForWeights, whyShallower, ""},
	{"naive-bayes --mechanism weighted", facts.enoughForWeights, whyNoTree, ""},
	{"union:sum-score,sparse,tree --attributes 4 --depth 4 --risk 0", facts.alikeAndFewForRisks, whySums, whyNoSums},
	{"union:sum-score,sparse,tree --attributes 3 --depth 4 --risk 0", facts.alikeAndFewForRisks, whySums, whyNoSums},
	{"union:sum-score,sparse,tree --attributes 2 --depth 4 --risk 0", facts.alikeAndFewForRisks, whySums, whyNoSums},
	{"union:sum-score,sparse,tree --attributes 4 --depth 4 --risk 0.2", facts.alikeAndFew, whySums, whyNoSums},
	{"union:sum-score,sparse,tree --attributes 3 --depth 4 --risk 0.2", facts.alikeAndFew, whySums, whyNoSums},
	{"union:sum-score,sparse,tree --attributes 2 --depth 4 --risk 0.2", facts.alikeAndFew, whySums, whyNoSums},
	{"union:sum-score,tree --depth 5", facts.alikeAndEnoughForDepth5, whySums, whyNoSums},
	{"union:sum-score,tree --depth 4", facts.alikeAndFew, whySums, whyNoSums},
	{"union:sum-score,tree --depth 3", facts.alikeAndFew, whySums, whyNoSums},
	{"union:sum-score,tree --depth 2", facts.alikeAndFew, whySums, whyNoSums},
	{"ranked-tree --depth 5", facts.enoughForRankedDepth5, whyRankedDepth5, "there are too few rows at this ε for a fifth test of each record, or a tree alone is better"},
	{"ranked-tree --depth 4", facts.enoughToRank, whyRanked, whyNotRanked},
	{"ranked-tree --depth 3", facts.enoughToRank, whyRanked, whyNotRanked},
	{"ranked-tree --depth 2", facts.enoughToRank, whyRanked, whyNotRanked},
	{"tree --depth 5", facts.enoughForDepth5, "there are enough rows at this ε for a fifth test of each record to reduce misclassifications", "there are too few rows at this ε for a fifth test of each record"},
	{"union:sparse,tree --attributes 4 --depth 4 --risk 0", facts.fewForPoints, whySparse, whyNotSparse},
	{"union:sparse,tree --attributes 3 --depth 4 --risk 0", facts.fewForPoints, whySparse, whyNotSparse},
	{"union:sparse,tree --attributes 2 --depth 4 --risk 0", facts.fewForPointsAndRisks, whySparse, whyNotSparse},
	{"tree --depth 4 --risk 0", facts.fewForRisks, whyNoRisks, whyRisks},
	{"tree --depth 3 --risk 0", facts.fewForRisks, whyNoRisks, whyRisks},
	{"tree --depth 2 --risk 0", facts.fewForRisks, whyNoRisks, whyRisks},
	{usualClass, always, whyTree, ""},
	{"tree --depth 3", always, whyTree, ""},
	{"tree --depth 2", always, whyTree, ""},
	{"naive-bayes", always, "it is fast for any schema, and trees do not support this one or take too long", ""},
	{"card-and-tree --depth 4", always, whySum, ""},
	{"card-and-tree --depth 3", always, whySum + "; deeper trees take too long", ""},
	{"card-and-tree --depth 2", always, whySum + "; deeper trees take too long", ""},
	{deltaClass, always, "trees do not support this schema or take too long, and of the other classes that use a δ it misclassifies the fewest records", ""},
	{"sparse", never, "", "never chosen: trees are as accurate on most tables; name it for a card of few attributes"},
	{"scorecard", never, "", "never chosen: its search has no time limit, and trees are as accurate on most tables"},
}

// usualClass is the class whose error Choose returns if it can prepare none of its candidates.
const usualClass = "tree --depth 4"

// deltaClass is a class that uses a δ. It supports every schema that any of the candidates that use a δ supports.
const deltaClass = "logistic"

// newtonCard is a class whose release takes little more time than reading the rows about ten times. This time is
// predictable, so its limit is larger than mostSeconds for many rows: newtonCardSeconds for each row. Otherwise no
// candidate would be selected for 10⁸ rows and a δ.
const (
	newtonCard        = "naive-bayes --mechanism newton"
	newtonCardSeconds = 1e-6
)

// These constants are reasons for users why a candidate was selected. Several candidates share each of them.
const (
	whyNewton       = "there are enough rows for a Newton step at this ε, and it releases a scorecard with a weight for each attribute if their effects add up, or else a tree"
	whyWeights      = "there are enough rows for these attributes at this ε, and it releases a scorecard with a weight for each attribute if their effects add up, or else a tree"
	whyNoTree       = "there are enough rows for these attributes at this ε, and trees do not support the schema or take too long"
	whyShallower    = "there are enough rows for these attributes at this ε, and deeper trees take too long"
	whyRankedDepth5 = "trees misclassify the fewest records at this ε, there are enough rows for five tests of each record, and points rank the records within a leaf"
	whyRanked       = "trees misclassify the fewest records at this ε, deeper ones take too long or are not more accurate, and points rank the records within a leaf"
	whySparse       = "there are too few rows at this ε to also release risks or points of many attributes, and it releases a card of few attributes if their effects add up, or else a tree"
	whySums         = "most attributes have the same categories, and it releases a sum score if the label depends on how many attributes have each category, or else a card of few attributes or a tree"
	whyManySums     = "most attributes have the same categories, and it releases a sum score if the label depends on how many attributes have each category, or else a scorecard with a weight for each attribute, or a tree"
	whyAssumed      = ", where 32,768 rows are assumed because their number is not stated" // usualRows
	whyUnused       = "; its guarantee is pure, so it does not use the δ"
	whyNoRisks      = "trees misclassify the fewest records at this ε, and there are too few rows to also release the risks of their leaves"
	whyRisks        = "there are enough rows at this ε to release the risks of leaves, or their share of ε is stated"
	whyTree         = "trees misclassify the fewest records of most tables, and deeper ones take too long or are not more accurate"
	whySum          = "of the classes that use a δ it misclassifies the fewest records, because it adds the prediction of a tree to the points of attributes"
)

var (
	whyNoSums    = fmt.Sprintf("fewer than two thirds of the attributes have the same categories (or fewer than %d attributes, or they have too many categories), or the number of rows at this ε suits another class", fewAlike)
	whyNotRanked = fmt.Sprintf("there are too few rows at this ε, or at most %d distinct records are possible, so a tree alone is better", fewRecords)
	whyNotSparse = fmt.Sprintf("there are enough rows at this ε to also release risks or points, or a share of ε for risks is stated, or at most %d distinct records are possible", fewRecords)
)

func always(facts) bool { return true }
func never(facts) bool  { return false }

// facts are the public facts on which the conditions of candidates depend.
type facts struct {
	attributes int
	rows       int64 // the stated number of rows, or usualRows
	stated     bool  // whether the number of rows was stated
	risk       bool  // whether the share of ε for risks was stated
	epsilon    privacy.Decimal
	relation   privacy.Relation
	budget     privacy.Guarantee // pure ε-DP, or ρ if there is a δ
	records    int64             // upper bound on the number of distinct records
	alike      int               // the number of attributes in the largest group with the same categories
	delta      bool              // whether the request has a δ
}

// usualRows is the number of rows that Choose assumes if the request does not state the number.
const usualRows = 1 << 15

// mostSeconds is the usual maximum of the estimated time of sampling. Candidates that take longer are not selected.
const mostSeconds = 10

// mostSeconds returns the maximum estimated time of sampling, in seconds, with which Choose selects the candidate for
// the given number of rows.
func (c candidate) mostSeconds(rows int64) float64 {
	if c.class == newtonCard {
		return max(mostSeconds, newtonCardSeconds*float64(rows))
	}
	return mostSeconds
}

// enough reports whether ε·n is at least the given minimum (least), where n is the number of rows. Under add-remove,
// half of the minimum is enough, because the exponential mechanism then has twice the rate λ.
func (f facts) enough(least int64) bool {
	return learn.EnoughRows(f.rows, f.epsilon.Rat(), f.relation, least)
}

// enoughForDepth5 reports whether trees of depth 5 are expected to have fewer misclassifications than trees of depth
// 4. On the tables that were measured, this is the case if ε·n is at least 2000.
func (f facts) enoughForDepth5() bool { return f.enough(2000) }

// fewRecords is the maximum number of possible distinct records for which trees can represent nearly any function of
// the attributes.
const fewRecords = 128

// enoughToRank reports whether a ranked tree is expected to be better than a tree. With fewer rows it has more
// misclassifications, because its tree is sampled with only a part of ε.
func (f facts) enoughToRank() bool { return f.records > fewRecords && f.enough(2000) }

// fewForRisks reports whether there are too few rows to release risks: without them, a tree that is sampled with the
// whole ε ranks records as well, and has fewer misclassifications. It returns false if the request states a share of
// ε for risks.
func (f facts) fewForRisks() bool { return !f.risk && !f.enough(500) }

// fewForPoints reports whether a sparse card or a tree, sampled with the whole ε, is expected to rank records better
// than a tree that also releases risks, without more misclassifications. The cards use three or four attributes.
func (f facts) fewForPoints() bool { return !f.risk && f.records > fewRecords && !f.enough(1000) }

// fewAlike is the minimum number of attributes with the same categories for which Choose considers sum scores.
const fewAlike = 4

// isAlike reports whether most attributes have the same categories, so that a sum score may be better than all other
// classes.
func (f facts) isAlike() bool { return f.alike >= fewAlike && 3*f.alike >= 2*f.attributes }

// alikeAndFew reports whether most attributes have the same categories, and there are too few rows to estimate points
// of each attribute. With a δ and at least 1000 rows, the limit on the number of rows is lower, because classes that
// use a δ need fewer rows.
func (f facts) alikeAndFew() bool {
	most := int64(5000)
	if f.delta && f.rows >= 1000 {
		most = 2000
	}
	return f.isAlike() && !f.enough(most)
}

// alikeAndFewForRisks reports whether most attributes have the same categories, and there are too few rows to release
// risks in addition to a model.
func (f facts) alikeAndFewForRisks() bool { return f.isAlike() && !f.risk && !f.enough(1000) }

// alikeAndEnoughForDepth5 reports whether enoughForDepth5 holds, most attributes have the same categories, and at
// most fewRecords distinct records are possible.
func (f facts) alikeAndEnoughForDepth5() bool {
	return f.isAlike() && f.records <= fewRecords && f.enoughForDepth5()
}

// alikeAndEnoughForWeights reports whether most attributes have the same categories, and enoughForWeights holds.
func (f facts) alikeAndEnoughForWeights() bool { return f.isAlike() && f.enoughForWeights() }

// mostAlike returns the size of the largest group of attributes with the same categories, among the groups from which
// sum scores are formed.
func mostAlike(s *table.Schema) (most int) {
	for _, g := range model.NewSumScore().Groups(s) {
		most = max(most, len(g.Attributes))
	}
	return most
}

// fewForPointsAndRisks reports whether fewForPoints and fewForRisks both hold. There are then so few rows that the
// cards use at most two attributes.
func (f facts) fewForPointsAndRisks() bool { return f.fewForPoints() && f.fewForRisks() }

// enoughForRankedDepth5 reports whether ranked trees of depth 5 are expected to have fewer misclassifications than
// ranked trees of depth 4.
func (f facts) enoughForRankedDepth5() bool { return f.enoughToRank() && f.enough(3000) }

// cardMayWin reports whether a scorecard may have fewer misclassifications than a tree. It requires that the number
// of rows is stated, and that more than fewRecords distinct records are possible.
func (f facts) cardMayWin() bool { return f.stated && f.records > fewRecords }

// enoughForNewton reports whether a scorecard that is improved by a Newton step is expected to have fewer
// misclassifications than a scorecard with a weight for each attribute. This depends on the number of rows, the
// number of attributes and the budget.
func (f facts) enoughForNewton() bool {
	return f.cardMayWin() && learn.NewtonBeatsWeights(f.attributes, f.rows, f.budget)
}

// enoughForWeights reports whether a scorecard with a weight for each attribute is expected to have fewer
// misclassifications than one without weights. This depends on the number of rows, the number of attributes and ε.
func (f facts) enoughForWeights() bool {
	return f.cardMayWin() && learn.WeightsBeatNaiveBayes(f.attributes, f.rows, f.epsilon, f.relation)
}

// whyNoWeights returns the reason, for users, why the condition of a candidate, enoughForNewton or enoughForWeights,
// does not hold.
func (f facts) whyNoWeights() string {
	switch {
	case !f.stated:
		return "the number of rows is not stated"
	case f.records <= fewRecords:
		return fmt.Sprintf("at most %d distinct records are possible, so trees can represent any function of them", fewRecords)
	}
	return "there are too few rows for these attributes at this ε, so other classes are more accurate"
}

// Choose selects the form and the mechanism of a request that names neither. It returns the candidates that it
// considered. It returns an error with the reason if it selects none:
//
//   - No candidate could be prepared. The error is that of Prepare for the class usualClass.
//   - None of the candidates that support the schema uses the δ of the request.
//   - All of them take too long.
//   - The candidate that it would select needs the number of rows, but r.Rows is not set.
func (r *Request) Choose() (Choice, error) {
	if r.Schema == nil || r.Schema.Label == nil {
		return nil, errUnlabelled
	}
	var choice Choice
	var refused, pure error // the errors of usualClass and of the first candidate that was refused because of the δ
	taken := -1
	for _, c := range candidates {
		w, fits, err := r.assess(c)
		switch {
		case err != nil:
			w.Why, _, _ = strings.Cut(err.Error(), "; ") // without the second half of the message, which proposes a remedy
			w.Refused, w.NoDelta = true, errors.Is(err, mechanism.ErrPure)
			if w.NoDelta {
				pure = cmp.Or(pure, err)
			}
			if c.class == usualClass {
				refused = err
			}
		case fits && taken < 0:
			taken = len(choice)
		case fits:
			w.Why = "an earlier class in this list is chosen"
		}
		choice = append(choice, w)
	}
	switch {
	case taken >= 0:
	case pure != nil:
		return nil, withoutDelta{r.whyPure(choice), pure}
	case refused != nil:
		return nil, refused
	default:
		return nil, parameter.Errorf("for every class that supports the schema, sampling takes more than %d seconds; group categories, or name a class, such as {class} tree with {depth} 2", mostSeconds)
	}
	choice[taken].Taken = true
	if err := r.take(candidates[taken]); err != nil {
		return nil, err
	}
	if r.Rows == 0 {
		if _, err := r.Prepare(); err != nil {
			return nil, parameter.Errorf("{rows} is missing; it is needed to choose a class for a release with {delta}; give the number of %s of the data, including those with values outside the schema, or name a class", r.Schema.Unit(2))
		}
	}
	return choice, nil
}

// A withoutDelta is the error for a request with a δ if no candidate that uses a δ supports the schema.
type withoutDelta struct {
	error
	refused error // the error of a candidate whose guarantee is pure
}

func (w withoutDelta) Unwrap() []error { return []error{w.error, w.refused} }

// whyPure returns an error with the reason why none of the candidates that use a δ supports the request.
func (r *Request) whyPure(choice Choice) error {
	if r.Costs != (learn.Loss{}) && r.Costs != learn.ZeroOne {
		return parameter.Errorf("{delta} must be 0, because none of the classes that use it supports {false-positive} and {false-negative}; leave {delta} out, or leave these costs out")
	}
	last := slices.IndexFunc(choice, func(c Candidate) bool { return c.Class == deltaClass })
	return parameter.Errorf("{delta} must be 0, because none of the classes that use it supports the schema: %s; leave {delta} out, or change the schema", choice[last].Why)
}

// take sets the form and the mechanism of the request to those of the candidate. If the request states a share of ε
// for risks, take keeps it. If the guarantee of the candidate is pure, take sets a valid δ to 0.
func (r *Request) take(c candidate) error {
	risk := r.Risk
	if err := r.Name(c.class); err != nil {
		return err
	}
	if risk != nil {
		r.Risk = risk
	}
	if c.pure() && !r.Total && r.Delta.Rat().Cmp(big.NewRat(1, 1)) < 0 {
		r.Delta = privacy.Decimal{}
	}
	return nil
}

// assess prepares the release with the candidate c. The result fits reports whether the condition of c holds and its
// estimated time is within the limit.
func (r Request) assess(c candidate) (w Candidate, fits bool, err error) {
	w.Class = c.class
	stated, risk, delta := r.Rows != 0, r.Risk != nil, r.Delta
	if !stated {
		r.Rows = usualRows
	}
	if err := r.take(c); err != nil {
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
	f := facts{len(r.Schema.Attributes), r.Rows, stated, risk, r.Epsilon, p.setting.Relation, budget, mechanism.Records(r.Schema, r.Rows), mostAlike(r.Schema), !delta.IsZero()}
	switch {
	case p.Effort != nil && p.Effort.Seconds > c.mostSeconds(r.Rows):
		w.Why = fmt.Sprintf("sampling takes more than %.0f seconds", c.mostSeconds(r.Rows))
	case c.condition(f) && p.searches():
		w.Why = "the time of its search has no limit"
	case c.condition(f):
		w.Why, fits = c.why, true
		if !stated {
			w.Why += whyAssumed
		}
		if r.Delta.IsZero() && !delta.IsZero() {
			w.Why += whyUnused
		}
	default:
		w.Why = cmp.Or(c.otherwise, f.whyNoWeights())
	}
	return w, fits, nil
}

// searches reports whether the release samples by a search whose running time depends on the data.
func (p *Prepared) searches() bool {
	return p.Effort != nil && (p.Effort.Search == mechanism.Usually || p.Effort.Search == mechanism.Unbounded)
}
