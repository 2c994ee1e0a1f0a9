package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class/scorecard"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/report"
	"github.com/sibyl-dp/sibyl/table"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares the text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s", name, got)
	}
}

func TestCard(t *testing.T) {
	schema, err := table.NewSchema(table.Schema{
		Name:  "Wetter\x1b[31m <script>",
		Label: &table.Label{Column: "rain", Positive: []string{"yes", "a little", "dunno"}, Negative: []string{"no"}},
		Attributes: []table.Attribute{
			{Column: "wind", Values: []string{"Föhn", "Bise\n", "日本"}, Other: "anything else"},
			{Column: "month", Cuts: []table.Decimal{"3", "6.5"}},
			{Column: "place", Groups: []table.Group{{Name: "lake", Values: []string{"Zug"}}, {Name: "hill", Values: []string{"Rigi"}}}},
			{Column: "day", Values: []string{"odd"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		points    [][]int
		threshold int
	}{
		"gaps.txt":     {[][]int{{-3, 0, 3, 0}, {0, 6, 0}, {0, 0}, {0}}, 1},
		"constant.txt": {[][]int{{0, 0, 0, 0}, {1, 1, 1}, {10, -10}, {-2}}, 0},
		"nothing.txt":  {[][]int{{0, 0, 0, 0}, {0, 0, 0}, {0, 0}, {0}}, 1},
		"always.txt":   {[][]int{{0, 1, 0, 0}, {0, 0, 0}, {0, 0}, {0}}, -5},
	} {
		var b strings.Builder
		card := report.Of(&model.Model{Schema: schema, Family: model.Scorecard{Threshold: test.threshold}, Hypothesis: scorecard.Card{Points: test.points}})
		if err := card.Write(&b); err != nil {
			t.Fatal(err)
		}
		golden(t, name, b.String())
		b.Reset()
		if err := card.WriteHTML(&b, "No <guarantee>.\n"); err != nil {
			t.Fatal(err)
		}
		golden(t, strings.TrimSuffix(name, "txt")+"html", b.String())
	}
}

func TestGuarantee(t *testing.T) {
	epsilon, err := privacy.ParseDecimal("20.5")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "guarantee.txt", report.Guarantee("scorecard", &model.Guarantee{
		Epsilon: epsilon, Relation: privacy.AddRemove, Assumes: []privacy.Assumption{privacy.ExactOracle},
	}, "")+"\n"+report.Guarantee("scorecard", nil, model.InsecureSeed))
}

func TestTable(t *testing.T) {
	var b strings.Builder
	rows := [][]string{{"name", "n", ""}, {"ä", "100"}, {"long one", "2", "x"}}
	if err := report.WriteTable(&b, rows, "lr"); err != nil {
		t.Fatal(err)
	}
	golden(t, "table.txt", b.String())
}
