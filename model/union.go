package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/union"
	"github.com/sibyl-dp/sibyl/table"
)

// A Union has the hypotheses of all its members, so that the mechanism chooses
// the class too.
type Union struct{ Members []Member }

// A Member of a union adds a penalty to the cost of all its hypotheses. No union
// is a member.
type Member struct {
	Family  Family
	Penalty int64
}

// UnionOf returns the union without penalties.
func UnionOf(families []Family) Union {
	var f Union
	for _, m := range families {
		f.Members = append(f.Members, Member{Family: m})
	}
	return f
}

// BalancedUnion returns the union whose members the exponential mechanism of
// that rate favours about equally before it sees data: penalties make up for
// their sizes over the schema.
func BalancedUnion(rate *big.Rat, s *table.Schema, families []Family) (Union, error) {
	var classes []Class
	for _, m := range families {
		c, err := m.Over(s)
		if err != nil {
			return Union{}, fmt.Errorf("%s: %w", m.Name(), err)
		}
		classes = append(classes, c)
	}
	balanced, err := union.Balanced(rate, classes...)
	if err != nil {
		return Union{}, noClass(err)
	}
	f := UnionOf(families)
	for i, m := range balanced {
		f.Members[i].Penalty = m.Penalty
	}
	return f, nil
}

// TableSize returns how many hypotheses of the family's class over the schema are
// searched by computing all their costs at once. A certificate of such a search
// closes all of them at one node, and is verified by computing each cost anew.
func TableSize(f Family, s *table.Schema) (*big.Int, error) {
	size := new(big.Int)
	switch f := f.(type) {
	case Union:
		for _, m := range f.Members {
			own, err := TableSize(m.Family, s)
			if err != nil {
				return nil, err
			}
			size.Add(size, own)
		}
	case Parity, ReadOnce:
		c, err := f.Over(s)
		if err != nil {
			return nil, err
		}
		if n := c.Size(); n.Cmp(big.NewInt(mostTable)) <= 0 {
			return n, nil
		}
	}
	return size, nil
}

const (
	unionName   = "union"
	mostMembers = 100
)

// Name returns "union".
func (Union) Name() string { return unionName }

// Over returns the class over the attributes of the schema. Its hypotheses are
// union.Choice[any].
func (f Union) Over(s *table.Schema) (Class, error) {
	if len(f.Members) > mostMembers {
		return nil, fmt.Errorf("a union of %d classes is too large", len(f.Members))
	}
	var members []union.Member[table.Record, any]
	for _, m := range f.Members {
		c, err := m.Family.Over(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Family.Name(), err)
		}
		members = append(members, union.Member[table.Record, any]{Class: c, Penalty: m.Penalty})
	}
	c, err := union.New(members...)
	if err != nil {
		return nil, noClass(err)
	}
	return class.Erase(c), nil
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
		text, err := compact(m.Family.parameters())
		if err != nil {
			panic(err) // parameters are plain numbers and names
		}
		j.Members = append(j.Members, memberJSON{text, m.Penalty})
	}
	return j
}

func readUnion(text json.RawMessage) (Family, error) {
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
		member, ok := form.(Family)
		if !ok {
			return nil, fmt.Errorf("the class %q is no member of a union", form.Name())
		}
		f.Members = append(f.Members, Member{member, m.Penalty})
	}
	return f, nil
}

func (f Union) write(s *table.Schema, h any) any {
	choice := h.(union.Choice[any])
	text, err := compact(f.Members[choice.Member].Family.write(s, choice.Hypothesis))
	if err != nil {
		panic(err) // hypotheses are plain numbers and names
	}
	return choiceJSON{choice.Member, text}
}

func (f Union) read(s *table.Schema, text json.RawMessage) (any, error) {
	var j choiceJSON
	if err := strict(text, &j); err != nil {
		return nil, fmt.Errorf("the choice of the union is malformed: %w", err)
	}
	if j.Member < 0 || j.Member >= len(f.Members) {
		return nil, fmt.Errorf("the union has no member %d", j.Member)
	}
	h, err := f.Members[j.Member].Family.read(s, j.Hypothesis)
	if err != nil {
		return nil, err
	}
	return union.Choice[any]{Member: j.Member, Hypothesis: h}, nil
}

func (f Union) predictor(s *table.Schema, h any) (func(table.Record) bool, error) {
	return predictorOver(f, s, h)
}
