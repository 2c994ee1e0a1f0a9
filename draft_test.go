package sibyl_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
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
	if e, ok := errors.AsType[*sibyl.ParameterError](err); !ok || e.Field != "Table" || !strings.HasSuffix(e.Error(), "table.json: Table cannot be used here: a Table Schema describes one table") {
		t.Error(err)
	}
}

// The errors of DraftSchema name the fields of SchemaFacts.
func TestDraftSchemaErrors(t *testing.T) {
	for says, facts := range map[string]sibyl.SchemaFacts{
		`Label: the table has no column "c"; write the name as the table does`:                {Label: "c"},
		`Number and Drop both name column "a"; leave it out of one of them`:                   {Number: []string{"a"}, Drop: []string{"a"}},
		`Person: the rows of a person that count must be 1 to 10`:                             {Person: "a", MostRows: 11},
		`Label must have a positive and a negative outcome, as a=yes/no, or 3 to 64 outcomes`: {Label: "a", Outcomes: []string{"x"}},
		`Public is not UTF-8 text`: {Public: "\xff"},
	} {
		_, err := sibyl.DraftSchema([]string{"a", "b"}, facts)
		if e, ok := errors.AsType[*sibyl.ParameterError](err); !ok || e.Error() != says {
			t.Errorf("got  %v\nwant %s", err, says)
		}
	}
}
