package schema

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/table"
)

var (
	attributeHeader = regexp.MustCompile(`^\s*\[\[\s*attribute\s*\]\]\s*(#.*)?$`)
	anyHeader       = regexp.MustCompile(`^\s*\[`)
	kindLine        = regexp.MustCompile(`^\s*kind\s*=`)
	missingCuts     = regexp.MustCompile(`\s*# missing: cuts$`)
	draftComment    = regexp.MustCompile(`^# (This schema was drafted from public facts alone: |Open columns: |Some cuts were chosen from private data )`)
)

const profiledComment = "Some cuts were chosen from private data with differential privacy; [[profile]] at the end names their columns."

// Complete returns the text of the open schema with cuts added to attributes, by their index, and with the
// profile at its end. It retains all other lines, except comments about open columns. It returns an error if
// the attributes are not written with headers [[attribute]].
func Complete(text []byte, open *table.Schema, cuts map[int][]table.Decimal, p table.Profile) ([]byte, error) {
	w := &writer{}
	w.comment("%s", profiledComment)
	attribute := -1
	due := false // the current attribute still needs its cuts
	write := func() {
		if due {
			w.line("cuts = %s", tomlNumbers(cuts[attribute]))
			due = false
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
			_, due = cuts[attribute]
		case anyHeader.MatchString(line):
			write()
		case due && kindLine.MatchString(line):
			w.line("%s", missingCuts.ReplaceAllString(line, ""))
			write()
			continue
		}
		w.line("%s", line)
	}
	write()
	w.profile(p)

	completed := *open
	completed.Attributes = append([]table.Attribute(nil), open.Attributes...)
	for j, c := range cuts {
		completed.Attributes[j].Cuts = c
	}
	completed.Profiles = append(completed.Profiles[:len(completed.Profiles):len(completed.Profiles)], p)
	want, err := table.NewSchema(completed)
	if err != nil {
		return nil, err
	}
	got, err := table.ParseSchema("the completed schema", bytes.NewReader(w.Bytes()))
	if err != nil || !reflect.DeepEqual(got, want) {
		return nil, errors.New("the cuts cannot be added to this text; write each attribute as [[attribute]] on a line of its own, with kind on another line")
	}
	return w.Bytes(), nil
}

// profile writes a profile.
func (w *writer) profile(p table.Profile) {
	w.line("\n[[profile]]")
	w.texts("columns", p.Columns)
	if p.NotPrivate {
		w.line("not_private = true")
		return
	}
	w.text("epsilon", string(p.Epsilon))
	w.text("delta", string(p.Delta))
	w.text("relation", p.Relation)
	w.text("release", p.Release)
}

func tomlNumbers(numbers []table.Decimal) string {
	var parts []string
	for _, d := range numbers {
		parts = append(parts, string(d))
	}
	return fmt.Sprintf("[%s]", strings.Join(parts, ", "))
}
