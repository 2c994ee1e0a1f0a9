package table

import (
	"slices"
	"strconv"
	"time"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A decoder converts a TOML or JSON document to a schema. Its fields select what the document may contain.
type decoder struct {
	toml bool // whether the document is a schema file, in which the keys kind and public are allowed
	open bool // whether columns may be open
}

// keys returns the keys that are allowed in a table of the document: those in the parameter known and, in schema
// files only, those in the parameter forPeople, which describe columns to human readers.
func (d decoder) keys(known []string, forPeople ...string) []string {
	if d.toml {
		return append(known, forPeople...)
	}
	return known
}

// decode converts a document, given as its root node, to a schema and checks it. It returns either the schema, or
// the first error with its line number.
func decode(root *node, d decoder) (*Schema, *fault, int) {
	s := &Schema{}
	f := d.schema(root, s)
	if f == nil {
		s.fill()
		if f = s.check(d.open); f == nil {
			return s, nil, 0
		}
	}
	if f.line == 0 {
		f.line = root.lineOf(f.path)
	}
	return nil, f, f.line
}

// decodeFields calls the function visit for each key of a map, with the key's value. It returns a fault if a key of
// the map is not in the parameter known. The parameter owner names the map in error messages.
func decodeFields(n *node, path, owner string, known []string, visit func(key, path string, value *node) *fault) *fault {
	if n.kind != mapKind {
		return faultf(path, "%s must be a table, not %s", owner, n.kind)
	}
	for i, key := range n.keys {
		p := key
		if path != "" {
			p = path + "." + key
		}
		if !slices.Contains(known, key) {
			f := faultf(p, "unknown key %s in %s, whose keys are %s", quote.Word(key), owner, enumerate(known))
			f.line = n.list[i].firstLine()
			return f
		}
		if f := visit(key, p, n.list[i]); f != nil {
			return f
		}
	}
	return nil
}

func (d decoder) schema(n *node, s *Schema) *fault {
	known := d.keys([]string{"name", "file", "label", "person", "attribute", "rule", "profile"}, "public")
	return decodeFields(n, "", "the schema", known, func(key, path string, v *node) *fault {
		switch key {
		case "name":
			return decodeText(v, path, "the schema's name", &s.Name)
		case "public":
			return decodeNonempty(v, path, "public of the schema", &s.Public)
		case "file":
			return decodeFile(v, path, &s.File)
		case "label":
			s.Label = &Label{}
			return d.label(v, path, s.Label)
		case "person":
			s.Person = &Person{}
			return d.person(v, path, s.Person)
		case "rule":
			return decodeTables(v, path, key, &s.Rules, decodeRule)
		case "profile":
			return decodeTables(v, path, key, &s.Profiles, decodeProfile)
		}
		return decodeTables(v, path, key, &s.Attributes, func(n *node, path string, a *Attribute) *fault {
			return d.attribute(n, path, len(s.Attributes), a)
		})
	})
}

// decodeTables reads a list of tables with the same key, as TOML writes them with double brackets: [[key]]. It
// appends each decoded table to the list to which the parameter to points.
func decodeTables[T any](n *node, path, key string, to *[]T, decode func(n *node, path string, to *T) *fault) *fault {
	if n.kind != listKind {
		return faultf(path, "%[1]ss must be written [[%[1]s]], with two brackets", key)
	}
	return decodeItems(n, path, to, decode)
}

// decodeList reads a list with at least one item, and appends the decoded items to the list to which the parameter
// to points. The parameters what and items name the list and its items in error messages.
func decodeList[T any](n *node, path, what, items string, to *[]T, decode func(n *node, path string, to *T) *fault) *fault {
	if n.kind != listKind {
		return faultf(path, "%s must be a list of %s, not %s", what, items, n.kind)
	}
	if len(n.list) == 0 {
		return faultf(path, "%s is empty", what)
	}
	return decodeItems(n, path, to, decode)
}

// decodeItems decodes each item of a list with the function decode, and appends the results to the list to which
// the parameter to points.
func decodeItems[T any](n *node, path string, to *[]T, decode func(n *node, path string, to *T) *fault) *fault {
	for i, item := range n.list {
		var t T
		if f := decode(item, at(path, i), &t); f != nil {
			return f
		}
		*to = append(*to, t)
	}
	return nil
}

func decodeFile(n *node, path string, file *File) *fault {
	known := []string{"header", "delimiter", "decimal", "encoding", "trim", "comment", "sheet", "columns"}
	return decodeFields(n, path, "[file]", known, func(key, path string, v *node) *fault {
		what := quote.Word(key) + " in [file]"
		switch key {
		case "header":
			header := true
			f := decodeTruth(v, path, what, &header)
			file.Headerless = !header
			return f
		case "delimiter":
			return decodeCharacter(v, path, what, &file.Delimiter)
		case "decimal":
			return decodeCharacter(v, path, what, &file.Decimal)
		case "encoding":
			return decodeNonempty(v, path, what, &file.Encoding)
		case "trim":
			return decodeTruth(v, path, what, &file.Trim)
		case "sheet":
			return decodeNonempty(v, path, what, &file.Sheet)
		case "comment":
			if f := decodeText(v, path, what, &file.Comment); f != nil {
				return f
			}
			if file.Comment == "" {
				return faultf(path, "\"comment\" in [file] is empty; remove the key if the file has no comments")
			}
			return nil
		}
		return decodeTexts(v, path, what, &file.Columns)
	})
}

func (d decoder) label(n *node, path string, label *Label) *fault {
	known := d.keys([]string{"column", "positive", "negative", "at_least", "values", "groups", "cuts", "decimal", "thousands", "unit", "missing", "draw", "places", "least", "most"}, "kind", "public")
	return decodeFields(n, path, "[label]", known, func(key, path string, v *node) *fault {
		what := quote.Word(key) + " in [label]"
		switch key {
		case "column":
			return decodeText(v, path, what, &label.Column)
		case "positive":
			return decodeTexts(v, path, what, &label.Positive)
		case "negative":
			return decodeTexts(v, path, what, &label.Negative)
		case "values":
			return decodeTexts(v, path, what, &label.Values)
		case "groups":
			return decodeGroups(v, path, what, &label.Groups)
		case "cuts":
			return decodeCuts(v, path, what, &label.Cuts)
		case "at_least":
			return decodeDecimal(v, path, what, &label.AtLeast)
		case "kind", "public":
			return label.Described.decode(key, v, path, what)
		case "decimal", "thousands", "unit", "missing":
			return label.Spelling.decode(key, v, path, what)
		}
		return decodeWriting(key, v, path, what, &label.Writing)
	})
}

func (d decoder) person(n *node, path string, person *Person) *fault {
	return decodeFields(n, path, "[person]", d.keys([]string{"column", "most"}, "public"), func(key, path string, v *node) *fault {
		switch {
		case key == "column":
			return decodeText(v, path, `"column" in [person]`, &person.Column)
		case key == "public":
			return decodeNonempty(v, path, `"public" in [person]`, &person.Public)
		case d.toml && v.kind == textKind && v.text == UnknownKind:
			person.open = true
			return nil
		}
		most, err := strconv.Atoi(v.text)
		if v.kind != numberKind || err != nil {
			return faultf(path, "the key \"most\" in [person] must be an integer")
		}
		person.Most = most
		return nil
	})
}

func (d decoder) attribute(n *node, path string, j int, a *Attribute) *fault {
	owner := "attribute " + strconv.Itoa(j+1)
	if n.kind == mapKind {
		for _, key := range []string{"column", "name"} {
			if v := n.get(key); v != nil && v.kind == textKind {
				owner = "attribute " + quote.Word(v.text)
			}
		}
	}
	known := d.keys([]string{"name", "column", "values", "groups", "cuts", "other", "format", "part", "age_at", "ordered", "decimal", "thousands", "unit", "draw", "places", "least", "most", "missing"}, "kind", "public")
	dates := n.kind == mapKind && n.get("format") != nil && n.get("part") == nil && n.get("age_at") == nil
	return decodeFields(n, path, owner, known, func(key, path string, v *node) *fault {
		what := quote.Word(key) + " of " + owner
		switch key {
		case "name":
			return decodeNonempty(v, path, what, &a.Name)
		case "column":
			return decodeNonempty(v, path, what, &a.Column)
		case "values":
			return decodeTexts(v, path, what, &a.Values)
		case "groups":
			return decodeGroups(v, path, what, &a.Groups)
		case "cuts":
			if dates {
				return decodeDateCuts(v, path, what, &a.Cuts)
			}
			for i, item := range v.list {
				if _, wrong := parseDate([]byte(item.text), "iso"); wrong == isDate {
					return faultf(at(path, i), "%s are dates, so %s needs \"format\", which states how its dates are written, such as \"iso\" or \"d.m.y\", and must have neither \"part\" nor \"age_at\"", what, owner)
				}
			}
			return decodeCuts(v, path, what, &a.Cuts)
		case "format":
			return decodeNonempty(v, path, what, &a.Format)
		case "part":
			return decodeNonempty(v, path, what, &a.Part)
		case "age_at":
			if v.kind == otherKind { // a date without quotes
				a.AgeAt = v.text
				return nil
			}
			return decodeNonempty(v, path, what, &a.AgeAt)
		case "other":
			return decodeNonempty(v, path, what, &a.Other)
		case "ordered":
			a.Ordered = new(bool)
			return decodeTruth(v, path, what, a.Ordered)
		case "kind", "public":
			return a.Described.decode(key, v, path, what)
		case "decimal", "thousands", "unit", "missing":
			return a.Spelling.decode(key, v, path, what)
		case "least", "most":
			if dates {
				to := &a.Least
				if key == "most" {
					to = &a.Most
				}
				return decodeDay(v, path, what, `must be a date such as "2020-01-31"`, to)
			}
		}
		return decodeWriting(key, v, path, what, &a.Writing)
	})
}

func decodeWriting(key string, v *node, path, what string, w *Writing) *fault {
	switch key {
	case "draw":
		if v.kind == listKind {
			return decodeCuts(v, path, what, &w.Listed)
		}
		return decodeNonempty(v, path, what, &w.Draw)
	case "places":
		return decodeWhole(v, path, what, &w.Places)
	case "least":
		return decodeDecimal(v, path, what, &w.Least)
	}
	return decodeDecimal(v, path, what, &w.Most)
}

func (s *Spelling) decode(key string, v *node, path, what string) *fault {
	switch key {
	case "decimal":
		return decodeCharacter(v, path, what, &s.Decimal)
	case "thousands":
		return decodeNonempty(v, path, what, &s.Thousands)
	case "missing":
		if f := decodeOneOrMore(v, path, what, &s.Missing); f != nil || s.Missing[0] != "" || v.kind == listKind {
			return f
		}
		return faultf(path, "%s is empty", what)
	}
	return decodeOneOrMore(v, path, what, &s.Units)
}

// decodeOneOrMore reads either a string or a list of strings, and stores it as a list. The parameter what names the
// value in error messages.
func decodeOneOrMore(n *node, path, what string, to *[]string) *fault {
	if n.kind == listKind {
		return decodeTexts(n, path, what, to)
	}
	if n.kind != textKind {
		return faultf(path, "%s must be a string or a list of strings, not %s", what, n.kind)
	}
	*to = []string{n.text}
	return nil
}

func decodeWhole(n *node, path, what string, to *int) *fault {
	i, err := strconv.Atoi(n.text)
	if n.kind != numberKind || err != nil || i < 1 {
		return faultf(path, "%s must be an integer of at least 1", what)
	}
	*to = i
	return nil
}

func decodeGroups(n *node, path, what string, to *[]Group) *fault {
	if n.kind != mapKind {
		return faultf(path, "%s must be a table such as { low = [\"a\", \"b\"], high = [\"c\"] }, not %s", what, n.kind)
	}
	if len(n.keys) == 0 {
		return faultf(path, "%s is empty", what)
	}
	for i, name := range n.keys {
		g := Group{Name: name}
		p := at(path, i)
		if f := decodeTexts(n.list[i], p, "group "+quote.Word(name)+" in "+what, &g.Values); f != nil {
			return f
		}
		*to = append(*to, g)
	}
	return nil
}

func decodeCuts(n *node, path, what string, to *[]Decimal) *fault {
	return decodeList(n, path, what, "numbers", to, func(n *node, path string, to *Decimal) *fault {
		cut, ok := ParseDecimal(n.text)
		if n.kind != numberKind || !ok {
			return faultf(path, "%s must be a list of plain decimal numbers such as 26 or 0.5", what)
		}
		*to = cut
		return nil
	})
}

// decodeDateCuts reads a list of dates and stores each as a number of days since 1970-01-01. The dates may be
// quoted or unquoted in TOML.
func decodeDateCuts(n *node, path, what string, to *[]Decimal) *fault {
	return decodeList(n, path, what, `dates such as "2020-01-31"`, to, func(n *node, path string, to *Decimal) *fault {
		return decodeDay(n, path, what, `must be a list of dates such as "2020-01-31"; for numbers, such as years, add part or age_at`, to)
	})
}

// decodeDay reads a date, quoted or unquoted in TOML, and stores it as a number of days since 1970-01-01. If the
// value is not a date, the error message consists of the parameter what, which names the value, and the parameter
// requirement, such as "must be a date".
func decodeDay(n *node, path, what, requirement string, to *Decimal) *fault {
	days, wrong := parseDate([]byte(n.text), "iso")
	switch {
	case n.kind != textKind && n.kind != otherKind || wrong == otherText || len(n.text) != len(time.DateOnly):
		return faultf(path, "%s %s", what, requirement)
	case wrong == impossibleDate:
		return faultf(path, "%s has a date that does not exist, %s", what, quote.Word(n.text))
	}
	*to = Decimal(strconv.FormatInt(days, 10))
	return nil
}

// decodeDecimal reads a decimal number, quoted or unquoted in the document. The parameter what names the value in
// error messages.
func decodeDecimal(n *node, path, what string, to *Decimal) *fault {
	d, ok := ParseDecimal(n.text)
	if n.kind != textKind && n.kind != numberKind || !ok {
		return faultf(path, "%s must be a plain decimal number such as \"10000\" or \"0.5\"", what)
	}
	*to = d
	return nil
}

func decodeText(n *node, path, what string, to *string) *fault {
	if n.kind != textKind {
		return faultf(path, "%s must be a string, not %s", what, n.kind)
	}
	*to = n.text
	return nil
}

// decodeCharacter reads a string that consists of one ASCII character. For any other string it stores a line break,
// which File.check rejects with a more specific message.
func decodeCharacter(n *node, path, what string, to *byte) *fault {
	var text string
	if f := decodeText(n, path, what, &text); f != nil {
		return f
	}
	if len(text) != 1 || text[0] == 0 { // 0 stands for the default
		text = "\n"
	}
	*to = text[0]
	return nil
}

func decodeNonempty(n *node, path, what string, to *string) *fault {
	if f := decodeText(n, path, what, to); f != nil {
		return f
	}
	if *to == "" {
		return faultf(path, "%s is empty", what)
	}
	return nil
}

func decodeTruth(n *node, path, what string, to *bool) *fault {
	if n.kind != boolKind {
		return faultf(path, "%s must be true or false, not %s", what, n.kind)
	}
	*to = n.on
	return nil
}

func decodeTexts(n *node, path, what string, to *[]string) *fault {
	return decodeList(n, path, what, "strings", to, func(n *node, path string, to *string) *fault {
		if n.kind == numberKind || n.kind == boolKind {
			return faultf(path, "%s must be a list of strings, so write %s in quotes", what, quote.Word(n.text))
		}
		return decodeText(n, path, "every value of "+what, to)
	})
}
