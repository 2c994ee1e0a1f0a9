package release

import (
	"flag"
	"fmt"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/privacy"
)

// Name sets the form and the mechanism of the request from words in the syntax of the command line: a class or a
// union of classes, followed by flags of the class or of its mechanism. Examples are "tree --depth 4",
// "union:sparse,tree" and "scorecard --mechanism rspm --noise cube --risk 0". Without --mechanism, Name sets the
// default mechanism of the class. With --risk, it also sets the share of ε for risks. The request must already have a
// schema.
func (r *Request) Name(words string) error {
	n, err := parseName(words)
	if err != nil {
		return err
	}
	var forms []model.Form
	for _, class := range n.classes {
		form, err := class.Form(r.Schema)
		if err != nil {
			return err
		}
		forms = append(forms, form)
	}
	r.Form, r.Mechanism = forms[0], n.mechanism
	if n.union {
		r.Form = model.UnionOf(forms)
	}
	if n.risk != nil {
		r.Risk = n.risk
	}
	return nil
}

// CheckName returns an error if Name would reject words for every schema.
func CheckName(words string) error {
	_, err := parseName(words)
	return err
}

// A name is the parsed form of the words that Request.Name receives.
type name struct {
	classes   []model.FormBuilder // the members of a union, or one class
	union     bool
	mechanism mechanism.Mechanism
	risk      *privacy.Decimal
}

func parseName(words string) (*name, error) {
	class, rest, _ := strings.Cut(words, " ")
	list, union := strings.CutPrefix(class, "union:")
	var kinds []model.Kind
	for _, of := range strings.Split(list, ",") {
		kind, known := model.KindOf(of)
		if !known {
			return nil, fmt.Errorf("%s is not a known class; it must be one of %s", quote.Word(of), strings.Join(mechanism.NamesOf(func(model.Kind) bool { return true }), ", "))
		}
		if union && !kind.Joins() {
			return nil, fmt.Errorf("%s cannot be a member of a union; members must be among %s", of, strings.Join(mechanism.NamesOf(model.Kind.Joins), ", "))
		}
		kinds = append(kinds, kind)
	}
	fields := strings.Fields(rest)
	if len(fields)%2 != 0 {
		return nil, fmt.Errorf("%s: the words after the class must be parameters, each written --name value", quote.Word(words))
	}
	kind := kinds[0]
	switch {
	case union:
		kind = model.UnionKind(kinds)
	case len(kinds) > 1:
		return nil, fmt.Errorf("%s: write several classes as a union, such as union:scorecard,tree", quote.Word(words))
	}
	takes, err := mechanism.Usual(kind)
	for i := 0; i < len(fields); i += 2 {
		if fields[i] == "--mechanism" {
			if takes, err = mechanism.Named(kind, fields[i+1]); err != nil {
				return nil, err
			}
		}
	}
	if err != nil {
		return nil, err
	}
	n := &name{union: union, mechanism: takes.New()}
	owners := []*flag.FlagSet{model.ParametersOf(n.mechanism.Parameters)}
	for _, kind := range kinds {
		class := kind.New()
		n.classes, owners = append(n.classes, class), append(owners, model.ParametersOf(class.Parameters))
	}
	for i := 0; i < len(fields); i += 2 {
		if err := n.set(owners, fields[i], fields[i+1]); err != nil {
			return nil, fmt.Errorf("%s: %w", quote.Word(words), err)
		}
	}
	return n, nil
}

// set sets a parameter in the flag sets of all named classes and mechanisms (owners) that have it. The parameter is
// given as it is written on the command line, such as "--depth".
func (n *name) set(owners []*flag.FlagSet, flag, value string) error {
	key, dashed := strings.CutPrefix(flag, "--")
	switch {
	case flag == "--mechanism":
		return nil
	case flag == "--risk":
		share, err := privacy.ParseDecimal(value)
		n.risk = &share
		return err
	}
	taken := false
	for _, of := range owners {
		if dashed && of.Lookup(key) != nil {
			if err := of.Set(key, value); err != nil {
				return fmt.Errorf("%s %s: %w", flag, quote.Word(value), err)
			}
			taken = true
		}
	}
	if !taken {
		return fmt.Errorf("%s is not a parameter of the class or of its mechanism; leave it out", quote.Word(flag))
	}
	return nil
}
