package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/sibyl-dp/sibyl/internal/postgres"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
)

// open opens the server with the driver, or skips the test. The name of the driver may be "pgx", as a reference.
func open(t *testing.T, driver string) *sql.DB {
	t.Helper()
	location := os.Getenv("SIBYL_TEST_POSTGRES")
	if location == "" {
		shareddata.Missing(t, "SIBYL_TEST_POSTGRES does not name a PostgreSQL server; .ci/postgres starts one")
	}
	db, err := sql.Open(driver, location)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// shown returns a value and the name of its type. Texts and bytes count as the same type, and times are in UTC.
func shown(value any) string {
	switch v := value.(type) {
	case []byte:
		return fmt.Sprintf("text %q", v)
	case string:
		return fmt.Sprintf("text %q", v)
	case time.Time:
		return "time " + v.UTC().String()
	}
	return fmt.Sprintf("%T %v", value, value)
}

// TestValues compares values of all supported types, and the names of types, with those of pgx/v5/stdlib. The settings of
// the session change the texts of values, which must not matter.
func TestValues(t *testing.T) {
	ours, theirs := open(t, postgres.Name), open(t, "pgx")
	for typ, values := range map[string][]string{
		"boolean": {"true", "false"}, "bytea": {"", `\x00ff5c27`}, `"char"`: {"a"}, "name": {"a b"}, "text": {"", "it's é"},
		"smallint": {"-32768", "0", "32767"}, "integer": {"-2147483648", "-1", "2147483647"},
		"bigint": {"-9223372036854775808", "-1", "9223372036854775807"}, "numeric": {"0.10", "NaN", "-1e100", "Infinity"},
		"real": {"0.1", "-0", "NaN", "Infinity", "1e-40"}, "double precision": {"0.1", "-0", "NaN", "-Infinity", "5e-324", "1e300"},
		"oid": {"0", "4294967295"}, "xid": {"7"}, "cid": {"7"}, "json": {`{"a": 1}`}, "jsonb": {`{"a": 1}`},
		"date":        {"2024-02-29", "1969-12-31", "0001-01-01", "0044-03-15 BC", "infinity", "-infinity"},
		"time":        {"12:30", "24:00", "00:00:00.000001"},
		"timestamp":   {"2024-02-29 12:00:00.000001", "1969-12-31 23:59:59.999999", "0044-03-15 BC", "infinity", "-infinity"},
		"timestamptz": {"2024-02-29 12:00+05", "1999-12-31 23:59:59.999999+00", "infinity", "-infinity"},
		"interval":    {"1 day -24:00"}, "bit(3)": {"101"}, "bit varying": {""}, "uuid": {"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		"inet": {"10.0.0.1/8"}, "cidr": {"10.0.0.0/8"}, "macaddr": {"08:00:2b:01:02:03"}, "macaddr8": {"08:00:2b:01:02:03:04:05"},
		"char(4)": {"a"}, "varchar(4)": {"a "},
	} {
		expressions := []string{"CAST(NULL AS " + typ + ")"}
		for _, v := range values {
			expressions = append(expressions, "CAST('"+strings.ReplaceAll(v, "'", "''")+"' AS "+typ+")")
		}
		for _, e := range expressions {
			read := func(db *sql.DB) (value any, name string) {
				tx, err := db.BeginTx(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback()
				if _, err := tx.Exec("SET LOCAL extra_float_digits = -3; SET LOCAL bytea_output = 'escape'; SET LOCAL DateStyle = 'German'; SET LOCAL TimeZone = 'Asia/Tokyo'"); err != nil {
					t.Fatal(err)
				}
				rows, err := tx.Query("SELECT " + e + " AS v")
				if err != nil {
					t.Fatalf("%s: %v", e, err)
				}
				defer rows.Close()
				types, err := rows.ColumnTypes()
				if err != nil || !rows.Next() || rows.Scan(&value) != nil || rows.Next() || rows.Err() != nil {
					t.Fatalf("%s: %v, %v", e, err, rows.Err())
				}
				return value, types[0].Name() + " " + types[0].DatabaseTypeName()
			}
			got, name := read(ours)
			want, named := read(theirs)
			if shown(got) != shown(want) || name != named {
				t.Errorf("%s: %s (%s), not %s (%s)", e, shown(got), name, shown(want), named)
			}
		}
	}
}

// TestArguments passes arguments of all supported types, for parameters of several types.
func TestArguments(t *testing.T) {
	db := open(t, postgres.Name)
	for expression, argument := range map[string]any{
		"$1 = CAST('-12' AS integer)": -12, "$1 = CAST('9223372036854775807' AS bigint)": int64(1<<63 - 1), "$1 = CAST('1.50' AS numeric)": "1.5",
		"$1 = CAST('it''s é' AS text)": "it's é", `$1 = CAST('\x00ff' AS bytea)`: []byte{0, 255}, "$1 = true": true, "$1 = CAST('2024-02-29 10:00:00.000001' AS timestamp)": time.Date(2024, 2, 29, 10, 0, 0, 1000, time.UTC),
		"$1 = CAST('2024-02-29 05:00:00+00' AS timestamptz)": time.Date(2024, 2, 29, 10, 0, 0, 0, time.FixedZone("", 5*60*60)),
		"$1 = CAST('-1.5e-40' AS float8)":                    -1.5e-40, "$1 = CAST('-Infinity' AS float8)": math.Inf(-1), "CAST($1 AS integer) IS NULL": nil,
		"$1 = CAST('2024-02-29' AS date)": "2024-02-29", "$1 = CAST('' AS text)": "",
	} {
		var same bool
		if err := db.QueryRow("SELECT "+expression, argument).Scan(&same); err != nil || !same {
			t.Errorf("%s with %v: %v, %v", expression, argument, same, err)
		}
	}
}

// TestStatements checks that queries cannot contain several statements, that statements on one connection do not replace
// each other, and which errors are returned.
func TestStatements(t *testing.T) {
	db := open(t, postgres.Name)
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := t.Context()
	state := func(err error) string {
		if e, ok := errors.AsType[*pgconn.PgError](err); ok {
			return e.SQLState()
		}
		return fmt.Sprint(err)
	}
	_, several := c.QueryContext(ctx, "SELECT 1; SELECT 2")
	_, more := c.PrepareContext(ctx, "SELECT 1; SELECT 2")
	_, argued := c.ExecContext(ctx, "SELECT $1; SELECT 2", "a")
	_, divided := c.QueryContext(ctx, "SELECT 1 / 0")
	for err, want := range map[error]string{several: "42601", more: "42601", argued: "42601", divided: "22012"} {
		if state(err) != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
	one, err := c.PrepareContext(ctx, "SELECT CAST($1 AS integer) + 1")
	two, err2 := c.PrepareContext(ctx, "SELECT CAST($1 AS integer) + 2")
	if errors.Join(err, err2) != nil {
		t.Fatal(err, err2)
	}
	defer two.Close()
	var a, b int
	if err := errors.Join(one.QueryRow(1).Scan(&a), two.QueryRow(1).Scan(&b), one.Close()); err != nil || a != 2 || b != 3 {
		t.Errorf("%d, %d, %v", a, b, err)
	}
	result, err := c.ExecContext(ctx, "CREATE TEMPORARY TABLE counted AS SELECT generate_series(1, 5) AS v; DELETE FROM counted WHERE v > 3")
	if n, _ := result.RowsAffected(); n != 2 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	result, err = c.ExecContext(ctx, "DELETE FROM counted WHERE v < $1", 3)
	if n, _ := result.RowsAffected(); n != 2 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	// An error after rows were sent.
	rows, err := c.QueryContext(ctx, "SELECT 1 / (5000 - v) FROM generate_series(1, 6000) AS v")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		n++
	}
	if n == 0 || state(rows.Err()) != "22012" {
		t.Errorf("%d rows, %v", n, rows.Err())
	}
}

// TestTransactions checks the options of a transaction, the commit of a failed one, and the end of one that a context
// cancels.
func TestTransactions(t *testing.T) {
	db := open(t, postgres.Name)
	tx, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var isolation, readOnly string
	if err := tx.QueryRow("SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')").Scan(&isolation, &readOnly); err != nil || isolation != "repeatable read" || readOnly != "on" {
		t.Errorf("%s, %s, %v", isolation, readOnly, err)
	}
	if _, err := tx.Exec("SELECT 1 / 0"); err == nil {
		t.Error("no error")
	}
	if err := tx.Commit(); err == nil {
		t.Error("a failed transaction was committed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	tx, err = db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tx.QueryContext(ctx, "SELECT generate_series(1, 1000000000)")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for rows.Next() {
	}
	if err := rows.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("after it was cancelled: %v", err)
	}
	rows.Close()
	// The next transaction has another connection if the first was closed.
	if err := db.PingContext(t.Context()); err != nil {
		t.Error(err)
	}
	var one int
	if err := db.QueryRow("SELECT 1").Scan(&one); err != nil || one != 1 {
		t.Errorf("%d, %v", one, err)
	}
}
