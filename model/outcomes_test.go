package model_test

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/table"
)

// graded returns the schema with three outcomes.
func graded(t testing.TB) *table.Schema {
	t.Helper()
	s := *parseSchema(t)
	s.Label = &table.Label{Column: "y", Values: []string{"low", "mid, or so", "high"}}
	three, err := table.NewSchema(s)
	if err != nil {
		t.Fatal(err)
	}
	return three
}

// A form that tells two outcomes apart is refused over a label of more, in a union too.
func TestTwoOutcomesOnly(t *testing.T) {
	two, three := parseSchema(t), graded(t)
	for name, f := range samples {
		if _, err := model.Over(f, two); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := model.Over(f, three); err == nil || !strings.HasPrefix(err.Error(), "the label has 3 outcomes, and --class "+f.Name()+" tells two apart; ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
