package sibyl_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl"
)

// Rows and model are files that appear once, and the model is read again.
func TestSynthesize(t *testing.T) {
	directory := t.TempDir()
	path := func(name string) string { return filepath.Join(directory, name) }
	files := map[string]string{
		"schema.toml": "[[attribute]]\ncolumn = \"a\"\nvalues = [\"x\", \"y\"]\n[[attribute]]\ncolumn = \"b\"\nvalues = [\"1\", \"2\", \"3\"]\n[[attribute]]\ncolumn = \"c\"\nvalues = [\"p\", \"q\"]\n",
		"data.csv":    "a,b,c\n" + strings.Repeat("x,1,p\ny,3,q\n", 100),
	}
	for name, text := range files {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	if _, err := sibyl.ReadSchema(path("schema.toml")); err == nil {
		t.Error("a schema without a label is read for learning")
	}
	schema, err := sibyl.ReadDomain(path("schema.toml"))
	if err != nil {
		t.Fatal(err)
	}
	budget := sibyl.EpsilonDelta("1", "1e-6")
	s, err := sibyl.Synthesize(ctx, sibyl.File(path("data.csv")), schema, budget, sibyl.NumberOfRows(200), sibyl.Target("a"), sibyl.Pair("b", "c"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Save(path("rows.csv")); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(path("rows.csv")); err == nil {
		t.Error("a file is written over")
	}
	if err := s.SaveModel(path("model.json")); err != nil {
		t.Fatal(err)
	}
	read, err := sibyl.ReadSynthetic(path("model.json"))
	if err != nil {
		t.Fatal(err)
	}
	if read.String() != s.String() || read.Len() != 0 {
		t.Errorf("what is read has %d rows and says\n%v\nnot\n%v", read.Len(), read, s)
	}
	if !strings.Contains(s.String(), "± ") || !strings.Contains(s.String(), "ε = 1, δ = 0.000001, one record replaced") {
		t.Errorf("it says %v", s)
	}
	text, err := os.ReadFile(path("rows.csv"))
	if lines := strings.Count(string(text), "\n"); err != nil || lines != 201 {
		t.Errorf("%d lines, %v", lines, err)
	}
	for want, more := range map[bool][]sibyl.Option{true: {sibyl.AddRemove()}, false: {sibyl.AddRemove(), sibyl.Pairwise()}} {
		s, err := sibyl.Synthesize(ctx, sibyl.File(path("data.csv")), schema, sibyl.EpsilonDelta("9", "1e-6"), more...)
		if err != nil || strings.Contains(s.String(), "draws of") != want {
			t.Errorf("pairs alone: %v, %v:\n%v", !want, err, s)
		}
	}
	if _, err := s.Ask(ctx, "a = z"); err == nil {
		t.Error("a value that there is not has an answer")
	}
	for _, o := range []sibyl.Option{sibyl.Risk("0.2"), sibyl.Costs(1, 2), sibyl.Target("z"), sibyl.Pair("a", "a"), sibyl.NumberOfRows(7)} {
		if _, err := sibyl.Synthesize(ctx, sibyl.File(path("data.csv")), schema, budget, o); err == nil {
			t.Error("an option that does not go with synthetic data, or with this, is taken")
		}
	}
	if _, err := sibyl.Synthesize(ctx, sibyl.File(path("data.csv")), schema, sibyl.Epsilon("1")); err == nil {
		t.Error("a pure budget is taken")
	}
	for _, o := range []sibyl.Option{sibyl.Target("a"), sibyl.Pairwise()} {
		if _, err := sibyl.PlanFor(schema, sibyl.Conjunction(), 10, sibyl.Epsilon("1"), o); err == nil || !strings.Contains(err.Error(), "are for synthetic data") {
			t.Errorf("an option of synthetic data of a conjunction: %v", err)
		}
	}
}
