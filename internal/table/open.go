package table

import (
	"io"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A schema is completed step by step. While the cuts or categories of a column are not known yet, the
// column is open: the schema states its kind only. An open schema describes a table, but no mechanism can
// use it, so ParseSchema refuses it.

// The kinds of a column's values, as the key kind states them.
const (
	UnknownKind  = "?"
	NumberKind   = "number"
	CategoryKind = "category"
	DateKind     = "date"
	TextKind     = "text"
)

var kinds = []string{UnknownKind, NumberKind, CategoryKind, DateKind, TextKind}

// Described holds what a schema file states about a column for people. It has no part in how values are
// coded, and models do not contain it.
type Described struct {
	Kind   string // one of the kinds, or empty
	Public string // who asserts that the domain of the column is public
}

// ParseOpenSchema is ParseSchema, except that it also accepts open columns: an attribute or a label with a
// kind but without categories, and a person with most = "?". An open attribute has no values, groups and
// cuts; an open person has Most = 0.
func ParseOpenSchema(name string, r io.Reader) (*Schema, error) {
	return parseSchema(name, r, decoder{toml: true, open: true})
}

// Open reports whether values, groups and cuts of the attribute are all missing.
func (a *Attribute) Open() bool { return len(a.Values)+len(a.Groups)+len(a.Cuts) == 0 }

// Open reports whether the outcomes of the label are missing.
func (l *Label) Open() bool {
	return len(l.Positive)+len(l.Negative)+len(l.AtLeast)+len(l.Values)+len(l.Groups)+len(l.Cuts) == 0
}

// decode reads the key kind or public.
func (d *Described) decode(key string, n *node, path, what string) *fault {
	if key == "public" {
		return decodeNonempty(n, path, what, &d.Public)
	}
	if n.kind != textKind || !slices.Contains(kinds, n.text) {
		return faultf(path, `%s must be "number", "category", "date", "text", or "?" where it is unknown`, what)
	}
	d.Kind = n.text
	return nil
}

// shown writes the kind into a message.
func (d *Described) shown() string { return " has kind = " + quote.Word(d.Kind) }

// check compares the kind with the domain: categories or numbers, or neither where the column is open.
func (d *Described) check(path, owner string, categories, numbers bool) *fault {
	switch {
	case d.Kind == UnknownKind && (categories || numbers):
		return faultf(path+".kind", `%s has categories, so its kind is known: delete kind = "?"`, owner)
	case d.Kind == NumberKind && categories:
		return faultf(path+".kind", `%s has kind = "number", but no cuts; write kind = "category"`, owner)
	case d.Kind == DateKind && numbers:
		return faultf(path+".kind", `%s has kind = "date" and cuts, so it needs format: how its dates are written, such as "iso" or "d.m.y"`, owner)
	case d.Kind != "" && d.Kind != NumberKind && numbers:
		return faultf(path+".kind", `%s divides numbers, so it must have kind = "number"`, owner)
	}
	return nil
}

// openFault reports an open column, unless open columns are accepted.
func openFault(accepted bool, path, what, remedy string) *fault {
	if accepted {
		return nil
	}
	return faultf(path, "%s and is still open: %s; only a private profile accepts open columns", what, remedy)
}

// checkOpen validates the statements about the values of an open column.
func (w *Writing) checkOpen(path, owner, kind string) *fault {
	switch {
	case len(w.Listed) > 0:
		return faultf(path+".draw", "draw of %s is a list of numbers, which needs cuts", owner)
	case !w.ranged():
		return w.check(path, owner, nil, kind != NumberKind)
	case kind != NumberKind:
		return faultf(path+".draw", `draw of %s must go with kind = "number"`, owner)
	case w.Draw != drawUniform && w.Places != 0:
		return faultf(path+".places", `places of %s requires draw = "uniform"`, owner)
	case w.Places < 0 || w.Places > MostPlaces:
		return faultf(path+".places", "places of %s is outside 1..%d", owner, MostPlaces)
	}
	return w.checkDraw(path, owner, nil)
}

// HasNumbers reports whether an open attribute may have this range: it contains a number with the given number of
// decimal places, and its numbers are not too large.
func HasNumbers(least, most Decimal, places int) bool {
	w := Writing{Draw: drawInteger, Least: least, Most: most}
	if places > 0 {
		w.Draw, w.Places = drawUniform, places
	}
	ranges, ok := w.ranges(nil)
	return ok && ranges[0].least <= ranges[0].most
}
