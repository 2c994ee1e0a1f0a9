package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/union"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/risk"
	"github.com/sibyl-dp/sibyl/table"
)

// A Union has the hypotheses of all its members, so that the mechanism chooses
// the class too. Its hypotheses are union.Choice[any].
type Union struct{ Members []Member }

// A Member of a union adds a penalty to the cost of all its hypotheses. No union
// is a member, and nothing of which no mechanism chooses.
type Member struct {
	Form    Form
	Penalty int64
}

// UnionOf returns the union without penalties.
func UnionOf(forms []Form) Union {
	var f Union
	for _, m := range forms {
		f.Members = append(f.Members, Member{Form: m})
	}
	return f
}

// Balanced returns the union whose members the exponential mechanism of that rate
// favours about equally before it sees data: penalties make up for their sizes over the
// schema. A member with a prior counts as one hypothesis, since its prior adds up to 1.
func (f Union) Balanced(rate *big.Rat, s *table.Schema) (Union, error) {
	var weights []*big.Int
	for _, m := range f.Members {
		space, err := m.over(s)
		if err != nil {
			return Union{}, err
		}
		weight := big.NewInt(1)
		if c := space.Class(); c != nil {
			weight = c.Size()
		}
		weights = append(weights, weight)
	}
	charges, err := union.Charges(rate, weights...)
	if err != nil {
		return Union{}, noClass(err)
	}
	var out Union
	for i, charge := range charges {
		out.Members = append(out.Members, Member{f.Members[i].Form, charge})
	}
	return out, nil
}

// Kind returns the kind of the union, which has members.
func (f Union) Kind() Kind {
	var kinds []Kind
	for _, m := range f.Members {
		k, _ := KindOf(m.Form.Name())
		kinds = append(kinds, k)
	}
	return UnionKind(kinds)
}

// Charged tells that a member has a penalty.
func (f Union) Charged() bool {
	return slices.ContainsFunc(f.Members, func(m Member) bool { return m.Penalty > 0 })
}

// over returns the member's space.
func (m Member) over(s *table.Schema) (Space, error) {
	space, err := Over(m.Form, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Form.Name(), err)
	}
	return space, nil
}

const (
	unionName   = "union"
	mostMembers = 100
)

// Name returns "union".
func (Union) Name() string { return unionName }

// Noun returns "union".
func (Union) Noun() report.Noun { return "union" }

// joined is the space of a union.
type joined struct {
	searched
	members []Space
}

// Over returns the class over the attributes of the schema.
func (f Union) Over(s *table.Schema) (Space, error) {
	if len(f.Members) > mostMembers {
		return nil, fmt.Errorf("a union of %d classes is too large", len(f.Members))
	}
	var spaces []Space
	for _, m := range f.Members {
		own, err := m.over(s)
		if err != nil {
			return nil, err
		}
		spaces = append(spaces, own)
	}
	if len(spaces) > 0 && f.Kind().Mixed {
		return f.mix(s, spaces)
	}
	var members []union.Member[table.Record, any]
	for i, own := range spaces {
		members = append(members, union.Member[table.Record, any]{Class: own.Class(), Penalty: f.Members[i].Penalty})
	}
	c, err := union.New(members...)
	if err != nil {
		return nil, noClass(err)
	}
	return joined{searched{f, s, class.Erase(c)}, spaces}, nil
}

// mix returns the union of members that are searched and members that are summed.
func (f Union) mix(s *table.Schema, spaces []Space) (Space, error) {
	var members []union.MixedMember[table.Record, any]
	for i, own := range spaces {
		m := union.MixedMember[table.Record, any]{Searched: own.Class(), Penalty: f.Members[i].Penalty}
		if of, summed := own.(Summed); summed {
			m.Summed = of.Summed()
		}
		members = append(members, m)
	}
	c, err := union.NewMixed(members...)
	if err != nil {
		return nil, noClass(err)
	}
	return mixed{joined{searched{form: f, schema: s}, spaces}, c}, nil
}

// mixed is the space of a mixed union.
type mixed struct {
	joined
	class MixedClass
}

// Mixed returns the class.
func (u mixed) Mixed() MixedClass { return u.class }

func (u mixed) predictor(h any) (func(table.Record) bool, error) {
	choice, ok := h.(union.Choice[any])
	if !ok || !u.class.Contains(choice) {
		return nil, fmt.Errorf("the hypothesis is not of the stated class (%s): it breaks one of its parameters", unionName)
	}
	return func(r table.Record) bool { return u.class.Predict(choice, r) }, nil
}

// Members returns the spaces of the members of a union, in order, and for any other
// space the space itself.
func Members(s Space) []Space {
	switch u := s.(type) {
	case joined:
		return u.members
	case mixed:
		return u.members
	case either:
		return u.members
	}
	return []Space{s}
}

// Grades returns those of the member.
func (u joined) Grades(h any) (risk.Scale, func(table.Record) int) {
	choice := h.(union.Choice[any])
	return u.members[choice.Member].Grades(choice.Hypothesis)
}

// MostGrades returns those of the member with the most.
func (u joined) MostGrades() (kind risk.Kind, most int) {
	for _, m := range u.members {
		if k, n := m.MostGrades(); n > most {
			kind, most = k, n
		}
	}
	return kind, most
}

type unionJSON struct {
	Name    string       `json:"name"`
	Members []memberJSON `json:"members"`
}

type memberJSON struct {
	Class   json.RawMessage `json:"class"`
	Penalty int64           `json:"penalty"`
}

type choiceJSON struct {
	Member     int             `json:"member"` // from 0
	Hypothesis json.RawMessage `json:"hypothesis"`
}

func (f Union) parameters() any {
	j := unionJSON{Name: unionName, Members: []memberJSON{}}
	for _, m := range f.Members {
		j.Members = append(j.Members, memberJSON{mustCompact(m.Form.parameters()), m.Penalty})
	}
	return j
}

func readUnion(text json.RawMessage) (Form, error) {
	var j unionJSON
	if err := strict(text, &j); err != nil {
		return nil, err
	}
	if len(j.Members) == 0 {
		return nil, errors.New("it has no members")
	}
	var f Union
	for _, m := range j.Members {
		form, err := readForm(m.Class)
		if err != nil {
			return nil, err
		}
		if _, nested := form.(Union); nested {
			return nil, errors.New("a union is a member of another")
		}
		if k, _ := KindOf(form.Name()); !k.Joins() {
			return nil, fmt.Errorf("the class %q is no member of a union", form.Name())
		}
		f.Members = append(f.Members, Member{form, m.Penalty})
	}
	return f, nil
}

func (u joined) write(h any) any {
	choice := h.(union.Choice[any])
	return choiceJSON{choice.Member, mustCompact(u.members[choice.Member].write(choice.Hypothesis))}
}

func (u joined) read(text json.RawMessage) (any, error) {
	var j choiceJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the choice of the union is malformed: %w", err)
	}
	if j.Member < 0 || j.Member >= len(u.members) {
		return nil, fmt.Errorf("the union has no member %d", j.Member)
	}
	h, err := u.members[j.Member].read(j.Hypothesis)
	if err != nil {
		return nil, err
	}
	return union.Choice[any]{Member: j.Member, Hypothesis: h}, nil
}

func (u joined) layOut(heading report.Heading, h any) report.Body {
	choice := h.(union.Choice[any])
	return u.members[choice.Member].layOut(heading, choice.Hypothesis)
}
