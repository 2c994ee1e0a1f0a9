package experiment

import (
	"reflect"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/synthetic"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// The compared engine has the domain and the ordered values of the command sibyl synth.
func TestSynthDomain(t *testing.T) {
	schema, err := table.ParseSchema("test", strings.NewReader(`
[label]
column = "ill"
positive = ["1"]
negative = ["0"]

[[attribute]]
column = "age"
cuts = [30, 60]
draw = "integer"
least = 0
most = 100
other = "missing"

[[attribute]]
column = "children"
values = ["0", "1", "2"]

[[attribute]]
column = "city"
values = ["Bonn", "Kiel"]
`))
	if err != nil {
		t.Fatal(err)
	}
	layout, err := synthetic.NewLayout(schema)
	if err != nil {
		t.Fatal(err)
	}
	domain, fitting := synthDomain(layout.Flat)
	if !reflect.DeepEqual(domain.Columns, layout.Domain.Columns) || !reflect.DeepEqual(fitting.Ordered, layout.Ordered) {
		t.Errorf("the columns are %v with %v ordered values, not %v with %v", domain.Columns, fitting.Ordered, layout.Domain.Columns, layout.Ordered)
	}
}
