package sibyl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl"
)

func ExampleDraftSchema() {
	draft, err := sibyl.DraftSchema([]string{"age", "name", "ill"}, sibyl.SchemaFacts{
		Label: "ill", Outcomes: []string{"yes", "no"}, Number: []string{"age"}, Drop: []string{"name"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range draft.Open {
		fmt.Printf("%s, a %s, needs %s\n", o.Column, o.Kind, o.Needs)
	}
	completed := bytes.Replace(draft.TOML, []byte(`kind = "number"`), []byte("cuts = [18, 65]\nkind = \"number\""), 1)
	schema, err := sibyl.ParseSchema("people", bytes.NewReader(completed))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schema.Columns())
	// Output:
	// age, a number, needs cuts
	// [age ill]
}

func TestImportSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.json")
	if err := os.WriteFile(path, []byte(`{"fields": [{"name": "sex", "constraints": {"enum": ["f", "m"]}}, {"name": "age", "type": "integer"}]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	draft, err := sibyl.ImportSchema(t.Context(), sibyl.SchemaMetadata{Location: path}, sibyl.SchemaFacts{})
	if want := []sibyl.OpenColumn{{Column: "age", Kind: "number", Needs: "cuts"}}; err != nil || !reflect.DeepEqual(draft.Open, want) {
		t.Errorf("%+v, %v", draft, err)
	}
	_, err = sibyl.ImportSchema(t.Context(), sibyl.SchemaMetadata{Location: path, Table: "b"}, sibyl.SchemaFacts{})
	if e, ok := errors.AsType[*sibyl.ParameterError](err); !ok || e.Field != "Table" || !strings.HasSuffix(e.Error(), "table.json: Table cannot be used here: a Table Schema describes one table; leave Table out") {
		t.Error(err)
	}
}

// The errors of DraftSchema name the fields of SchemaFacts.
func TestDraftSchemaErrors(t *testing.T) {
	for says, facts := range map[string]sibyl.SchemaFacts{
		`Label: the table has no column "c"; write the name as the table does`:                {Label: "c"},
		`Number and Drop both name column "a"; leave it out of one of them`:                   {Number: []string{"a"}, Drop: []string{"a"}},
		`Person: the maximum number of rows per person must be 1..10, but is 11`:              {Person: "a", MostRows: 11},
		`Label must have a positive and a negative outcome, as a=yes/no, or 3 to 64 outcomes`: {Label: "a", Outcomes: []string{"x"}},
		`Public is not UTF-8 text`:                               {Public: "\xff"},
		`Others is "text", but must be number, category or date`: {Others: "text"},
	} {
		_, err := sibyl.DraftSchema([]string{"a", "b"}, facts)
		if e, ok := errors.AsType[*sibyl.ParameterError](err); !ok || e.Error() != says {
			t.Errorf("got  %v\nwant %s", err, says)
		}
	}
}

// A program completes a schema from data, and learns with it; the model states the total.
func TestProfileSchema(t *testing.T) {
	open := []byte("[[attribute]]\ncolumn = \"age\"\nkind = \"number\"\n[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n")
	data := sibyl.Rows([]string{"age", "y"}, func(yield func([]string) bool) {
		for i := range 200 {
			if !yield([]string{strconv.Itoa(i % 90), strconv.Itoa(i % 2)}) {
				return
			}
		}
	})
	ctx := context.Background()
	p, err := sibyl.ProfileSchema(ctx, data, open, sibyl.Settings{Epsilon: "0.5", Rows: 200})
	if err != nil {
		t.Fatal(err)
	}
	if p.Guarantee.Epsilon.String() != "0.5" || !strings.Contains(string(p.TOML), "[[profile]]") {
		t.Errorf("%+v\n%s", p.Guarantee, p.TOML)
	}
	m, err := sibyl.Learn(ctx, data, p.Schema, sibyl.Tree{Depth: 1}, sibyl.Settings{Epsilon: "1"})
	if err != nil || !strings.Contains(m.String(), "ε = 1.5, δ = 0, one record replaced") {
		t.Errorf("%v, %v", m, err)
	}
	for _, c := range []struct {
		data sibyl.Data
		text []byte
		set  sibyl.Settings
		want string
	}{
		{data, open, sibyl.Settings{}, "Epsilon"},
		{data, nil, sibyl.Settings{Epsilon: "1"}, "needs at least one [[attribute]]"},
		{data, open, sibyl.Settings{Epsilon: "1", Risk: "0.1"}, "Risk is not a parameter of a profile"},
		{data, open, sibyl.Settings{Epsilon: "1", Total: true}, "Total is not a parameter of a profile"},
		{sibyl.Coded(nil), open, sibyl.Settings{Epsilon: "1"}, "a profile needs the numbers and texts of the columns"},
		{sibyl.Data{}, open, sibyl.Settings{Epsilon: "1"}, "data"},
		{data, bytes.Replace(open, []byte("number"), []byte("category"), 1), sibyl.Settings{Epsilon: "1"}, "no values; write values or groups from public knowledge, or state Delta, such as 1e-9"},
	} {
		if _, err := sibyl.ProfileSchema(ctx, c.data, c.text, c.set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
