package pushdown

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

var (
	// Quoted text cannot refer to objects of the database.
	quotedText = regexp.MustCompile(`E?'(?:[^'\\]|''|\\.)*'|"(?:[^"]|"")*"`)
	qualified  = regexp.MustCompile(`OPERATOR\(pg_catalog\.[-+*/<>=~!@#%^&|?]+\)|pg_catalog\.[a-z_0-9]+(\[\])?(\(\*)?|COLLATE pg_catalog\.Q`)
	alias      = regexp.MustCompile(`AS (total|place|[a-z]\d*)\b`)
	tokens     = regexp.MustCompile(`[A-Za-z_]\w*|-?\d+(?:\.\d+)?|\S`)
	// known matches the words that are allowed unqualified: keywords, columns and tables of the
	// statement, numbers.
	known = regexp.MustCompile(`^(?:SELECT|FROM|WHERE|AS|WHEN|THEN|ELSE|END|AND|OR|NOT|NULL|IS|TRUE|FALSE|CAST|ANY|ARRAY|COALESCE|GROUP|ORDER|PARTITION|BY|OVER|WITH|MATERIALIZED|UNION|ALL|OFFSET|Q|[a-z]\d*|total|place|cells|-?\d+(?:\.\d+)?|[(),\[\]])$`)
)

// unqualified returns the first part of a PostgreSQL statement that would be resolved by the search
// path, or "".
func unqualified(statement string) string {
	rest := quotedText.ReplaceAllString(statement, "Q")
	rest = qualified.ReplaceAllString(rest, " ")
	rest = alias.ReplaceAllString(rest, " ")
	rest = strings.ReplaceAll(rest, "CASE WHEN", "WHEN")
	allowed := map[string]bool{}
	for _, token := range tokens.FindAllString(rest, -1) {
		if !allowed[token] && !known.MatchString(token) {
			return token
		}
		allowed[token] = true
	}
	return ""
}

// TestQualified checks that statements for PostgreSQL resolve no function, operator, type or
// collation by the search path. It also refuses CASE x WHEN y, IN, NULLIF and BETWEEN, which look
// up an operator.
func TestQualified(t *testing.T) {
	for _, wrong := range []string{
		"SELECT count(*) FROM t", "SELECT pg_catalog.count(*) FROM t WHERE a = b", "SELECT CASE a WHEN b THEN 1 END", "SELECT a IN (1, 2)", "SELECT CAST(a AS bigint)", "SELECT CAST(a AS text)",
		"SELECT NULLIF(a, 1)", "SELECT a OPERATOR(public.=) b", "SELECT a COLLATE \"C\"", "SELECT a + 1", "SELECT a OPERATOR(pg_catalog.=) b, lower(c)", "SELECT DISTINCT a", "SELECT a BETWEEN 1 AND 2", "SELECT date 'x'", "SELECT a::int8",
	} {
		if unqualified(wrong) == "" {
			t.Errorf("nothing is found in %s", wrong)
		}
	}
	types := make(map[string]database.Type)
	var b strings.Builder
	for i, name := range strings.Fields("TEXT BPCHAR ENUM INT2 INT8 NUMERIC FLOAT4 FLOAT8 BOOL DATE TIMESTAMP TIMESTAMPTZ BYTEA UUID") {
		column := fmt.Sprint("column ", i)
		types[column] = typeOf(t, database.PostgreSQL, name)
		for k, domain := range []string{"cuts = [-0.5, 0, 12.25]", "values = [\"12\", \"it's\", \"2024-02-29\", \"true\", \"2024-02-29T12:00:00Z\"]", "values = [" + many(60) + "]"} {
			fmt.Fprintf(&b, "[[attribute]]\nname = \"%d of %d\"\ncolumn = \"%s\"\n%s\nother = \"other\"\n", k, i, column, domain)
		}
	}
	n := 0
	for _, person := range []string{"", "[person]\ncolumn = \"whose\"\nmost = 3\n"} {
		for _, label := range []string{"", "[label]\ncolumn = \"column 99\"\npositive = [\"1\"]\nnegative = [\"0\"]\n"} {
			if !heavy.On() && (person == "") != (label == "") {
				continue // test both and none
			}
			s := tabletest.Schema(t, person+label+b.String())
			types["column 99"], types["whose"] = types["column 0"], types["column 0"]
			r := New(database.PostgreSQL, "Q", s, types)
			var axes []table.Axis
			var of [][]table.Axis
			var points [][]int64
			for j, size := range s.Sizes() {
				axes = append(axes, table.Axis{Column: j, Size: size})
				of = append(of, axes[j:], axes[j:])
				of[2*j], of[2*j+1] = axes[j:j+1], axes[max(0, j-1):j+1]
				points = append(points, make([]int64, size))
			}
			statements := []string{r.Collapsed().Statement, r.Sizes(), r.Totals(table.Card{Points: points})}
			steps := table.Steps{From: []int64{-3, 8}, Values: []int64{1, -2, 0}}
			for _, squares := range []bool{false, true} {
				query := table.Moments{Points: points, Squares: squares, Factor: steps, Second: steps}
				for range s.Outcomes() {
					query.First = append(query.First, steps)
				}
				for _, m := range r.Moments(query) {
					statements = append(statements, m.Statement)
				}
			}
			weights := table.Weights{Card: table.Card{Points: points}, Of: slices.Repeat([]table.Steps{steps}, s.Outcomes())}
			for _, m := range slices.Concat(r.Marginals(of), r.Weighted([]int{0, 4}, weights)) {
				statements = append(statements, m.Statement)
			}
			for _, m := range r.Supports(axes, [][]table.Term{{{Axis: 0, Cell: 1}, {Axis: 4, Cell: 0}}, {{Axis: 7, Cell: 1}}}) {
				statements = append(statements, m.Statement)
			}
			if !r.Coded() {
				n++ // columns of SELECT
			}
			for _, statement := range statements {
				if found := unqualified(statement); found != "" {
					t.Errorf("%.200s …: %q", statement, found)
				}
			}
		}
	}
	if n == 0 {
		t.Error("all columns are coded")
	}
}

// many returns a list of n different quoted values.
func many(n int) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("\"%d\"", i)
	}
	return strings.Join(texts, ", ")
}
