package evaluation

import (
	"errors"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/privacy"
)

// released returns a released model and noisy counts of it.
func released(t *testing.T, name string) (*model.Model, *risk.Counts, *privacy.Statement) {
	t.Helper()
	file, err := os.Open("../release/testdata/old/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := mechanism.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Grades()
	if err != nil {
		t.Fatal(err)
	}
	var cells []*big.Int
	for i := range g.Scale.Cells() {
		cells = append(cells, big.NewInt(int64(100+37*i%211)))
	}
	epsilon := privacytest.Decimal(t, "0.5")
	relation := privacy.ReplaceOne
	if m.Guarantee != nil {
		relation = m.Guarantee.Relation
	}
	c, err := risk.Noisy(g.Scale, cells, epsilon, relation)
	if err != nil {
		t.Fatal(err)
	}
	h, err := learn.NewHistogram(g.Scale.Cells(), epsilon, relation)
	if err != nil {
		t.Fatal(err)
	}
	s, err := privacy.State(h.Guarantee())
	if err != nil {
		t.Fatal(err)
	}
	c.Order = m.Order()
	if relation.Replaces() {
		c.Rows = big.NewInt(5000)
	}
	return m, c, s
}

// A file and the model give the evaluation that was released, as text and as a page.
func TestFile(t *testing.T) {
	for _, name := range []string{"scorecard", "scorecard-add-remove", "tree", "naive-bayes", "conjunction", "card-or-tree"} {
		m, c, g := released(t, name)
		f, err := NewFile(m, c, g, "")
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.Text()
		if err != nil || !Is(text) {
			t.Fatalf("%s: %v, %s", name, err, text)
		}
		read, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e, err := read.Of(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var want, got, page strings.Builder
		if err := errors.Join(New(m, c, g, "").Write(&want), e.Write(&got), e.WriteHTML(&page, report.Imprint{Contact: "A. Lee"})); err != nil {
			t.Fatal(err)
		}
		if want.String() != got.String() {
			t.Errorf("%s: the file gives\n%s\nand the release gave\n%s", name, got.String(), want.String())
		}
		for _, part := range []string{"A. Lee", "Privacy", "</html>", "ε = 0.5"} {
			if !strings.Contains(page.String(), part) {
				t.Errorf("%s: the page lacks %s", name, part)
			}
		}
		if strings.Contains(page.String(), "<script") || strings.Contains(page.String(), "NaN") {
			t.Errorf("%s: the page is %s", name, page.String())
		}
		other, _, _ := released(t, "majority")
		if _, err := read.Of(other); !errors.Is(err, ErrOther) {
			t.Errorf("%s: another model gives %v", name, err)
		}
	}
}

// A file whose numbers do not follow from its counts is refused.
func TestWrongFile(t *testing.T) {
	m, c, g := released(t, "scorecard")
	f, err := NewFile(m, c, g, "")
	if err != nil {
		t.Fatal(err)
	}
	right, err := f.Text()
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []struct{ old, new, want string }{
		{Format, "sibyl-evaluation/2", "the format is"},
		{`"rows": 5000`, `"rows": null`, "the key \"rows\""},
		{`"rows": 5000`, `"rows": -1`, "the key \"rows\""},
		{`"rows": 5000`, `"rows": 5e3`, "malformed"},
		{`"rows"`, `"row"`, "malformed"},
		{`"epsilon": "0.5"`, `"epsilon": "0.4"`, ""},
		{`"relation": "replace"`, `"relation": "add-remove"`, ""},
		{`"guarantee": {`, `"not_private": "insecure-seed", "guarantee": {`, "but has both"},
		{`"counts": {`, `"counts": null, "more": {`, "malformed"},
	} {
		text := strings.Replace(string(right), wrong.old, wrong.new, 1)
		if text == string(right) {
			t.Errorf("%s does not occur", wrong.old)
		}
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s for %s: %v", wrong.new, wrong.old, err)
		}
	}
	f.Counts.Scale.Grades = f.Counts.Scale.Grades[1:]
	if _, err := f.Of(m); err == nil {
		t.Error("counts of other grades are accepted")
	}
}

// The file of a model without a guarantee does not name the model, whose digest is private.
func TestFileOfPrivateModel(t *testing.T) {
	m, c, g := released(t, "seed")
	f, err := NewFile(m, c, g, "")
	if err != nil || f.Model != "" {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := f.Of(m); !errors.Is(err, ErrOther) {
		t.Errorf("%v", err)
	}
}
