package schema

import (
	"bytes"
	"errors"
	"reflect"
	"regexp"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/table"
)

var (
	attributeHeader = regexp.MustCompile(`^\s*\[\[\s*attribute\s*\]\]\s*(#.*)?$`)
	anyHeader       = regexp.MustCompile(`^\s*\[`)
	kindLine        = regexp.MustCompile(`^\s*kind\s*=`)
	missingKeys     = regexp.MustCompile(`\s*# missing: .*$`)
	draftComment    = regexp.MustCompile(`^# (This schema was drafted from public facts alone: |Open columns: |Some (cuts|cuts or categories) were chosen from private data )`)
)

const (
	profiledComment   = "Some cuts were chosen from private data with differential privacy; [[profile]] at the end names their columns."
	categoriesComment = "Some cuts or categories were chosen from private data with differential privacy; [[profile]] at the end names their columns."
)

// A Domain holds the categories that Complete adds to an attribute without categories: either cuts, or values and
// the name of the category for all other values.
type Domain struct {
	Cuts   []table.Decimal
	Values []string
	Other  string // ignored for cuts
}

// Complete returns the text of a schema with categories for its open attributes, which have none yet, and with a
// profile at the end. The keys of the map domains are indices of attributes. Comments about open columns are
// removed, and all other lines remain unchanged. Complete returns an error if the attributes do not have headers
// [[attribute]].
func Complete(text []byte, open *table.Schema, domains map[int]Domain, p table.Profile) ([]byte, error) {
	w := &writer{}
	comment := profiledComment
	if bytes.Contains(text, []byte(categoriesComment)) { // of an earlier profile
		comment = categoriesComment
	}
	for _, d := range domains {
		if len(d.Values) > 0 {
			comment = categoriesComment
		}
	}
	w.comment("%s", comment)
	attribute := -1
	due := false // whether the current attribute still needs its domain
	write := func() {
		if !due {
			return
		}
		due = false
		d := domains[attribute]
		if len(d.Values) == 0 {
			a := open.Attributes[attribute]
			a.Cuts = d.Cuts
			w.line("cuts = [%s]", strings.Join(a.CutTexts(), ", "))
			return
		}
		w.texts("values", d.Values)
		if open.Attributes[attribute].Other == "" {
			w.text("other", d.Other)
		}
	}
	lines := strings.Split(strings.TrimRight(string(bytes.TrimPrefix(text, []byte("\ufeff"))), "\n"), "\n")
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		switch {
		case draftComment.MatchString(line):
			continue
		case attributeHeader.MatchString(line):
			write()
			attribute++
			_, due = domains[attribute]
		case anyHeader.MatchString(line):
			write()
		case due && kindLine.MatchString(line):
			w.line("%s", missingKeys.ReplaceAllString(line, ""))
			write()
			continue
		}
		w.line("%s", line)
	}
	write()
	w.profile(p)

	completed := *open
	completed.Attributes = append([]table.Attribute(nil), open.Attributes...)
	for j, d := range domains {
		a := &completed.Attributes[j]
		a.Cuts, a.Values = d.Cuts, d.Values
		if len(d.Values) > 0 {
			a.Other = d.Other
		}
	}
	completed.Profiles = append(completed.Profiles[:len(completed.Profiles):len(completed.Profiles)], p)
	want, err := table.NewSchema(completed)
	if err != nil {
		return nil, err
	}
	got, err := table.ParseSchema("the completed schema", bytes.NewReader(w.Bytes()))
	if err != nil || !reflect.DeepEqual(got, want) {
		return nil, errors.New("the chosen cuts or values cannot be inserted into the schema because of its layout; begin each attribute with a line [[attribute]], and write its kind on another line")
	}
	return w.Bytes(), nil
}

// profile writes a profile to the schema, as a table [[profile]].
func (w *writer) profile(p table.Profile) {
	w.line("\n[[profile]]")
	w.texts("columns", p.Columns)
	if p.NotPrivate {
		w.line("not_private = true")
		return
	}
	w.text("epsilon", string(p.Epsilon))
	w.text("delta", string(p.Delta))
	if p.Rho != "" {
		w.text("rho", string(p.Rho))
	}
	if p.MuSquared != "" {
		w.text("mu_squared", string(p.MuSquared))
	}
	if p.Failure != "" {
		w.text("failure", string(p.Failure))
	}
	w.text("relation", p.Relation)
	w.text("release", p.Release)
}
