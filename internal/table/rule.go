package table

import (
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A Rule is a public constraint that every synthetic row satisfies, whatever the private data are. Exactly one of
// Forbid, AtMost and Function is given. A Rule refers to the attributes and categories of the flat schema (see
// Schema.Flat) by their names.
type Rule struct {
	// Forbid excludes rows in which each of these attributes has one of the listed categories. A group has the name
	// of an attribute and lists some of its categories.
	Forbid []Group

	// AtMost requires that the numbers of these attributes do not decrease in this order.
	AtMost []string

	// Function is an attribute whose category is a function of the attributes in Of. Each line of Table has the
	// categories of these attributes and then the value of the function. If Otherwise is given, it is the value for
	// all combinations that Table does not list.
	Function  string
	Of        []string
	Table     [][]string
	Otherwise string
}

func cloneRules(rules []Rule) []Rule {
	all := append([]Rule(nil), rules...)
	for i := range all {
		r := &all[i]
		cloneDomain(&r.AtMost, &r.Forbid, new([]Decimal))
		r.Of = slices.Clone(r.Of)
		r.Table = slices.Clone(r.Table)
		for k := range r.Table {
			r.Table[k] = slices.Clone(r.Table[k])
		}
	}
	return all
}

func decodeRule(n *node, path string, r *Rule) *fault {
	return decodeFields(n, path, "[[rule]]", []string{"forbid", "at_most", "function", "of", "table", "otherwise"}, func(key, path string, v *node) *fault {
		what := quote.Word(key) + " of [[rule]]"
		switch key {
		case "forbid":
			return decodeGroups(v, path, what, &r.Forbid)
		case "at_most":
			return decodeTexts(v, path, what, &r.AtMost)
		case "function":
			return decodeNonempty(v, path, what, &r.Function)
		case "of":
			return decodeTexts(v, path, what, &r.Of)
		case "otherwise":
			return decodeNonempty(v, path, what, &r.Otherwise)
		}
		if v.kind != listKind {
			return faultf(path, `%s must be a list of lists such as ["Bonn", "NW"], not %s`, what, v.kind)
		}
		return decodeItems(v, path, &r.Table, func(n *node, path string, line *[]string) *fault {
			return decodeTexts(n, path, "every line in "+what, line)
		})
	})
}

// ruleJSON is the JSON form of a Rule, with the same keys as in TOML.
type ruleJSON struct {
	Forbid    orderedGroups `json:"forbid,omitempty"`
	AtMost    []string      `json:"at_most,omitempty"`
	Function  string        `json:"function,omitempty"`
	Of        []string      `json:"of,omitempty"`
	Table     [][]string    `json:"table,omitempty"`
	Otherwise string        `json:"otherwise,omitempty"`
}

// MarshalJSON returns the rule in JSON, with the same keys as in TOML.
func (r Rule) MarshalJSON() ([]byte, error) {
	return plainJSON(ruleJSON{r.Forbid, r.AtMost, r.Function, r.Of, r.Table, r.Otherwise})
}

// checkRules checks that the rules of the schema are valid, and that at least one row satisfies all of them.
func (s *Schema) checkRules() *fault {
	if len(s.Rules) == 0 {
		return nil
	}
	seen := map[string]int{}
	for i, r := range s.Rules {
		text, err := r.MarshalJSON()
		if err != nil {
			panic(err) // strings can always be encoded
		}
		if first, twice := seen[string(text)]; twice {
			return faultf(at("rule", i), "this [[rule]] is equal to [[rule]] number %d; leave it out", first+1)
		}
		seen[string(text)] = i
	}
	flat, err := s.Flat()
	if err != nil {
		return faultf("rule", "[[rule]] is not supported for this schema: %v", err)
	}
	_, f := constrain(flat)
	return f
}

// shape checks that the rule has exactly one of the fields Forbid, AtMost and Function, and that the attributes and
// categories in Forbid, and the attributes in AtMost, exist.
func (r *Rule) shape(path string, names domain) *fault {
	kinds := 0
	for _, given := range []bool{len(r.Forbid) > 0, len(r.AtMost) > 0, r.Function != ""} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		return faultf(path, "a [[rule]] must have exactly one of the keys \"forbid\", \"at_most\" and \"function\"")
	}
	if r.Function == "" && (len(r.Of) > 0 || len(r.Table) > 0 || r.Otherwise != "") {
		return faultf(path, "the keys \"of\", \"table\" and \"otherwise\" of a [[rule]] require the key \"function\"; add it, or delete them")
	}
	for i, g := range r.Forbid {
		if _, f := names.categories(at(path+".forbid", i), g.Name, g.Values); f != nil {
			return f
		}
	}
	if len(r.AtMost) == 1 {
		return faultf(path+".at_most", "\"at_most\" of [[rule]] needs at least two attributes, the one with the least number first")
	}
	return names.distinct(path+".at_most", r.AtMost)
}

// A domain looks up the attributes and categories of a flat schema by their names.
type domain struct {
	attributes []Attribute
	column     map[string]int      // by name, the index of the attribute
	category   []map[string]uint16 // by attribute and name, the code of the category
}

func newDomain(flat *Schema) domain {
	d := domain{flat.Attributes, make(map[string]int), make([]map[string]uint16, len(flat.Attributes))}
	for j := range flat.Attributes {
		d.column[flat.Attributes[j].Name] = j
	}
	return d
}

func (d domain) attribute(path, name string) (int, *fault) {
	j, found := d.column[name]
	if !found {
		return 0, faultf(path, "unknown attribute %s in a [[rule]]", quote.Word(name))
	}
	return j, nil
}

// distinct returns a fault if one of the named attributes is unknown or is listed twice.
func (d domain) distinct(path string, names []string) *fault {
	for i, name := range names {
		if _, f := d.attribute(at(path, i), name); f != nil {
			return f
		}
		if slices.Contains(names[:i], name) {
			return faultf(at(path, i), "a [[rule]] names %s twice", quote.Word(name))
		}
	}
	return nil
}

func (d domain) code(path string, j int, name string) (uint16, *fault) {
	if d.category[j] == nil {
		d.category[j] = make(map[string]uint16)
		for code, known := range d.attributes[j].Categories() {
			d.category[j][known] = uint16(code)
		}
	}
	code, found := d.category[j][name]
	if !found {
		return 0, faultf(path, "unknown category %s of attribute %s in a [[rule]]", quote.Word(name), quote.Word(d.attributes[j].Name))
	}
	return code, nil
}

func (d domain) categories(path, attribute string, names []string) (codes []uint16, f *fault) {
	j, f := d.attribute(path, attribute)
	if f != nil {
		return nil, f
	}
	for i, name := range names {
		code, f := d.code(at(path, i), j, name)
		if f != nil {
			return nil, f
		}
		codes = append(codes, code)
	}
	return codes, nil
}
