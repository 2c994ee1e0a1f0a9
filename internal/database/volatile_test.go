package database

import (
	"strings"
	"testing"
)

// TestVolatile has queries whose rows may differ each time they are asked, and such as only look so.
func TestVolatile(t *testing.T) {
	all := []*Dialect{PostgreSQL, MySQL, SQLite, DuckDB}
	for _, c := range []struct {
		of          []*Dialect
		query, want string
	}{
		{all, "SELECT * FROM people WHERE random() < 0.5", "random()"},
		{all, "SELECT * FROM people ORDER BY Random /* really */ ( ) LIMIT 5", "random()"},
		{all, "SELECT * FROM (SELECT * FROM people LIMIT 5) AS t ORDER BY a", "LIMIT without ORDER BY"},
		{all, "SELECT * FROM people ORDER BY a LIMIT 5", ""},
		{all, "SELECT * FROM people ORDER BY (SELECT b FROM others LIMIT 1)", "LIMIT without ORDER BY"},
		{all, "SELECT a FROM people UNION SELECT a FROM others ORDER BY a LIMIT 5", ""},
		{all, "SELECT row_number() OVER (ORDER BY a) AS n FROM people LIMIT 5", "LIMIT without ORDER BY"},
		{all, "(SELECT a FROM people ORDER BY a) UNION ALL (SELECT a FROM others LIMIT 5)", "LIMIT without ORDER BY"},
		{all, "SELECT a FROM people FETCH FIRST 5 ROWS ONLY", "FETCH without ORDER BY"},
		{all, "SELECT p.limit, random AS uuid, 'random()' AS rand FROM people AS p -- random() LIMIT 5", ""},
		{all, "SELECT a /* random() LIMIT 5 ' */ FROM people WHERE b = 'it''s random()' AND c <> ')'", ""},
		{all, "SELECT 'a' AS b, random() AS c FROM people WHERE d = 'e'", "random()"},
		{all, "SELECT limit.a FROM limit.people", ""},
		{[]*Dialect{DuckDB}, "SELECT * FROM people TABLESAMPLE SYSTEM (10)", "TABLESAMPLE"},
		{[]*Dialect{DuckDB}, "FROM people USING SAMPLE 10%", "USING SAMPLE"},
		{[]*Dialect{DuckDB}, "SELECT a FROM people JOIN others USING (sample)", ""},
		{[]*Dialect{PostgreSQL, DuckDB}, `SELECT "random"(), 1 FROM people`, "random()"},
		{[]*Dialect{PostgreSQL, DuckDB}, `SELECT E'\'' AS q, random() FROM people`, "random()"},
		{[]*Dialect{PostgreSQL, DuckDB}, `SELECT E'\' random() ' AS q FROM people`, ""},
		{[]*Dialect{PostgreSQL, DuckDB}, `SELECT '\' AS q, random() AS r, ' ' FROM people`, "random()"},
		{[]*Dialect{PostgreSQL, DuckDB}, "SELECT $a$ ' random() $$ $a$ AS q, $1 FROM people", ""},
		{[]*Dialect{PostgreSQL, DuckDB}, "SELECT $a$ ' $a$ AS q, random() FROM people", "random()"},
		{[]*Dialect{PostgreSQL, DuckDB}, "SELECT 1 /* /* */ random() */ FROM people", ""},
		{[]*Dialect{PostgreSQL, DuckDB}, "SELECT a FROM people WHERE day > now() - interval '1 year' AND other < CURRENT_DATE", ""},
		{[]*Dialect{PostgreSQL}, "SELECT uuid('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'), clock_timestamp()", "clock_timestamp()"},
		{[]*Dialect{MySQL, DuckDB}, "SELECT uuid() AS a FROM people", "uuid()"},
		{[]*Dialect{MySQL, SQLite}, "SELECT 1 /* /* */, random() FROM people", "random()"},
		{[]*Dialect{MySQL}, `SELECT 'it\'s rand()', "a "" rand()" FROM people # rand()`, ""},
		{[]*Dialect{MySQL}, `SELECT '\\', rand(7) FROM people`, "rand()"},
		{[]*Dialect{MySQL}, "SELECT 1--rand() FROM people", "rand()"},
		{[]*Dialect{MySQL}, "SELECT /*!50000 rand() */ AS a, /*M! 1 */ 2 FROM people", "rand()"},
		{[]*Dialect{MySQL}, "SELECT `rand()`, `now`, people.current_date FROM people", ""},
		{[]*Dialect{MySQL}, "SELECT a FROM people WHERE day > NOW(6) - INTERVAL 1 YEAR", "now()"},
		{[]*Dialect{MySQL, SQLite}, "SELECT a FROM people WHERE day > CURRENT_DATE", "CURRENT_DATE"},
		{[]*Dialect{MySQL}, "SELECT unix_timestamp(day) AS d, unix_timestamp() - 5 AS now FROM people", "unix_timestamp()"},
		{[]*Dialect{MySQL}, "SELECT a FROM people WHERE ROWNUM() <= 5", "rownum()"},
		{[]*Dialect{MySQL}, "SELECT FOUND_ROWS() AS a FROM people", "found_rows()"},
		{[]*Dialect{MySQL}, "SELECT uuid_v4() AS a, last_insert_id FROM people", "uuid_v4()"},
		{[]*Dialect{SQLite}, "SELECT [it's random()], `LIMIT`, \"now\" FROM people", ""},
		{[]*Dialect{SQLite}, "SELECT date(day), datetime() AS a FROM people", "datetime()"},
		{[]*Dialect{SQLite}, "SELECT julianday('NOW') - julianday(born) AS age FROM people", "'now'"},
		{[]*Dialect{SQLite}, "SELECT * FROM people ORDER BY randomblob(8)", "randomblob()"},
		{all, "SELECT 'never closed random()", ""},
		{all, "SELECT /* never closed random()", ""},
		{all, ")) LIMIT", "LIMIT without ORDER BY"},
		{all, "", ""},
	} {
		for _, d := range c.of {
			want := ""
			if c.want != "" && (d.Plan == "" || strings.Contains(c.want, "ORDER BY")) { // of the rest an engine is asked
				want = "it has " + c.want
			}
			if got := d.Volatile(c.query); got != want {
				t.Errorf("%s: %s: %q, not %q", d.Name, c.query, got, want)
			}
		}
	}
}

// FuzzVolatile checks that no query has the search for words fail.
func FuzzVolatile(f *testing.F) {
	f.Add("SELECT $a$ '\\' /* E'\\' [`\" */ random() $a$")
	f.Fuzz(func(t *testing.T, query string) {
		for _, d := range []*Dialect{PostgreSQL, MySQL, SQLite, DuckDB} {
			d.Volatile(query)
		}
	})
}
