package pushdown

import (
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// TestMomentsOfRecords checks that null records have no moments and no weights.
func TestMomentsOfRecords(t *testing.T) {
	s := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\nvalues = [\"1\", \"2\"]\n")
	r := New(database.SQLite, "SELECT v FROM t", s, map[string]database.Type{"v": typeOf(t, database.SQLite, "INTEGER")})
	constant := table.Steps{Values: []int64{1}}
	m := table.Moments{Points: [][]int64{{3, -4}}, Factor: constant, First: []table.Steps{constant}, Second: constant}
	inside := r.records().inside()
	var statements []string
	for _, of := range r.Moments(m) {
		statements = append(statements, of.Statement)
	}
	for _, of := range r.Weighted([]int{0}, table.Weights{Card: table.Card{Points: m.Points}, Of: m.First}) {
		statements = append(statements, of.Statement)
	}
	for _, statement := range statements {
		if inside == r.dialect.True || !strings.Contains(statement, " WHERE "+inside+" ") {
			t.Errorf("the statement lacks the condition %s: %s", inside, statement)
		}
	}
}
