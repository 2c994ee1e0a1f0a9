package release

import (
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Coded data must match the sizes and classes of the schema, and supports no persons.
func TestCoded(t *testing.T) {
	s := &table.Schema{Attributes: []table.Attribute{{Values: []string{"a", "b"}}}, Label: &table.Label{Values: []string{"x", "y", "z"}}}
	of := func(outcomes int, sizes ...int) *table.Table { return table.NewBuilderOf(sizes, outcomes).Table() }
	for name, c := range map[string]struct {
		of   *table.Table
		good bool
	}{
		"the schema's": {of(3, 2), true}, "nil": {nil, false}, "fewer outcomes": {of(2, 2), false}, "more outcomes": {of(4, 2), false},
		"fewer categories": {of(3, 1), false}, "more": {of(3, 3), false}, "more attributes": {of(3, 2, 2), false},
	} {
		if err := (Coded{c.of}).Ready(t.Context(), s, table.Queries{}); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	personal := *s
	personal.Person = &table.Person{Column: "who", Most: 2}
	if err := (Coded{of(3, 2)}).Ready(t.Context(), &personal, table.Queries{}); err == nil {
		t.Error("codes of persons are taken")
	}
	if err := (Coded{of(3, 2)}).Records(t.Context(), s, nil); err == nil {
		t.Error("codes have an order")
	}
}
