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

// Name sets the form, the mechanism and the share of risks of a request with a schema by
// words, as the command takes them: a class or a union of classes, and then parameters of it,
// or of the mechanism, which is the usual one unless it is named too: "tree --depth 4",
// "union:sparse,tree", "scorecard --mechanism rspm --noise cube --risk 0".
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

// CheckName reports words that Name refuses whatever the schema.
func CheckName(words string) error {
	_, err := parseName(words)
	return err
}

// A name is what words name.
type name struct {
	classes   []model.Asking // of a union all, else one
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
			return nil, fmt.Errorf("%s is no class; take one of %s", quote.Word(of), strings.Join(mechanism.NamesOf(func(model.Kind) bool { return true }), ", "))
		}
		if union && !kind.Joins() {
			return nil, fmt.Errorf("%s is no member of a union; take some of %s", of, strings.Join(mechanism.NamesOf(model.Kind.Joins), ", "))
		}
		kinds = append(kinds, kind)
	}
	fields := strings.Fields(rest)
	if len(fields)%2 != 0 {
		return nil, fmt.Errorf("%s: after the class come parameters, each as --name value", quote.Word(words))
	}
	kind := kinds[0]
	switch {
	case union:
		kind = model.UnionKind(kinds)
	case len(kinds) > 1:
		return nil, fmt.Errorf("%s: several classes are a union, such as union:scorecard,tree", quote.Word(words))
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
	n := &name{union: union, mechanism: takes.Ask()}
	owners := []*flag.FlagSet{model.ParametersOf(n.mechanism.Parameters)}
	for _, kind := range kinds {
		class := kind.Ask()
		n.classes, owners = append(n.classes, class), append(owners, model.ParametersOf(class.Parameters))
	}
	for i := 0; i < len(fields); i += 2 {
		if err := n.set(owners, fields[i], fields[i+1]); err != nil {
			return nil, fmt.Errorf("%s: %w", quote.Word(words), err)
		}
	}
	return n, nil
}

// set gives a value to all owners that have such a flag.
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
		return fmt.Errorf("neither the class nor its mechanism has %s", quote.Word(flag))
	}
	return nil
}
