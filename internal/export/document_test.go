package export

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
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

// Models whose totals may exceed the greatest exact integer are refused. A total may include a bonus.
func TestExactTotals(t *testing.T) {
	added := sums(t, 3, `values = ["x", "y"]`) // the points 0, ±1 and ±2
	ranked := *added
	ranked.Form = model.RankedTree{Scale: 1, Depth: 1}
	ranked.Hypothesis = learn.RankedTree[any]{
		Tree:   &dectree.Tree{Test: 1, Yes: &dectree.Tree{Outcome: 1}, No: &dectree.Tree{}},
		Points: added.Hypothesis.(learn.Points).Points, // a start of -3 and a bonus of 7
	}
	for _, c := range []struct {
		m    *model.Model
		most int64
	}{{added, 3}, {&ranked, 13}} {
		for _, most := range []int64{c.most - 1, c.most} {
			if err := exactTotals(c.m, "the language", most); (err == nil) != (most == c.most) {
				t.Errorf("%s: totals up to %d: %v", c.m.Form.Name(), most, err)
			}
		}
	}
}
