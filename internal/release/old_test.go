package release

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/papers/mechanisms"
	"github.com/sibyl-dp/sibyl/privacy"
)

// oldModels returns the models in testdata/old by file name. Earlier versions of the command wrote
// them.
func oldModels(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/old/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	all := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = text
	}
	return all
}

// Every old model can be read, and is written unchanged. The models cover every form, mechanism and
// oracle.
func TestOldModels(t *testing.T) {
	forms, known := map[string]bool{}, map[string]bool{}
	var all []byte
	for name, text := range oldModels(t) {
		m, err := mechanism.Read(bytes.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again, err := m.Text()
		if err != nil || !bytes.Equal(again, text) {
			t.Errorf("%s: %v, it is written as\n%s", name, err, again)
		}
		description, err := m.Describe(privacy.Decimal{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := Recompute(description)
		if (err == nil) != (m.Guarantee != nil) || (g == nil) != (err != nil) {
			t.Errorf("%s: its description recomputes %v, %v", name, g, err)
		}
		all = append(all, text...)
		forms[m.Form.Name()] = true
		of := "searched "
		switch from := m.Space.Sampling(); {
		case from.Tractable != nil:
			of = "tractable "
		case from.Staged != nil:
			of = "staged "
		case from.Class == nil:
			of = "additive "
		}
		known[of+m.Mechanism.Name] = true
	}
	for _, k := range model.Kinds() {
		if !forms[k.Name] {
			t.Errorf("no model has the form %s", k.Name)
		}
		of := "additive "
		switch {
		case k.Selection == model.BySearch:
			of = "searched "
		case k.Selection == model.ByPartition:
			of = "tractable "
		case k.Selection == model.InStages:
			of = "staged "
		}
		for _, m := range mechanism.Kinds(k) {
			if !known[of+m.Name] {
				t.Errorf("no model of %s is by %s", k.Name, m.Name)
			}
		}
	}
	if !forms["union"] {
		t.Error("no model is of a union")
	}
	for _, oracle := range mechanisms.Oracles() {
		if !bytes.Contains(all, []byte(`"oracle": "`+oracle+`"`)) {
			t.Errorf("no model is by the oracle %s", oracle)
		}
	}
}
