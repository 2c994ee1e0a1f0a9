package model_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
)

// with returns the text of a model in which one key has another value.
func with(t *testing.T, text []byte, key, value string) []byte {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	all[key] = json.RawMessage(value)
	changed, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// A fault is a wrong text for a hypothesis or a class, and the expected error.
type fault struct{ text, says string }

const town = `{"attribute": "town", "is": ["Zug"]}`

var hypotheses = map[string][]fault{
	"scorecard": {
		{`[]`, "points for 0 attributes"},
		{`{}`, "the scorecard is malformed"},
		{`[{"attribute": "age", "points": [0]}, {}, {}, {}]`, `attribute "age" has points for 1 categories, but 5 categories in the schema`},
		{`[{"attribute": "town", "points": [0]}, {}, {}, {}]`, `attribute 1 is "town" in the hypothesis, but "age" in the schema`},
		{`[{"attribute": "age", "points": [0.5]}]`, "the scorecard is malformed"},
		{`[{"attribute": "age", "points": [99999999999999999999]}]`, "the scorecard is malformed"},
	},
	"halfspace": {
		{`[{"attribute": "age", "points": [null]}]`, "the halfspace is malformed: the value at 1.points.1 must be a number, but is null"},
		{`[{"attribute": "age", "points": [1], "points": [1]}]`, `key "points" is given twice in hypothesis.1`},
		{`[{"attribute": "age", "Points": [1]}]`, `the halfspace is malformed: unknown key "Points" in 1`},
		{`[{"attribute": null, "points": [1]}]`, "the halfspace is malformed: the value at 1.attribute must be a string, but is null"},
		{`[{"attribute": "age", "points": null}]`, "the halfspace is malformed: the value at 1.points must be a list, but is null"},
		{`[{"attribute": "age", "points": [1e0]}]`, "the halfspace is malformed: the value at 1.points.1 must be an integer of at most "},
		{`[{"attribute": "age", "points": [1.0]}]`, "the halfspace is malformed: the value at 1.points.1 must be an integer of at most "},
		{`[{"attribute": "age", "points": ["1"]}]`, "the halfspace is malformed: the value at 1.points.1 must be a number, but is a string"},
		{`[{"colour": 1}]`, `unknown key "colour" in 1`},
	},
	"conjunction": {
		{`{}`, "the conjunction is malformed"},
		{`[{"attribute": "height", "is": ["1"]}]`, `the schema has no attribute "height"`},
		{`[{"attribute": "age"}]`, `needs either "is" or "is_not"`},
		{`[{"attribute": "age", "is": ["<-3"], "is_not": [">=60"]}]`, `needs either "is" or "is_not"`},
		{`[{"attribute": "age", "is": ["12"]}]`, `attribute "age" has no category "12"`},
		{`[{"attribute": "age", "is_not": ["<-3"]}]`, `the condition on attribute "age" is not in the class`},
		{`[` + town + `,` + town + `]`, `attribute "town" has two conditions`},
		{`[{"attribute": "nothing to tell", "is": ["<\u202e\"&'>\\"]}]`, "not in the class"},
		{`[7]`, "the conjunction is malformed"},
	},
	"disjunction": {{`"always"`, "the disjunction is malformed"}},
	"decision-list": {
		{`[]`, "the decision list is malformed"},
		{`{"rules": null, "otherwise": 1}`, "the decision list is malformed: the value at rules must be a list, but is null"},
		{`{"rules": [null], "otherwise": 1}`, "the decision list is malformed: the value at rules.1 must be an object, but is null"},
		{`{"rules": [], "otherwise": null}`, "the decision list is malformed: the value at otherwise must be a number, but is null"},
		{`{"rules": [], "otherwise": 0, "Otherwise": 1}`, `the decision list is malformed: unknown key "Otherwise"`},
		{`{"otherwise": 2}`, "a prediction is 2, but must be 0 or 1"},
		{`{"otherwise": true}`, "the decision list is malformed"},
		{`{"rules": [{"if": [` + town + `], "predict": -1}], "otherwise": 0}`, "a prediction is -1, but must be 0 or 1"},
		{`{"rules": [{"if": [], "predict": 1}], "otherwise": 0}`, "the conditions of rule 1 are not in the class"},
		{`{"rules": [{"if": [` + town + `,` + town + `], "predict": 1}], "otherwise": 0}`, "the conditions of rule 1 are not in the class"},
		{`{"rules": [{"if": [` + town + `], "predict": 1}], "otherwise": 1}`, "does not belong to its class"},
		{`{"rules": [` + strings.Repeat(`{},`, 500) + `{}]}`, "the list has 501 rules"},
	},
	"parity": {
		{`{"odd": 3}`, "the parity is malformed"},
		{`{"odd": [{"attribute": "town", "is": ["no"]},{"attribute": "town", "is": ["no"]}]}`, `a condition on attribute "town" occurs twice`},
		{`{"odd": [` + town + `]}`, `the parities of the class do not contain the condition on attribute "town"`},
	},
	"one-hot parity": {{`{"odd": [], "negated": true}`, "does not belong to its class"}},
	"majority": {
		{`{}`, "the formula is malformed"},
		{`[` + town + `]`, "is not an input of the class"},
		{`[]`, "does not belong to its class"},
		{`[` + strings.Repeat(town+",", 99) + town + `]`, "the formula has 100 inputs, but the class has only 7"},
	},
	"nand": {{`[{"attribute": "town", "is": ["no"]}]`, "does not belong to its class"}},
	"union": {
		{`[]`, "the choice of the union is malformed"},
		{`{"member": 3, "hypothesis": []}`, "the union has no member 3"},
		{`{"member": -1, "hypothesis": []}`, "the union has no member -1"},
		{`{"member": 1}`, "the conjunction is malformed: it is missing"},
		{`{"member": 1, "hypothesis": {}}`, "the conjunction is malformed"},
		{`{"member": 1, "hypothesis": null}`, "the conjunction is malformed: it is missing"},
	},
}

func TestMalformedHypothesis(t *testing.T) {
	for name, form := range samples {
		text := written(t, models(t, form)[0])
		for _, f := range append(hypotheses[name], fault{"null", "malformed: it is missing"}, fault{"7", "malformed"}) {
			refused(t, name, with(t, text, "hypothesis", f.text), f.says)
		}
	}
}

// refused checks that a file is refused in one sentence.
func refused(t *testing.T, name string, text []byte, says string) {
	t.Helper()
	m, err := model.Read(bytes.NewReader(text))
	if err == nil || m != nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %v, want %q in\n%s", name, err, says, text)
	}
}

func TestMalformedClass(t *testing.T) {
	text := written(t, models(t, model.Parity{})[0])
	for _, f := range []fault{
		{`null`, `the class "" is unknown`},
		{`[]`, "the class must be a JSON object that states its name"},
		{`{"name": "forest"}`, `the class "forest" is unknown; it must be one of scorecard, `},
		{`{"name": "parity", "Name": "scorecard"}`, `the class is malformed: unknown key "Name"`},
		{`{"name": "parity", "name": "scorecard"}`, `this is not a model: key "name" is given twice in class`},
		{`{"name": "parity", "penalty": null}`, "the class is malformed: the value at penalty must be a number, but is null"},
		{`{"name": null, "parity": 1}`, `the class "" is unknown`},
		{`{"name": ["parity"]}`, `the class must be a JSON object that states its name`},
		{`{"name": "parity", "colour": 1}`, `the class is malformed: unknown key "colour"`},
		{`{"name": "parity", "penalty": -1}`, "invalid class: the penalty per bit is -1"},
		{`{"name": "parity", "penalty": 1e99}`, "the class is malformed"},
		{`{"name": "parity", "most_bits": -1}`, "invalid class"},
		{`{"name": "parity", "separator_points": 1}`, "invalid class"},
		{`{"name": "parity", "separator_points": -1}`, "the separator has -1 points, but must have 0 to "},
		{`{"name": "parity", "separator_points": 100000000}`, "the separator has 100000000 points, but must have 0 to "},
		{`{"name": "scorecard", "points": [1]}`, "the key \"points\" must be a list of two numbers"},
		{`{"name": "scorecard", "points": [1, 0]}`, "the range of points 1..0 must not be empty"},
		{`{"name": "scorecard", "points": [0, 1], "distance": -1}`, "invalid class"},
		{`{"name": "scorecard", "points": [0, 1], "distance": 1000000000}`, "invalid class"},
		{`{"name": "scorecard", "points": [0, 1], "most_attributes": 5}`, "the schema has only 4"},
		{`{"name": "scorecard", "points": [0, 1], "monotone": [{"attribute": "age"}]}`, `not "up" or "down"`},
		{`{"name": "scorecard", "points": [0, 1], "monotone": [{"attribute": "height", "direction": "up"}]}`, `attribute "height", which is listed as monotone, is not in the schema`},
		{`{"name": "halfspace"}`, "the key \"weights\" must be a list of two numbers"},
		{`{"name": "halfspace", "weights": [0, 101]}`, "the range of weights 0..101 must not be empty"},
		{`{"name": "halfspace", "weights": [0, 1], "most_attributes": -1}`, "invalid class"},
		{`{"name": "conjunction", "most_literals": 9}`, "the schema has only 4 attributes"},
		{`{"name": "disjunction", "distance": -2}`, "invalid class"},
		{`{"name": "decision-list", "literals": 3}`, "invalid class"},
		{`{"name": "decision-list", "most_rules": -1}`, "invalid class"},
		{`{"name": "majority", "depth": 3}`, "invalid class"},
		{`{"name": "nand", "depth": -1}`, "invalid class"},
		{`{"name": "nand", "penalty": -1}`, "invalid class"},
		{`{"name": "union"}`, "it has no members"},
		{`{"name": "union", "members": [{}]}`, `malformed`},
		{`{"name": "union", "members": [{"class": {"name": "parity"}, "penalty": -1}]}`, "invalid class"},
		{`{"name": "union", "members": [{"class": {"name": "union", "members": [{"class": {"name": "parity"}}]}}]}`, "a union cannot be a member of another union"},
	} {
		// The hypothesis is well formed for the class, as far as can be.
		body := `{"odd": []}`
		switch {
		case strings.Contains(f.text, "scorecard"), strings.Contains(f.text, "halfspace"):
			body = `[{"attribute": "age", "points": [0,0,0,0,0]}, {"attribute": "town, again", "points": [0,0]}, {"attribute": "town", "points": [0,0]}, {"attribute": "nothing to tell", "points": [0]}]`
		case strings.Contains(f.text, "union"):
			body = `{"member": 0, "hypothesis": {"odd": []}}`
		case strings.Contains(f.text, "decision"):
			body = `{}`
		case !strings.Contains(f.text, "parity"):
			body = `[]`
		}
		refused(t, f.text, with(t, with(t, text, "hypothesis", body), "class", f.text), f.says)
	}
}

func TestMalformedFile(t *testing.T) {
	text := written(t, models(t, model.Parity{})[0])
	changed := func(what, old, new string) string {
		if !strings.Contains(string(text), old) {
			t.Fatalf("%s: no %s in\n%s", what, old, text)
		}
		return strings.Replace(string(text), old, new, 1)
	}
	for _, f := range []fault{
		{``, "this is not a model"},
		{`7`, "this is not a model"},
		{`{}`, `its format is ""`},
		{string(text) + "x", "this is not a model"},
		{string(text[:len(text)/2]), "this is not a model: it ends too early"},
		{"\ufeff" + string(text), "this is not a model: it begins with a byte order mark"},
		{changed("a model of another form", `"format"`, `"FORMAT"`), `the model is malformed: unknown key "FORMAT"`},
		{changed("ε that depends on the reader", `"epsilon":`, `"epsilon": "0.001", "epsilon":`), `this is not a model: key "epsilon" is given twice in guarantee`},
		{changed("ε that depends on the reader", `"epsilon":`, `"Epsilon": "0.001", "epsilon":`), `the model is malformed: unknown key "Epsilon" in guarantee`},
		{changed("a key that folds", `"assumes":`, `"aſſumes":`), `the model is malformed: unknown key "aſſumes" in guarantee`},
		{changed("null for a list", `"assumes": []`, `"assumes": null`), `the model is malformed: the value at guarantee.assumes must be a list, but is null`},
		{changed("null for ε", `"epsilon": "`, `"epsilon": null, "epsilon2": "`), `the model is malformed: the value at guarantee.epsilon must not be null`},
		{changed("a number for ε", `"delta": "0"`, `"delta": 0`), `the model is malformed: the value at guarantee.delta must be a string, but is a number`},
		{changed("half a pair", `"column": "y"`, `"column": "y\ud83d"`), `starts half of a surrogate pair`},
		{changed("no UTF-8", `"column": "y"`, "\"column\": \"y\xff\""), `is not UTF-8 text`},
		{changed("a key of the schema", `"header":`, `"header": false, "header":`), `this is not a model: key "header" is given twice in schema.file`},
		{changed("a key of the schema", `"header":`, `"Header": false, "header":`), `unknown key "Header" in [file]`},
		{changed("null for a truth", `"header": true`, `"header": null`), `"header" in [file] must be true or false`},
		{string(with(t, text, "schema", "null")), "the model has no schema"},
		{string(with(t, text, "schema", "{}")), ""},
		{string(with(t, text, "mechanism", "null")), "the mechanism must be a JSON object that states its name"},
		{string(with(t, text, "mechanism", `{"rate": "1/4"}`)), "the mechanism must be a JSON object that states its name"},
		{string(with(t, text, "mechanism", "[]")), "the mechanism must be a JSON object that states its name"},
		{string(with(t, text, "mechanism", `{"name": 7}`)), "the mechanism must be a JSON object that states its name"},
		{string(with(t, text, "mechanism", `{"name": "coin", "name": "coin"}`)), `this is not a model: key "name" is given twice in mechanism`},
		{string(with(t, text, "colour", "1")), `the model is malformed: unknown key "colour"`},
	} {
		refused(t, "file", []byte(f.text), f.says)
	}
}

// zeros is a file without an end, such as /dev/zero.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestEndlessFile(t *testing.T) {
	if m, err := model.Read(zeros{}); m != nil || err == nil || err.Error() != "the model cannot be read: it is longer than 64 MiB" {
		t.Error(err)
	}
}
