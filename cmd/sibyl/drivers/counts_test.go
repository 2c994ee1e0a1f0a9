package drivers

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// counted is a table with columns of several types, as SQL values and as CSV lines. Its domain is so large
// that it has many distinct records.
type counted struct {
	schema        string
	values, lines []string
}

// drawCounted generates random rows and a schema. If most is not 0, the schema has a [person], and at most this number
// of rows of a person counts.
func drawCounted(rows, most int, random *rand.Rand) counted {
	var c counted
	for i := 0; i < rows; {
		for range 1 + random.IntN(6) {
			i++
			person := fmt.Sprint("p", i/9)
			switch random.IntN(8) {
			case 0:
				person = ""
			case 1, 2, 3:
				person = strings.Repeat("long ", []int{40, 4000, 40}[i/20%3]) + fmt.Sprint(i/20) // so long that its length is encoded differently
			}
			ward := string("abcd?"[random.IntN(5)])
			age, price := fmt.Sprint(random.IntN(100)-5), fmt.Sprintf("%d.%02d", random.IntN(90), random.IntN(100))
			ratio, back := strconv.FormatFloat(random.Float64(), 'f', -1, 64), fmt.Sprint(random.IntN(3) == 0)
			if random.IntN(9) == 0 {
				age = ""
			}
			null := age
			if age == "" {
				null = "NULL"
			}
			score := fmt.Sprint(random.IntN(9))
			c.values = append(c.values, fmt.Sprintf("('%s', '%s', %s, '%s', %s, %s, '%s')", person, ward, null, price, ratio, score, back))
			c.lines = append(c.lines, strings.Join([]string{person, ward, age, price, ratio, score, back}, ","))
		}
	}
	var b strings.Builder
	if most > 0 {
		fmt.Fprintf(&b, "[person]\ncolumn = \"person\"\nmost = %d\n", most)
	}
	switch random.IntN(3) {
	case 0:
		b.WriteString("[label]\ncolumn = \"back\"\npositive = [\"true\"]\nnegative = [\"false\"]\n")
	case 1:
		b.WriteString("[label]\ncolumn = \"score\"\ncuts = [3, 5.5]\nmissing = \"4\"\n")
	}
	fmt.Fprintf(&b, "[[attribute]]\ncolumn = \"ward\"\nvalues = [\"a\", \"c\", \"b\"%s]\n", []string{"", ", \"d\"", ", \"?\", \"d\""}[random.IntN(3)])
	fmt.Fprintf(&b, "[[attribute]]\ncolumn = \"age\"\ncuts = [%d, 18, 65.5]\nmissing = [\"?\", \"7\", \"70.0\"]\n%s\n", -random.IntN(10), []string{"", "other = \"unknown\""}[random.IntN(2)])
	b.WriteString("[[attribute]]\nname = \"age too\"\ncolumn = \"age\"\ncuts = [0, 10, 20, 30, 40, 50, 60, 70, 80]\nother = \"none\"\n")
	b.WriteString("[[attribute]]\ncolumn = \"price\"\ncuts = [0.5, 5, 12.25, 33, 77.77]\nmissing = [\"12.5\", \"2\"]\n")
	b.WriteString("[[attribute]]\nname = \"cents\"\ncolumn = \"price\"\nvalues = [\"1.00\", \"2.50\"]\nother = \"any\"\n")
	b.WriteString("[[attribute]]\ncolumn = \"ratio\"\ncuts = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]\n")
	b.WriteString("[[attribute]]\nname = \"half\"\ncolumn = \"ratio\"\ncuts = [0.5]\n")
	for i := range 3 {
		fmt.Fprintf(&b, "[[attribute]]\nname = \"w%d\"\ncolumn = \"ward\"\ngroups = { x = [\"a\"], y = [\"b\", \"?\"] }\nother = \"z\"\n", i)
	}
	c.schema = b.String()
	return c
}

// countedTable is the name of a table that only this process uses.
var countedTable = fmt.Sprint("counted_", os.Getpid())

// enter creates the table, and replaces an existing one.
func (c counted) enter(t testing.TB, db *sql.DB, price, back string) {
	t.Helper()
	t.Cleanup(func() { db.Exec("DROP TABLE IF EXISTS " + countedTable) })
	execute(t, db, "DROP TABLE IF EXISTS "+countedTable,
		"CREATE TABLE "+countedTable+" (person TEXT, ward VARCHAR(9), age INTEGER, price "+price+", ratio DOUBLE PRECISION, score SMALLINT, back "+back+")",
		"INSERT INTO "+countedTable+" VALUES "+strings.Join(c.values, ", "))
}

// inMemory returns the rows as a table in memory.
func (c counted) inMemory(t testing.TB) *table.Table {
	t.Helper()
	text := "person,ward,age,price,ratio,score,back\n" + strings.Join(c.lines, "\n") + "\n"
	got, err := source.Read(context.Background(), "-", tabletest.Schema(t, c.schema), source.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func openCounts(t testing.TB, location, schema, query string) (counts table.Counts, end func()) {
	t.Helper()
	return openCountsFor(t, table.Queries{}, location, schema, source.Options{Query: query})
}

func openCountsFor(t testing.TB, queries table.Queries, location, schema string, o source.Options) (counts table.Counts, end func()) {
	t.Helper()
	got, end, err := source.Counts(context.Background(), location, tabletest.Schema(t, schema), queries, o)
	if err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(end)
	t.Cleanup(end)
	return got, end
}

// testCounts compares the answers of a database with those of a table in memory with the same rows. If bounded
// is not set, the database cannot bound the rows of persons. Its answers then come from a table in memory.
func testCounts(t *testing.T, location string, enter func(c counted), bounded bool) {
	random := rand.New(rand.NewPCG(8, 9))
	rows := []int{0, 1, 3, 10} // of a person; 0 for a table without persons
	if !bounded {              // the database answers only if there are no persons, so most cases have none
		rows = []int{0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 10}
	}
	for i := range heavy.Pick(4, 12) {
		most := rows[i%len(rows)]
		c := drawCounted(200, most, random)
		enter(c)
		got, end := openCounts(t, location, c.schema, "SELECT * FROM "+countedTable+" -- all")
		if _, memory := got.(*table.Table); memory != (most > 0 && !bounded) {
			t.Fatalf("a table in memory: %v", memory)
		}
		want := tabletest.Scan{Table: c.inMemory(t)}
		tabletest.Agree(t, got, want, heavy.Pick(10, 30), uint64(i))
		end()
		if i%heavy.Pick(2, 1) == 0 {
			c.testRecords(t, location, "SELECT * FROM "+countedTable+" -- all", want, most > 0 && !bounded)
		}
	}
}

// testRecords checks that the distinct records are read if the queries need many passes, and there are few enough
// records or rows. The answers must equal those of want, both if the records are read and if there is one too many.
// all is set if the records must be read for all queries.
func (c counted) testRecords(t *testing.T, location, query string, want tabletest.Scan, all bool) {
	embedded := strings.HasPrefix(location, "sqlite:") || strings.HasPrefix(location, "duckdb:")
	records, rows, columns := want.Len(), len(c.lines), len(want.Sizes())
	if want.Nulls() > 0 {
		records++ // the database also returns a group of the null records
	}
	ones := make([][]int, 2*columns+1)
	for i := range ones {
		ones[i] = []int{i % columns}
	}
	for _, held := range []int{-1, 0, records - 1, records, rows - 1, rows} {
		limit := held
		if held == 0 {
			limit = rows
		}
		for name, of := range map[string]struct {
			queries table.Queries
			read    bool
		}{
			"adaptive": {table.Queries{Any: 1}, rows <= limit || records <= limit && !embedded},
			"sums":     {table.Queries{Sums: true}, rows <= limit || records <= limit || embedded},
			"many":     {table.Queries{Columns: ones}, rows <= limit},
			"few":      {table.Queries{Columns: ones[1:]}, false},
		} {
			got, end := openCountsFor(t, of.queries, location, c.schema, source.Options{Query: query, Held: held})
			if _, memory := got.(*table.Table); memory != (of.read || all) {
				t.Errorf("%s, at most %d records of %d in %d rows: a table in memory: %v", name, held, records, rows, memory)
			}
			if name == "adaptive" && (held == records-1 || held == records || held == rows) {
				tabletest.Agree(t, got, want, 3, uint64(held))
			}
			end()
		}
	}
}

func TestCountsInPostgres(t *testing.T) {
	location, db := openPostgres(t)
	testCounts(t, location, func(c counted) { c.enter(t, db, "NUMERIC(9,2)", "BOOLEAN") }, true)
}

func TestCountsInMySQL(t *testing.T) {
	location, db := openMySQL(t)
	testCounts(t, location, func(c counted) { c.enter(t, db, "NUMERIC(9,2)", "VARCHAR(5)") }, true)
}

// A meter counts the bytes that are read from a connection.
type meter struct {
	net.Conn
	bytes *atomic.Int64
}

func (m meter) Read(b []byte) (int, error) {
	n, err := m.Conn.Read(b)
	m.bytes.Add(int64(n))
	return n, err
}

// TestRecordsAreLimited checks that a server sends at most one record more than may be read.
func TestRecordsAreLimited(t *testing.T) {
	location, _ := openPostgres(t)
	config, err := pgx.ParseConfig(location)
	if err != nil {
		t.Fatal(err)
	}
	var bytes atomic.Int64
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return meter{conn, &bytes}, err
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	var schema strings.Builder
	for _, column := range []string{"a", "b", "c"} {
		fmt.Fprintf(&schema, "[[attribute]]\ncolumn = %q\nother = \"none\"\nvalues = [\"0\"", column)
		for value := 1; value < 64; value++ {
			fmt.Fprintf(&schema, ", \"%d\"", value)
		}
		schema.WriteString("]\n")
	}
	const rows = 4096
	sent := func(held int) int64 {
		before := bytes.Load()
		query := fmt.Sprintf("SELECT i %% 64 AS a, i / 64 AS b, 0 AS c FROM generate_series(0, %d) AS i", rows-1)
		_, end := openCountsFor(t, table.Queries{Any: 1}, "", schema.String(), source.Options{DB: db, Query: query, Held: held})
		end()
		return bytes.Load() - before
	}
	few, all := sent(10), sent(rows)
	if all < 4*rows || few > rows {
		t.Errorf("%d bytes for at most 10 records, %d for all", few, all)
	}
}

func TestCountsInSQLite(t *testing.T) {
	inDirectory(t)
	db := openSQLite(t)
	testCounts(t, "sqlite:counted.db", func(c counted) { c.enter(t, db, "TEXT", "BOOLEAN") }, false)
}

// TestManyCutsInSQLite checks that the values of a column with a thousand cuts are read, and that the counts equal those of a
// table in memory.
func TestManyCutsInSQLite(t *testing.T) {
	inDirectory(t)
	db := openSQLite(t)
	c := drawCounted(300, 0, rand.New(rand.NewPCG(3, 2)))
	var cuts []string
	for i := range 1000 {
		cuts = append(cuts, fmt.Sprint(i-500))
	}
	c.schema += "[[attribute]]\nname = \"fine\"\ncolumn = \"age\"\nother = \"none\"\ncuts = [" + strings.Join(cuts, ", ") + "]\n"
	c.enter(t, db, "TEXT", "BOOLEAN")
	got, _ := openCounts(t, "sqlite:counted.db", c.schema, "SELECT * FROM "+countedTable)
	if _, memory := got.(*table.Table); !memory {
		t.Errorf("the counts are a %T", got)
	}
	tabletest.Agree(t, got, tabletest.Scan{Table: c.inMemory(t)}, 5, 1)
}

// TestNamesInSQLite checks that the table of a query can have each of the names that the generated SQL statements use.
func TestNamesInSQLite(t *testing.T) {
	inDirectory(t)
	db := openSQLite(t)
	c := drawCounted(20, 0, rand.New(rand.NewPCG(3, 1)))
	c.enter(t, db, "TEXT", "BOOLEAN")
	want := tabletest.Scan{Table: c.inMemory(t)}
	names := []string{"a", "t", "CELLS_", "v0", "b", "c", "d", "k", "n", "s", "w", "y", "cells", "t0", "c0", "p0"}
	for _, name := range names[:heavy.Pick(4, len(names))] {
		execute(t, db, "CREATE VIEW "+name+" AS SELECT * FROM "+countedTable)
		got, end := openCounts(t, "sqlite:counted.db", c.schema, "SELECT * FROM "+name)
		tabletest.Agree(t, got, want, 1, 1)
		end()
	}
}

// openSQLite creates a database that can be read while it is written.
func openSQLite(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:counted.db?_pragma=journal_mode(wal)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// testSnapshot changes all rows between two queries of a snapshot. The answers must not change.
func testSnapshot(t *testing.T, location string, db *sql.DB, price, back string) {
	c := drawCounted(100, 0, rand.New(rand.NewPCG(1, 1)))
	c.enter(t, db, price, back)
	got, _ := openCounts(t, location, c.schema, "SELECT * FROM "+countedTable)
	want := tabletest.Scan{Table: c.inMemory(t)}
	tabletest.Agree(t, got, want, 3, 1)
	execute(t, db, "UPDATE "+countedTable+" SET ward = 'a', age = 7", "INSERT INTO "+countedTable+" SELECT * FROM "+countedTable)
	tabletest.Agree(t, got, want, 3, 2)
	now, _ := openCounts(t, location, c.schema, "SELECT * FROM "+countedTable)
	if now.Rows() != 2*want.Rows() {
		t.Errorf("%d rows now", now.Rows())
	}
}

func TestSnapshotInPostgres(t *testing.T) {
	location, db := openPostgres(t)
	testSnapshot(t, location, db, "NUMERIC(9,2)", "BOOLEAN")
}

func TestSnapshotInMySQL(t *testing.T) {
	location, db := openMySQL(t)
	testSnapshot(t, location, db, "NUMERIC(9,2)", "VARCHAR(5)")
}

func TestSnapshotInSQLite(t *testing.T) {
	inDirectory(t)
	testSnapshot(t, "sqlite:counted.db", openSQLite(t), "TEXT", "BOOLEAN")
}

// TestManyValues tests an attribute with so many categories that SQL cannot compare a value with them one by one.
func TestManyValues(t *testing.T) {
	n := heavy.Pick(3000, table.MaxCategories)
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprintf("value %d", i*i)
	}
	s, err := table.NewSchema(table.Schema{Attributes: []table.Attribute{{Column: "v", Values: values}}})
	if err != nil {
		t.Fatal(err)
	}
	want := s.Builder()
	var rows []any
	for i := 0; i < n+40; i += 7 {
		rows = append(rows, fmt.Sprintf("value %d", i*i))
		if i < n {
			err = want.Add([]uint16{uint16(i)}, false, 1)
		} else {
			err = want.AddNull(1)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	many := func(t *testing.T, location string, db *sql.DB, insert string) {
		execute(t, db, "DROP TABLE IF EXISTS "+coded, "CREATE TABLE "+coded+" (v VARCHAR(40))")
		fill(t, db, insert, rows)
		got, err := source.Read(context.Background(), location, s, source.Options{Query: "SELECT v FROM " + coded})
		if err != nil || !got.Equal(want.Table()) {
			t.Errorf("%v", err)
		}
		execute(t, db, "DROP TABLE "+coded)
	}
	t.Run("PostgreSQL", func(t *testing.T) {
		location, db := openPostgres(t)
		many(t, location, db, "INSERT INTO "+coded+" VALUES ($1)")
	})
	t.Run("MySQL", func(t *testing.T) {
		location, db := openMySQL(t)
		many(t, location, db, "INSERT INTO "+coded+" VALUES (?)")
	})
	t.Run("SQLite", func(t *testing.T) {
		inDirectory(t)
		many(t, "sqlite:counted.db", openSQLite(t), "INSERT INTO "+coded+" VALUES (?)")
	})
}

// loopback creates a foreign server that connects to the database itself.
func loopback(t testing.TB, db *sql.DB) {
	t.Helper()
	var options, user string
	err := db.QueryRow("SELECT format('OPTIONS (host %L, port %L, dbname %L)', host(inet_server_addr()), inet_server_port(), current_database()), quote_literal(current_user)").Scan(&options, &user)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, db, "CREATE EXTENSION postgres_fdw", "CREATE SERVER again FOREIGN DATA WRAPPER postgres_fdw "+options,
		"CREATE USER MAPPING FOR CURRENT_USER SERVER again OPTIONS (user "+user+", password 'unused')")
}

// TestCountsOfForeignTable reads rows through a foreign server, which is the same server here.
func TestCountsOfForeignTable(t *testing.T) {
	location, db := openPostgres(t)
	c := drawCounted(200, 0, rand.New(rand.NewPCG(2, 3)))
	c.enter(t, db, "NUMERIC(9,2)", "BOOLEAN")
	far := countedTable + "_far"
	loopback(t, db)
	execute(t, db, "CREATE FOREIGN TABLE "+far+" (person TEXT, ward VARCHAR(9), age INTEGER, price NUMERIC(9,2), ratio DOUBLE PRECISION, score SMALLINT, back BOOLEAN) SERVER again OPTIONS (table_name '"+countedTable+"')")
	got, _ := openCounts(t, location, c.schema, "SELECT * FROM "+far)
	tabletest.Agree(t, got, tabletest.Scan{Table: c.inMemory(t)}, 20, 1)
}
