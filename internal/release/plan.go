package release

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Plan describes a release before it is made: it holds bounds on its error and other data-independent facts, for
// each mechanism that may be used.
type Plan struct {
	Class   string            // a description of the class for users
	Members []string          // descriptions of the members of a union
	Size    *big.Int          // the number of hypotheses; nil if the mechanisms do not select from a class
	Effort  *mechanism.Effort // nil if the mechanisms do not select from a class
	Bounds  []mechanism.Bound
	Planned []string            // mechanisms whose bounds were requested and can be computed
	Without []string            // mechanisms of additive forms that need a δ above 0
	Boost   *mechanism.Division // the division of rows for boosting, if it was requested
	Risks   privacy.Decimal     // the part of ε for risks, 0 for none; Bounds apply to the rest of ε
	Grades  risk.Kind           // the kind of the grades to which the risks belong

	// RiskWithin bounds the error of the number of rows or persons with one outcome and one grade, from which a risk
	// is estimated. The bound holds with probability risk.Confidence. It is nil without risks.
	RiskWithin *big.Int

	Relation privacy.Relation // a relation of persons if the schema has a Person

	// Epsilon and Delta are the parameters of the release. If the request has a Total, they are the parts that remain
	// after the profiles of the schema, and Guarantee is the guarantee of the release. Otherwise Guarantee is nil.
	Epsilon, Delta privacy.Decimal
	Guarantee      *privacy.Statement

	// ErrorsWithin and CellsWithin bound the errors of an Evaluation with the same ε: the first bounds the error of
	// the number of misclassifications, the second that of each entry of the confusion matrix. Both are in rows, and
	// hold with probability risk.Confidence.
	ErrorsWithin, CellsWithin *big.Int

	costs    learn.Loss
	outcomes int
	rows     int64
}

// Plan computes bounds on the excess cost of each mechanism that supports the form of the request. The map asked
// contains, by name, the mechanisms whose parameters the user set; all other mechanisms have their default
// parameters. If boost is true, the plan includes the division of rows for boosting.
//
// The request must state the number of rows. If it has a δ, the plan omits mechanisms that do not accept a δ.
func (r Request) Plan(asked map[string]mechanism.Mechanism, boost bool) (*Plan, error) {
	if r.Rows < 1 {
		return nil, parameter.Errorf("{rows} must be positive, but is %d", r.Rows)
	}
	s, err := r.setting()
	if err != nil {
		return nil, err
	}
	var division *division
	if r.Total {
		if division, err = newDivision(r, s); err != nil {
			return nil, err
		}
	}
	p := &Plan{costs: s.Costs, outcomes: s.Schema.Outcomes(), rows: s.Rows, Class: s.Form.Name(), Relation: s.Relation, Epsilon: s.Epsilon, Delta: s.Delta}
	if p.Risks, err = s.Risks(r.Risk); err != nil {
		return nil, err
	}
	if err := s.LayOut(r.Balanced, &mechanism.Exponential{}); err != nil {
		return nil, err
	}
	if err := p.describeClass(s, asked[mechanism.ExponentialName]); err != nil {
		return nil, err
	}
	shares, err := p.bound(s, asked, division)
	if err != nil {
		return nil, err
	}
	if used := p.used(r.Mechanism); shares[used.Mechanism].guarantee != nil {
		p.take(shares[used.Mechanism], used)
	}
	most := 0
	p.Grades, most = s.Space.MostGrades()
	if p.ErrorsWithin, p.CellsWithin, err = risk.Widths(p.Grades, most, p.outcomes, p.Epsilon, s.Relation); err != nil {
		return nil, err
	}
	if !p.Risks.IsZero() {
		if p.RiskWithin, err = risk.GradeWidth(p.Grades, most, p.outcomes, p.Risks, s.Relation); err != nil {
			return nil, err
		}
	}
	if boost {
		if p.Boost, err = mechanism.Divide(s); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// describeClass sets the description, the size and the effort of the class from which mechanisms select, if there is
// one. The mechanism m is the exponential mechanism with parameters that the user set, or nil.
func (p *Plan) describeClass(s *mechanism.Setting, m mechanism.Mechanism) error {
	space, err := s.DrawnFrom(m)
	if err != nil {
		return err
	}
	c := mechanism.ChosenFrom(space)
	if c == nil {
		return nil
	}
	most, err := mechanism.MostRows(c, s.Schema, s.Rows)
	if err != nil {
		return err
	}
	e := mechanism.EffortOf(s.Form, space, s.Schema, s.Rows, most)
	p.Effort, p.Size = &e, c.Size()
	p.Class, p.Members = describe(s.Form, space)
	return nil
}

// bound sets the bounds of all mechanisms that support the form. If division is not nil, it divides a total budget,
// and bound returns the share of each mechanism by name.
func (p *Plan) bound(s *mechanism.Setting, asked map[string]mechanism.Mechanism, division *division) (map[string]share, error) {
	all := mechanism.Kinds(mechanism.KindOfForm(s.Form))
	if !slices.ContainsFunc(all, func(k mechanism.Kind) bool { return s.ForPersons(k) == nil }) {
		return nil, s.ForPersons(all[0])
	}
	shares := map[string]share{}
	var nothing error // the reason why a mechanism has no share
	for _, k := range all {
		if s.ForPersons(k) != nil {
			continue
		}
		m := asked[k.Name]
		if m == nil {
			m = k.New()
		}
		own := *s
		if division != nil {
			of, err := division.share(m, p.Size != nil, &own)
			if err != nil {
				nothing = err
				continue
			}
			shares[k.Name] = of
		}
		bounds, err := m.Bounds(&own)
		switch {
		case errors.Is(err, mechanism.ErrPure):
			continue
		case err != nil:
			return nil, err
		case bounds == nil && p.Size == nil:
			p.Without = append(p.Without, k.Name)
			continue
		case bounds == nil:
			continue
		}
		if of, divided := shares[k.Name]; divided {
			for i := range bounds {
				bounds[i].Epsilon = &of.epsilon
			}
		}
		p.Planned = append(p.Planned, k.Name)
		p.Bounds = append(p.Bounds, bounds...)
	}
	if len(p.Bounds) == 0 && nothing != nil {
		return nil, nothing
	}
	slices.SortStableFunc(p.Bounds, mechanism.PureFirst)
	return shares, nil
}

// take sets the ε, the ε for risks and the guarantee of the plan to the share of the total budget that one mechanism
// gets. The parameter b is the bound of this mechanism.
func (p *Plan) take(of share, b mechanism.Bound) {
	p.Epsilon, p.Risks, p.Guarantee = of.epsilon, of.risks, of.guarantee
	if b.Excess != nil && b.Approximate {
		p.Guarantee.Delta = p.Delta
	}
}

// used returns the bound of the mechanism m or, if m is nil or has no bound, the result of Usual.
func (p *Plan) used(m mechanism.Mechanism) mechanism.Bound {
	if m != nil {
		name := mechanism.KindOf(m).Name
		if at := slices.IndexFunc(p.Bounds, func(b mechanism.Bound) bool { return b.Mechanism == name }); at >= 0 {
			return p.Bounds[at]
		}
	}
	return p.Usual()
}

// describe returns a description of the hypotheses of a class. For a union it also describes the
// hypotheses of each member.
func describe(f model.Form, s model.Space) (class string, members []string) {
	if u, ok := f.(model.Union); ok {
		for i, own := range model.Members(s) {
			m := u.Members[i]
			member, _ := describe(m.Form, own)
			each := "with a penalty of %d each"
			if model.SearchedClass(own) == nil {
				each = "with prior weights that sum to 1 and a penalty of %d each"
			}
			members = append(members, fmt.Sprintf("%s; %v hypotheses, "+each, member, mechanism.ChosenFrom(own).Size(), m.Penalty))
		}
		return fmt.Sprintf("a union of %d", len(members)), members
	}
	class, things := mechanism.ChosenFrom(s).String(), f.Noun().Plural()
	if !strings.Contains(class, things) {
		class = things + ", as " + class
	}
	return class, nil
}

// Constant returns an upper bound on the cost of the better constant prediction, for the planned number n of rows:
//
//   - With two outcomes, the bound is n·c₁·c₀/(c₁ + c₀), where c₁ is the cost of a wrong positive prediction and c₀
//     that of a wrong negative one.
//   - With k > 2 outcomes, predicting the most frequent one is wrong for at most n·(k-1)/k rows.
func (p *Plan) Constant() float64 {
	if k := float64(p.outcomes); k > 2 {
		return float64(p.rows) * (k - 1) / k
	}
	a, b := float64(p.costs.FalsePositive), float64(p.costs.FalseNegative)
	return float64(p.rows) * a * b / (a + b)
}

// Caution returns a warning if every bound exceeds the cost of a constant prediction, which needs no data.
// Otherwise, or if the plan has no mechanism that selects from a class, it returns "".
func (p *Plan) Caution() string {
	if p.Size == nil {
		return ""
	}
	if best := p.best(); best.Most > p.Constant() {
		return fmt.Sprintf("the bound of %s, %.0f, exceeds the maximum cost of predicting one value for everyone, %.0f; use more rows, a larger ε or a smaller class", best.Name(), math.Ceil(best.Most), math.Floor(p.Constant()))
	}
	return ""
}

// best returns the bound of the mechanism whose upper bound on the error is least; if several are equal, the first of
// them.
func (p *Plan) best() mechanism.Bound {
	best := p.Bounds[0]
	for _, b := range p.Bounds[1:] {
		if b.Most < best.Most {
			best = b
		}
	}
	return best
}

// Choice returns the name of the mechanism with the least bound, and the reason for preferring it. If bounds are
// equal, it prefers the exponential mechanism. It returns empty texts if no mechanism of the plan selects from a
// class.
func (p *Plan) Choice() (name, why string) {
	if p.Size == nil {
		return "", ""
	}
	best := p.best()
	switch {
	case best.Most >= float64(p.rows)*float64(p.costs.Range()):
		why = "no mechanism has a bound below the trivial one, the number of rows; use more rows, a larger ε or a smaller class"
	case best.Mechanism == mechanism.ExponentialName:
		why = "its bound is the least, and its guarantee does not depend on a solver"
	default:
		why = "its bound is the least"
	}
	return best.Name(), why
}

// Usual returns the bound of the mechanism that Choice names. If Choice names none, Usual returns the bound of the
// first mechanism. It returns the zero value if no mechanism has a bound.
func (p *Plan) Usual() (b mechanism.Bound) {
	name, _ := p.Choice()
	at := slices.IndexFunc(p.Bounds, func(b mechanism.Bound) bool { return b.Name() == name })
	if len(p.Bounds) > 0 {
		b = p.Bounds[max(at, 0)]
	}
	return b
}
