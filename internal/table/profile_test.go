package table

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// [profile] is read from TOML and stored in JSON, and does not change the digest.
func TestProfiles(t *testing.T) {
	const attribute = "[[attribute]]\ncolumn = \"a\"\ncuts = [3]\n"
	const private = "[[profile]]\ncolumns = [\"a\"]\nepsilon = \"0.20\"\ndelta = 0\nrelation = \"add-remove-person-3\"\nrelease = \"0123456789abcdef0123456789abcdef\"\n"
	s, err := ParseSchema("s.toml", strings.NewReader(attribute+private+"[[profile]]\ncolumns = [\"b\"]\nnot_private = true\n[[profile]]\ncolumns = [\"c\"]\nepsilon = 1\ndelta = 0.00001\nrho = 0.03\nmu_squared = 0.07\nfailure = 0.000005\nrelation = \"replace\"\nrelease = \"0123456789abcdef0123456789abcdef\""))
	if err != nil {
		t.Fatal(err)
	}
	want := []Profile{{Columns: []string{"a"}, Epsilon: "0.2", Delta: "0", Relation: "add-remove-person-3", Release: "0123456789abcdef0123456789abcdef"}, {Columns: []string{"b"}, NotPrivate: true}, {Columns: []string{"c"}, Epsilon: "1", Delta: "0.00001", Rho: "0.03", MuSquared: "0.07", Failure: "0.000005", Relation: "replace", Release: "0123456789abcdef0123456789abcdef"}}
	if !reflect.DeepEqual(s.Profiles, want) {
		t.Errorf("%+v", s.Profiles)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again Schema
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again.Profiles, want) {
		t.Errorf("%v\n%s", err, text)
	}
	plain, err := ParseSchema("s.toml", strings.NewReader(attribute))
	if err != nil || plain.Digest() != s.Digest() {
		t.Errorf("another digest, %v", err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`columns = ["a"]`, ``, "s.toml:4: [[profile]] needs the key \"columns\", the names of the attributes that it completed"},
		{`["a"]`, `["a", ""]`, "s.toml:4: [[profile]] needs the key \"columns\", the names of the attributes that it completed"},
		{`"0.20"`, `"0"`, `s.toml:6: [[profile]] needs "epsilon", a positive decimal such as "0.2"`},
		{`"0.20"`, `"-1"`, `s.toml:6: [[profile]] needs "epsilon", a positive decimal such as "0.2"`},
		{`epsilon = "0.20"`, ``, `s.toml:4: [[profile]] needs "epsilon", a positive decimal such as "0.2"`},
		{`delta = 0`, `delta = 1`, `s.toml:7: [[profile]] needs "delta", a decimal from "0" to below "1"`},
		{`delta = 0`, `delta = -0.1`, `s.toml:7: [[profile]] needs "delta", a decimal from "0" to below "1"`},
		{`person-3`, `person-11`, `s.toml:8: [[profile]] needs "relation", "replace" or "add-remove", followed by "-person-N" if at most N rows are counted per person`},
		{`0123456789abcdef"`, `"`, "s.toml:9: [[profile]] needs \"release\", the 32 hexadecimal digits that identify the release"},
		{`relation =`, "not_private = true\nrelation =", "s.toml:4: [[profile]] has not_private = true, so \"columns\" must be its only other key"},
		{`delta =`, "gamma = 1\ndelta =", `s.toml:7: unknown key "gamma" in [[profile]], whose keys are columns, epsilon, delta, rho, mu_squared, failure, relation, release and not_private`},
		{`delta =`, "rho = 0\ndelta =", `s.toml:7: "rho" of [[profile]] must be a positive decimal such as "0.01"`},
		{`delta =`, "mu_squared = 0.1\ndelta =", `s.toml:7: "mu_squared" of [[profile]] must be a positive decimal such as "0.02", and requires "rho"`},
		{`delta =`, "rho = 0.1\nmu_squared = 0\ndelta =", `s.toml:8: "mu_squared" of [[profile]] must be a positive decimal such as "0.02", and requires "rho"`},
		{`delta =`, "failure = 0.1\ndelta =", `s.toml:7: "failure" of [[profile]] must be a decimal from "0" to below "1", and requires "rho"`},
		{`delta =`, "rho = 0.1\nfailure = 1\ndelta =", `s.toml:8: "failure" of [[profile]] must be a decimal from "0" to below "1", and requires "rho"`},
		{"[[profile]]", "[profile]", "s.toml:4: profiles must be written [[profile]], with two brackets"},
	} {
		if _, err := ParseSchema("s.toml", strings.NewReader(attribute+strings.Replace(private, c.old, c.new, 1))); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}
