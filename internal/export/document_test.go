package export

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// schemaNode is a part of a JSON Schema.
type schemaNode struct {
	Properties map[string]*schemaNode `json:"properties"`
	Items      *schemaNode            `json:"items"`
	Defs       map[string]*schemaNode `json:"$defs"`
	Enum       []string               `json:"enum"`
}

// The published JSON Schema has the fields of the document, and no others.
func TestSchemaOfDocuments(t *testing.T) {
	text, err := os.ReadFile("../../docs/reference/rule.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var root schemaNode
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	p := root.Properties
	for of, s := range map[any]*schemaNode{
		reflect.TypeFor[document](): &root, reflect.TypeFor[labelled](): p["label"], reflect.TypeFor[readColumn](): p["attributes"].Items,
		reflect.TypeFor[readDate](): p["attributes"].Items.Properties["date"], reflect.TypeFor[gradeResult](): p["results"].Items, reflect.TypeFor[node](): root.Defs["node"],
	} {
		var fields []string
		for i := range of.(reflect.Type).NumField() {
			fields = append(fields, of.(reflect.Type).Field(i).Tag.Get("json"))
		}
		slices.Sort(fields)
		if known := slices.Sorted(maps.Keys(s.Properties)); !slices.Equal(known, fields) {
			t.Errorf("%v: the schema has %v, the document %v", of, known, fields)
		}
	}
	if kinds := slices.Sorted(maps.Keys(nodeFields)); !slices.Equal(kinds, slices.Sorted(slices.Values(root.Defs["node"].Properties["is"].Enum))) {
		t.Errorf("the schema has the nodes %v", root.Defs["node"].Properties["is"].Enum)
	}
}

// The document is valid JSON, and no text of it can end a script in a page.
func TestDocumentIsJSON(t *testing.T) {
	m := sums(t, 3, "values = [\"</script><!--\", \"\\u2028\\u202e\", \"😀\\\"\\\\\"]")
	text, err := JSON(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got := d.Columns[0].Values; len(got) != 3 || got[0][0] != "</script><!--" || got[1][0] != "\u2028\u202e" || got[2][0] != "😀\"\\" {
		t.Errorf("%q", got)
	}
	for _, bad := range []string{"</", "<!", "\u2028", "\u202e"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("the text has %q", bad)
		}
	}
}
