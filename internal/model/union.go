package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/union"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Union is the form that contains the hypotheses of several forms, its members. A mechanism selects a member
// together with a hypothesis of the member. Hypotheses have type union.Choice[any].
type Union struct{ Members []Member }

// A Member of a union is a form with a penalty, which is added to the cost of each of the form's hypotheses. The form
// must be one whose hypotheses are selected from a class, and not a union.
//
// Rate may be set only for the form Sparse. Each scorecard then has a further penalty that depends on the attributes
// that it uses. It is chosen so that, in the exponential mechanism with this rate, all sets of the same number of
// attributes have about the same prior weight.
type Member struct {
	Form    Form
	Penalty int64
	Rate    *big.Rat // for Sparse only; nil for no penalties of cards
}

// UnionOf returns the union of the given forms, without penalties.
func UnionOf(forms []Form) Union {
	var f Union
	for _, m := range forms {
		f.Members = append(f.Members, Member{Form: m})
	}
	return f
}

// Balanced returns the union with penalties that compensate for the different numbers of hypotheses of its members: in
// the exponential mechanism with the given rate, all members have about the same prior probability. A member with a
// prior counts as one hypothesis, because its prior sums to 1. A member of the form Sparse counts with the total
// weight of its scorecards, which have penalties for the given rate.
func (f Union) Balanced(rate *big.Rat, s *table.Schema) (Union, error) {
	var weights []*big.Int
	for _, m := range f.Members {
		space, err := m.over(s)
		if err != nil {
			return Union{}, err
		}
		weight := big.NewInt(1)
		if of := space.Sampling(); of.Staged != nil {
			if weight, err = of.Staged.Weight(rate); err != nil {
				return Union{}, err
			}
		} else if of.Class != nil {
			weight = of.Class.Size()
		}
		weights = append(weights, weight)
	}
	charges, err := union.Charges(rate, weights...)
	if err != nil {
		return Union{}, noClass(err)
	}
	var out Union
	for i, charge := range charges {
		m := Member{Form: f.Members[i].Form, Penalty: charge}
		if _, sparse := m.Form.(Sparse); sparse {
			m.Rate = rate
		}
		out.Members = append(out.Members, m)
	}
	return out, nil
}

// Kind returns the Kind of the union, which depends on the kinds of its members. There must be at least one member.
func (f Union) Kind() Kind {
	var kinds []Kind
	for _, m := range f.Members {
		k, _ := KindOf(m.Form.Name())
		kinds = append(kinds, k)
	}
	return UnionKind(kinds)
}

// Charged reports whether hypotheses of the union have penalties, because a member has a penalty or a Rate.
func (f Union) Charged() bool {
	return slices.ContainsFunc(f.Members, func(m Member) bool { return m.Penalty > 0 || m.Rate != nil })
}

// over returns the space of the member's form: the set of its hypotheses over the attributes of a schema.
func (m Member) over(s *table.Schema) (Space, error) {
	space, err := Over(m.Form, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Form.Name(), err)
	}
	if of := space.Sampling().Staged; of != nil && of.Draws() > 1 {
		return nil, parameter.Errorf("in a union, {class} %s supports only one draw; leave {draws} out", m.Form.Name())
	}
	return space, nil
}

const (
	unionName   = "union"
	mostMembers = 100
)

// Name returns "union", the name of the class in commands and model files.
func (Union) Name() string { return unionName }

// Noun returns "union", the noun for a hypothesis of the class in messages.
func (Union) Noun() report.Noun { return "union" }

// joined is the set (Space) of all hypotheses of a union over the attributes of a schema.
type joined struct {
	searched
	members []Space
}

// Over implements Form: it returns the set of all hypotheses of the class over the attributes of the schema s, or
// an error if a parameter does not fit the schema.
func (f Union) Over(s *table.Schema) (Space, error) {
	if len(f.Members) > mostMembers {
		return nil, fmt.Errorf("a union of %d classes is too large; the maximum is %d", len(f.Members), mostMembers)
	}
	var spaces []Space
	for _, m := range f.Members {
		own, err := m.over(s)
		if err != nil {
			return nil, err
		}
		spaces = append(spaces, own)
	}
	if len(spaces) > 0 && f.Kind().Selection == Combined {
		return f.mix(s, spaces)
	}
	var members []union.Member[table.Record, any]
	for i, own := range spaces {
		members = append(members, union.Member[table.Record, any]{Class: own.Sampling().Class, Penalty: f.Members[i].Penalty})
	}
	c, err := union.New(members...)
	if err != nil {
		return nil, noClass(err)
	}
	return joined{searched{f, s, class.Erase(c)}, spaces}, nil
}

// mix returns the space of a union whose members are not all searched: at least one is sampled through its partition
// function or in stages. The parameter spaces holds the spaces of the members.
func (f Union) mix(s *table.Schema, spaces []Space) (Space, error) {
	var members []union.MixedMember[table.Record, any]
	for i, own := range spaces {
		of := own.Sampling()
		m := union.MixedMember[table.Record, any]{Searched: of.Class, Tractable: of.Tractable, Penalty: f.Members[i].Penalty}
		if e, ok := own.(Enumerated); ok {
			m.Summed = e.Enumeration()
		}
		if of.Staged != nil {
			var err error
			if m.Searched, err = of.Staged.Stage(f.Members[i].Rate, nil); err != nil {
				return nil, err
			}
			if of.Staged.Summed() {
				if m.Summed, err = of.Staged.Sum(f.Members[i].Rate); err != nil {
					return nil, err
				}
			}
		}
		members = append(members, m)
	}
	c, err := union.NewMixed(members...)
	if err != nil {
		return nil, noClass(err)
	}
	return mixed{joined{searched{form: f, schema: s}, spaces}, c}, nil
}

// mixed is the Space of a union whose members are sampled in different ways: by branch-and-bound search, through their
// partition function, or in stages.
type mixed struct {
	joined
	class MixedClass
}

// Sampling implements Space. It returns the union itself, from which mechanisms sample.
func (u mixed) Sampling() Sampling { return Sampling{Mixed: u} }

// Mixed implements the interface Mixed: it returns the union of classes from which mechanisms sample.
func (u mixed) Mixed() MixedClass { return u.class }

// Whole implements Mixed: it converts a sample from the union to a hypothesis of the space. Only samples of sparse
// scorecards change: they become complete scorecards.
func (u mixed) Whole(drawn union.Choice[any]) (union.Choice[any], error) {
	var err error
	if of := u.members[drawn.Member].Sampling().Staged; of != nil {
		drawn.Hypothesis, err = of.Join([]any{drawn.Hypothesis})
	}
	return drawn, err
}

func (u joined) check(h any) error {
	choice, ok := h.(union.Choice[any])
	if !ok || choice.Member < 0 || choice.Member >= len(u.members) {
		return fmt.Errorf("the hypothesis does not belong to its class, %s: it must be a hypothesis of one of the classes in this union", u.form.Name())
	}
	return u.members[choice.Member].check(choice.Hypothesis)
}

func (u joined) rule(h any) rule.Body {
	choice := h.(union.Choice[any])
	return u.members[choice.Member].rule(choice.Hypothesis)
}

// Members returns the spaces of the members of a union or of the form card-or-tree, in order. For any other space, it
// returns a list with only this space.
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

// MostGrades returns the greatest of the members' upper bounds on the number of grades, and the kind of that member's
// grades.
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
	Rate    string          `json:"rate,omitempty"` // the rate of the penalties of Sparse, an exact fraction such as "1/4"
}

type choiceJSON struct {
	Member     int             `json:"member"` // the index of the selected member, from 0
	Hypothesis json.RawMessage `json:"hypothesis"`
}

func (f Union) parameters() any {
	j := unionJSON{Name: unionName, Members: []memberJSON{}}
	for _, m := range f.Members {
		rate := ""
		if m.Rate != nil {
			rate = m.Rate.RatString()
		}
		j.Members = append(j.Members, memberJSON{mustCompact(m.Form.parameters()), m.Penalty, rate})
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
			return nil, errors.New("a union cannot be a member of another union")
		}
		if k, _ := KindOf(form.Name()); !k.Joins() {
			return nil, fmt.Errorf("the class %q cannot be a member of a union", form.Name())
		}
		member := Member{Form: form, Penalty: m.Penalty}
		if m.Rate != "" {
			if member.Rate, err = readRate(form, m.Rate); err != nil {
				return nil, err
			}
		}
		f.Members = append(f.Members, member)
	}
	return f, nil
}

// readRate reads the rate of a member of a union from its text in a model file. The parameter form is the form of the
// member.
func readRate(form Form, text string) (*big.Rat, error) {
	rate, ok := new(big.Rat), strings.Trim(text, "0123456789/") == "" // these characters exclude exponents
	if ok {
		rate, ok = rate.SetString(text)
	}
	if _, sparse := form.(Sparse); !sparse || !ok || rate.Sign() <= 0 || rate.RatString() != text {
		return nil, fmt.Errorf("the key \"rate\" of a member is %s, but must be a positive fraction in lowest terms if the member is the class sparse, and must be missing otherwise", quote.Word(text))
	}
	return rate, nil
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
