package table

import (
	"slices"
	"strconv"
	"strings"
)

// decode turns a document into a schema and checks it; or it returns the first
// fault and its line.
func decode(root *node) (*Schema, *fault, int) {
	d := &decoder{lines: make(map[string]int)}
	s := &Schema{}
	f := d.schema(root, s)
	if f == nil {
		s.fill()
		if f = s.check(); f == nil {
			return s, nil, 0
		}
	}
	return nil, f, d.lineOf(f.path)
}

// A decoder remembers the line of every path it has passed.
type decoder struct{ lines map[string]int }

// lineOf is the line of the path, or of the nearest one above it.
func (d *decoder) lineOf(path string) int {
	for path != "" {
		if line := d.lines[path]; line > 0 {
			return line
		}
		path = path[:max(strings.LastIndexByte(path, '.'), 0)]
	}
	return 0
}

// fields visits the entries of a map and refuses unknown keys.
func (d *decoder) fields(n *node, path, owner string, known []string, visit func(key, path string, value *node) *fault) *fault {
	if n.kind != mapKind {
		return faultf(path, "%s must be a table, not %s", owner, n.kind)
	}
	for i, key := range n.keys {
		p := key
		if path != "" {
			p = path + "." + key
		}
		d.lines[p] = n.list[i].line
		if !slices.Contains(known, key) {
			d.lines[p] = firstLine(n.list[i])
			return faultf(p, "unknown key %q in %s, whose keys are %s", key, owner, enumerate(known))
		}
		if f := visit(key, p, n.list[i]); f != nil {
			return f
		}
	}
	return nil
}

// firstLine is the line of a value, or of what stands in it.
func firstLine(n *node) int {
	for n.line == 0 && len(n.list) > 0 {
		n = n.list[0]
	}
	return n.line
}

func (d *decoder) schema(n *node, s *Schema) *fault {
	return d.fields(n, "", "the schema", []string{"name", "file", "label", "attribute"}, func(key, path string, v *node) *fault {
		switch key {
		case "name":
			return d.text(v, path, "the schema's name", &s.Name)
		case "file":
			return d.file(v, path, &s.File)
		case "label":
			s.Label = &Label{}
			return d.label(v, path, s.Label)
		}
		if v.kind != listKind {
			return faultf(path, "attributes must be written [[attribute]], with two brackets")
		}
		for j, item := range v.list {
			var a Attribute
			p := at(path, j)
			d.lines[p] = item.line
			if f := d.attribute(item, p, j, &a); f != nil {
				return f
			}
			s.Attributes = append(s.Attributes, a)
		}
		return nil
	})
}

func (d *decoder) file(n *node, path string, file *File) *fault {
	known := []string{"header", "delimiter", "trim", "comment", "columns"}
	return d.fields(n, path, "[file]", known, func(key, path string, v *node) *fault {
		what := key + " in [file]"
		switch key {
		case "header":
			header := true
			f := d.truth(v, path, what, &header)
			file.Headerless = !header
			return f
		case "delimiter":
			var text string
			if f := d.text(v, path, what, &text); f != nil {
				return f
			}
			if len(text) != 1 {
				text = "\n"
			}
			file.Delimiter = text[0]
			return nil
		case "trim":
			return d.truth(v, path, what, &file.Trim)
		case "comment":
			if f := d.text(v, path, what, &file.Comment); f != nil {
				return f
			}
			if file.Comment == "" {
				return faultf(path, "comment in [file] is empty; leave the key out where there are no comments")
			}
			return nil
		}
		return d.texts(v, path, what, &file.Columns)
	})
}

func (d *decoder) label(n *node, path string, label *Label) *fault {
	known := []string{"column", "positive", "negative"}
	return d.fields(n, path, "[label]", known, func(key, path string, v *node) *fault {
		what := key + " in [label]"
		switch key {
		case "column":
			return d.text(v, path, what, &label.Column)
		case "positive":
			return d.texts(v, path, what, &label.Positive)
		}
		return d.texts(v, path, what, &label.Negative)
	})
}

func (d *decoder) attribute(n *node, path string, j int, a *Attribute) *fault {
	owner := "attribute " + strconv.Itoa(j+1)
	if n.kind == mapKind {
		for _, key := range []string{"column", "name"} {
			if v := n.get(key); v != nil && v.kind == textKind {
				owner = "attribute " + strconv.Quote(v.text)
			}
		}
	}
	known := []string{"name", "column", "values", "groups", "cuts", "other"}
	return d.fields(n, path, owner, known, func(key, path string, v *node) *fault {
		what := key + " of " + owner
		switch key {
		case "name":
			return d.nonempty(v, path, what, &a.Name)
		case "column":
			return d.nonempty(v, path, what, &a.Column)
		case "values":
			return d.texts(v, path, what, &a.Values)
		case "groups":
			return d.groups(v, path, what, a)
		case "cuts":
			return d.cuts(v, path, what, a)
		}
		return d.nonempty(v, path, what, &a.Other)
	})
}

func (d *decoder) groups(n *node, path, what string, a *Attribute) *fault {
	if n.kind != mapKind {
		return faultf(path, "%s must be a table such as { low = [\"a\", \"b\"], high = [\"c\"] }, not %s", what, n.kind)
	}
	if len(n.keys) == 0 {
		return faultf(path, "%s is empty", what)
	}
	for i, name := range n.keys {
		g := Group{Name: name}
		p := at(path, i)
		d.lines[p] = n.list[i].line
		if f := d.texts(n.list[i], p, "group "+strconv.Quote(name)+" in "+what, &g.Values); f != nil {
			return f
		}
		a.Groups = append(a.Groups, g)
	}
	return nil
}

func (d *decoder) cuts(n *node, path, what string, a *Attribute) *fault {
	if n.kind != listKind {
		return faultf(path, "%s must be a list of numbers, not %s", what, n.kind)
	}
	if len(n.list) == 0 {
		return faultf(path, "%s is empty", what)
	}
	for i, item := range n.list {
		p := at(path, i)
		d.lines[p] = item.line
		cut, ok := ParseDecimal(item.text)
		if item.kind != numberKind || !ok {
			return faultf(p, "%s must be a list of plain decimal numbers such as 26 or 0.5", what)
		}
		a.Cuts = append(a.Cuts, cut)
	}
	return nil
}

func (d *decoder) text(n *node, path, what string, to *string) *fault {
	if n.kind != textKind {
		return faultf(path, "%s must be a string, not %s", what, n.kind)
	}
	*to = n.text
	return nil
}

func (d *decoder) nonempty(n *node, path, what string, to *string) *fault {
	if f := d.text(n, path, what, to); f != nil {
		return f
	}
	if *to == "" {
		return faultf(path, "%s is empty", what)
	}
	return nil
}

func (d *decoder) truth(n *node, path, what string, to *bool) *fault {
	if n.kind != boolKind {
		return faultf(path, "%s must be true or false, not %s", what, n.kind)
	}
	*to = n.on
	return nil
}

func (d *decoder) texts(n *node, path, what string, to *[]string) *fault {
	if n.kind != listKind {
		return faultf(path, "%s must be a list of strings, not %s", what, n.kind)
	}
	if len(n.list) == 0 {
		return faultf(path, "%s is empty", what)
	}
	for i, item := range n.list {
		p := at(path, i)
		d.lines[p] = item.line
		if item.kind == numberKind || item.kind == boolKind {
			return faultf(p, "%s must be a list of strings, so write %q in quotes", what, item.text)
		}
		var text string
		if f := d.text(item, p, "every value of "+what, &text); f != nil {
			return f
		}
		*to = append(*to, text)
	}
	return nil
}
