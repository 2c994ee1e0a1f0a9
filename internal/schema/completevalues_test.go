package schema_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sibyl-dp/sibyl/internal/schema"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Values of any text are written so that they are read back, and do not change other parts of the schema.
func TestCompleteValues(t *testing.T) {
	const text = "[[attribute]]\ncolumn = \"job\"\nkind = \"category\"\nmissing = [\"NA\"]\n[[attribute]]\ncolumn = \"age\"\ncuts = [30]\n"
	open, err := table.ParseOpenSchema("s.toml", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\"", "'''", "\\", "\n[[attribute]]\n", "\r", "\u2028", "\u202e", "\x7f", "\x01", "# ", "kind = ", "\ufeff", "\U0010ffff", "]"}))
		var values []string
		for _, v := range rapid.SliceOfN(rapid.SliceOfN(pieces, 1, 4), 1, 6).Draw(t, "values") {
			v := strings.Join(v, "")
			if v != "" && v != "other" && v != "NA" && utf8.ValidString(v) && !strings.ContainsRune(v, 0) && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			return
		}
		slices.Sort(values)
		got, err := schema.Complete([]byte(text), open, map[int]schema.Domain{0: {Values: values, Other: "other"}}, profiled)
		if err != nil {
			t.Fatalf("%q: %v", values, err)
		}
		s, err := table.ParseSchema("s.toml", bytes.NewReader(got))
		if err != nil || !slices.Equal(s.Attributes[0].Values, values) || s.Attributes[0].Other != "other" || len(s.Attributes) != 2 {
			t.Fatalf("%q: %+v, %v\n%s", values, s, err, got)
		}
	})
}
