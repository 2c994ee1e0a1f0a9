package export

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// sums returns a model over attributes with this domain each.
func sums(t testing.TB, attributes int, domain string) *model.Model {
	t.Helper()
	var b strings.Builder
	b.WriteString("[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n")
	points := learn.Points{}
	for j := range attributes {
		fmt.Fprintf(&b, "[[attribute]]\ncolumn = \"a%d\"\n%s\n", j, domain)
		points.Points = append(points.Points, []int{j, -j})
	}
	s := tabletest.Schema(t, b.String())
	return &model.Model{Schema: s, Form: model.Additive{Kind: model.SVM, Scale: 1}, Hypothesis: points, Void: model.InsecureSeed}
}

// SQL returns an error of one sentence for models and options that it cannot express, and for no others.
func TestSQLRefuses(t *testing.T) {
	for _, c := range []struct {
		m    *model.Model
		o    Options
		says string
	}{
		{sums(t, 2, "cuts = [99999999999999.125]"), Options{Dialect: "sqlite", Table: "data"}, ""},
		{sums(t, 2, "cuts = [999999999999999.125]"), Options{Dialect: "sqlite", Table: "data"}, `the cuts of attribute "a0" have too many digits for SQL`},
		{sums(t, 800, `values = ["x", "y"]`), Options{Dialect: "postgresql", Table: "data"}, ""},
		{sums(t, 801, `values = ["x", "y"]`), Options{Dialect: "postgresql", Table: "data"}, "the model reads 801 attributes, and an SQL statement supports at most 800; export it in another format"},
		{sums(t, 801, "values = [\"x\"]\nother = \"y\""), Options{Dialect: "postgresql", Table: "data"}, ""}, // the first gives everyone 0 points, and is not read
		{sums(t, 2, `values = ["x", "y"]`), Options{Dialect: "sqlite", Table: "da\x00ta"}, "a name or a value contains a zero byte"},
		{sums(t, 2, `values = ["x", "y"]`), Options{Dialect: "oracle", Table: "data"}, `the dialect "oracle" is unknown; it must be postgresql or sqlite or mariadb or duckdb`},
		{sums(t, 2, `values = ["x", "y"]`), Options{Dialect: "sqlite"}, "the name of the table is empty; name a table"},
		{sums(t, 2, `values = ["x", "y"]`), Options{Dialect: "sqlite", Table: "data", ID: "points"}, `the data's column "points" has the same name as a column of the result`},
		{sums(t, 2, `values = ["x", "y"]`), Options{Dialect: "sqlite", Table: "data", ID: "a0"}, ""},
	} {
		text, err := SQL(c.m, c.o)
		if c.says == "" && (err != nil || len(text) == 0) || c.says != "" && (err == nil || !strings.HasPrefix(err.Error(), c.says) || text != nil) {
			t.Errorf("%d attributes, %+v: %v, want %q", len(c.m.Schema.Attributes), c.o, err, c.says)
		}
	}
}

// Programs that read a statement from a file may change its line breaks, so no value may contain one.
func TestSQLHasNoLineBreakOfValue(t *testing.T) {
	m := sums(t, 2, `values = ["x\r\ny", "x\ny"]`)
	for _, d := range Dialects {
		text, err := SQL(m, Options{Dialect: d.Name, Table: "data"})
		if err != nil || strings.Contains(string(text), "\r") || strings.Contains(string(text), "\ny") {
			t.Errorf("%s: %v, %s", d.Name, err, text)
		}
	}
}
