package table

import (
	"io"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A schema may be completed step by step. A column is open while its categories are unknown; the schema then states
// only its kind, such as number. No mechanism can use a schema with open columns, so ParseSchema refuses it.

// The possible values of the key "kind" in a schema, which states what kind of values a column contains.
const (
	UnknownKind  = "?"
	NumberKind   = "number"
	CategoryKind = "category"
	DateKind     = "date"
	TextKind     = "text"
)

var kinds = []string{UnknownKind, NumberKind, CategoryKind, DateKind, TextKind}

// A Described holds notes about a column that the authors of a schema file write for human readers. The notes do
// not affect how values are coded, and models do not contain them.
type Described struct {
	Kind   string // one of the kinds, or empty
	Public string // who asserts that the domain of the column is public
}

// ParseOpenSchema is like ParseSchema, but also accepts open columns, whose categories are not defined yet:
// attributes or labels that have a kind but no values, groups or cuts, and a person with most = "?". In the result,
// the Most of an open person is 0.
func ParseOpenSchema(name string, r io.Reader) (*Schema, error) {
	return parseSchema(name, r, decoder{toml: true, open: true})
}

// Open reports whether the attribute's categories are not defined yet: it has no values, groups or cuts.
func (a *Attribute) Open() bool { return len(a.Values)+len(a.Groups)+len(a.Cuts) == 0 }

// Open reports whether the label's outcomes are not defined yet: it has no positive or negative values, no
// threshold, and no values, groups or cuts. The author of the schema must add one of these before a model can be
// learned.
func (l *Label) Open() bool {
	return len(l.Positive)+len(l.Negative)+len(l.AtLeast)+len(l.Values)+len(l.Groups)+len(l.Cuts) == 0
}

// decode stores the value of the key "kind" or "public". The parameter what names the value in error messages.
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

// shown returns the end of an error message that states the column's kind, such as ` has kind = "number"`.
func (d *Described) shown() string { return " has kind = " + quote.Word(d.Kind) }

// check returns a fault if the kind of a column contradicts its categories. The parameter categories is true if the
// categories are values or groups, and the parameter numbers is true if they are intervals; both are false for an
// open column. The parameter path is the position of the column in the schema, and owner names the column in the
// error message.
func (d *Described) check(path, owner string, categories, numbers bool) *fault {
	switch {
	case d.Kind == UnknownKind && (categories || numbers):
		return faultf(path+".kind", `%s has categories, so its kind is known: delete kind = "?"`, owner)
	case d.Kind == NumberKind && categories:
		return faultf(path+".kind", `%s has kind = "number", but no cuts; write kind = "category"`, owner)
	case d.Kind == DateKind && numbers:
		return faultf(path+".kind", `%s has kind = "date" and cuts, so it needs "format": how its dates are written, such as "iso" or "d.m.y"`, owner)
	case d.Kind != "" && d.Kind != NumberKind && numbers:
		return faultf(path+".kind", `%s divides numbers, so it must have kind = "number"`, owner)
	}
	return nil
}

// openFault returns nil if columns without defined categories (open columns) are accepted, and otherwise a fault.
// In its text, the parameter what describes the column, and the parameter remedy says how to complete it.
func openFault(accepted bool, path, what, remedy string) *fault {
	if accepted {
		return nil
	}
	return faultf(path, "%s and is still open: %s; only check and a private profile accept open columns", what, remedy)
}

// checkOpen checks what the schema states about the values of an open column, whose categories are not defined yet;
// for example, its range of numbers.
func (w *Writing) checkOpen(path, owner, kind string) *fault {
	switch {
	case len(w.Listed) > 0:
		return faultf(path+".draw", "\"draw\" of %s is a list of numbers, which needs cuts", owner)
	case !w.numeric():
		return w.check(path, owner, nil, kind != NumberKind)
	case kind != NumberKind:
		return faultf(path+".draw", `"draw" of %s must go with kind = "number"`, owner)
	case w.Draw != drawUniform && w.Places != 0:
		return faultf(path+".places", `"places" of %s requires draw = "uniform"; set it, or delete "places"`, owner)
	case w.Places < 0 || w.Places > MostPlaces:
		return faultf(path+".places", "\"places\" of %s is %d, but it must be within 1..%d", owner, w.Places, MostPlaces)
	}
	return w.checkDraw(path, owner, nil)
}

// HasNumbers reports whether an attribute without cuts may have the range from least to most. The range must
// contain a number with the given number of decimal places, and its numbers must not be too large.
func HasNumbers(least, most Decimal, places int) bool {
	w := Writing{Draw: drawInteger, Least: least, Most: most}
	if places > 0 {
		w.Draw, w.Places = drawUniform, places
	}
	ranges, ok := w.ranges(nil)
	return ok && ranges[0].least <= ranges[0].most
}
