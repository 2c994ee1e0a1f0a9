package pushdown

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	_ "github.com/sibyl-dp/sibyl/internal/testing/smallheap"
)

// typeOf returns the dialect's type of that name, or ends the test.
func typeOf(t testing.TB, d *database.Dialect, name string) database.Type {
	t.Helper()
	of, ok := d.Type(name)
	if !ok {
		t.Fatalf("%s does not know %s", d.Name, name)
	}
	return of
}

// TestCoded lists the types of columns that SQL encodes. Without it, a column that silently falls
// back to encoding in Go would go unnoticed.
func TestCoded(t *testing.T) {
	values := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\nvalues = [\"12\", \"a\"]")
	cuts := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\ncuts = [0.5, 12]")
	long := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\ncuts = [0.000000000000001, 120]")
	days := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\nvalues = [\"2024-02-29\"]")
	moments := tabletest.Schema(t, "[[attribute]]\ncolumn = \"v\"\nvalues = [\"2024-02-29T12:00:00.5Z\"]")
	for _, c := range []struct {
		dialect *database.Dialect
		types   string
		schema  *table.Schema
		want    bool
	}{
		{database.PostgreSQL, "TEXT VARCHAR BPCHAR UUID NUMERIC INT2 INT4 INT8 FLOAT4 FLOAT8 BOOL BYTEA JSON", values, true},
		{database.PostgreSQL, "DATE TIMESTAMP", values, false},
		{database.PostgreSQL, "DATE", days, true},
		{database.PostgreSQL, "TIMESTAMP TIMESTAMPTZ", moments, true},
		{database.PostgreSQL, "TEXT NUMERIC INT8 FLOAT4 FLOAT8 BOOL BYTEA DATE TIMESTAMPTZ", cuts, true},
		{database.PostgreSQL, "NUMERIC INT8 FLOAT8", long, true},
		{database.PostgreSQL, "TEXT BYTEA", long, false},
		{database.SQLite, "INTEGER REAL TEXT BLOB BOOLEAN VARCHAR(9)", values, true},
		{database.SQLite, "INTEGER REAL TEXT BLOB BOOLEAN", cuts, true},
		{database.SQLite, "DATE DATETIME TIMESTAMP", values, false},
		{database.SQLite, "INTEGER", long, false},
		{database.MySQL, "VARCHAR DECIMAL BIGINT VARBINARY", values, true},
		{database.MySQL, "DECIMAL BIGINT", cuts, true},
	} {
		for _, name := range strings.Fields(c.types) {
			r := New(c.dialect, "SELECT v FROM t", c.schema, map[string]database.Type{"v": typeOf(t, c.dialect, name)})
			if r.Coded() != c.want {
				t.Errorf("%s, %s, %+v: %v", c.dialect.Name, name, c.schema.Attributes[0], r.Coded())
			}
			if collapsed := r.Collapsed(); c.want != (len(collapsed.Columns) == 0 && len(collapsed.Keys) == 1) {
				t.Errorf("%s, %s: %+v", c.dialect.Name, name, collapsed)
			}
		}
	}
}

// TestCover checks that one set contains all axes of each marginal, and that sets larger than a
// marginal have few cells.
func TestCover(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var axes []table.Axis
	for j := range 40 {
		axes = append(axes, table.Axis{Column: j, Size: 1 + random.IntN(60)})
	}
	for range 50 {
		var of [][]int
		for range 1 + random.IntN(200) {
			of = append(of, random.Perm(len(axes))[:1+random.IntN(4)])
		}
		seen := make([]int, len(of))
		for _, s := range cover(axes, of) {
			cells, largest := int64(1), int64(0)
			for _, a := range s.axes {
				cells *= int64(axes[a].Size)
			}
			for _, sub := range s.of {
				seen[sub.at]++
				own := int64(1)
				for _, a := range sub.axes {
					own *= int64(axes[a].Size)
					if !slices.Contains(s.axes, a) {
						t.Fatalf("%v is not in %v", sub.axes, s.axes)
					}
				}
				if !slices.Equal(sub.axes, of[sub.at]) {
					t.Fatalf("%v became %v", of[sub.at], sub.axes)
				}
				largest = max(largest, own)
			}
			if cells != s.cells || cells > max(mostCells, largest) {
				t.Fatalf("%d cells, said to be %d; the largest sub-table has %d", cells, s.cells, largest)
			}
		}
		if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Fatalf("sub-tables lie in so many sets: %v", seen)
		}
	}
}

// TestPairsShareSets checks that few sets cover all pairs of 20 columns.
func TestPairsShareSets(t *testing.T) {
	var axes []table.Axis
	var of [][]int
	for j := range 20 {
		axes = append(axes, table.Axis{Column: j, Size: 8})
		for i := range j {
			of = append(of, []int{i, j})
		}
	}
	if n := len(cover(axes, of)); n > 60 {
		t.Errorf("%d sets of %d pairs", n, len(of))
	}
}

// TestCellsFit checks that the bytes of a row can hold all cells of an axis.
func TestCellsFit(t *testing.T) {
	var values []string
	for i := range table.MaxCategories {
		values = append(values, whole(int64(i)))
	}
	s, err := table.NewSchema(table.Schema{Attributes: []table.Attribute{{Column: "v", Values: values}}})
	if err != nil {
		t.Fatal(err)
	}
	r := New(database.PostgreSQL, "SELECT v FROM t", s, map[string]database.Type{"v": typeOf(t, database.PostgreSQL, "INT8")})
	for size, want := range map[int]string{2: "int2", 32768: "int2", 32769: "int8", len(values): "int8"} {
		cells := make([]uint16, len(values))
		for code := range cells {
			cells[code] = uint16(code % size)
		}
		m := r.Marginals([][]table.Axis{{{Column: 0, Cells: cells, Size: size}}})[0]
		if !strings.Contains(m.Statement, " AS pg_catalog."+want+") AS a0") {
			t.Errorf("%d cells are no %s", size, want)
		}
	}
}

// TestKeys checks that a key holds as many attributes as fit into 63 bits, and that their codes can
// be decoded.
func TestKeys(t *testing.T) {
	var c Collapsed
	sizes := []int64{65535, 65535, 65535, 32767, 2, 1, 65535, 3, 3}
	for j, size := range sizes {
		c.enter(j, size)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		want, got := make([]uint16, len(sizes)), make([]uint16, len(sizes))
		for j, size := range sizes {
			want[j] = uint16(random.Int64N(size))
			if random.IntN(2) == 0 {
				want[j] = uint16(size - 1)
			}
		}
		for _, k := range c.Keys {
			n := int64(0)
			for i, j := range k.Attributes {
				if n = n*k.sizes[i] + int64(want[j]); n < 0 {
					t.Fatalf("too much in %v", k)
				}
			}
			k.Codes(n, got)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v, not %v", got, want)
		}
	}
	if len(c.Keys) != 2 {
		t.Errorf("%d keys", len(c.Keys))
	}
}

// TestStatement compares SQL statements with golden files.
func TestStatement(t *testing.T) {
	s := tabletest.Schema(t, `
[label]
column = "y"
positive = ["yes"]
negative = ["no"]
[[attribute]]
column = "age"
cuts = [18, 65.5]
[[attribute]]
column = "city"
groups = { south = ["Roma", "Napoli"], north = ["Bern"] }
other = "elsewhere"
`)
	types := map[string]database.Type{"age": typeOf(t, database.PostgreSQL, "INT4"), "city": typeOf(t, database.PostgreSQL, "TEXT"), "y": typeOf(t, database.PostgreSQL, "TEXT")}
	r := New(database.PostgreSQL, "SELECT * FROM people", s, types)
	of := [][]table.Axis{{{Column: 0, Size: 3}, {Column: 2, Size: 2}}, {{Column: 1, Cells: []uint16{0, 0, 1}, Size: 2}}}
	all := []string{r.Collapsed().Statement, r.Sizes(), r.Totals(table.Card{Points: [][]int64{{0, 1, 1}, {-2, 3, 0}}})}
	duck := New(database.DuckDB, "SELECT * FROM people", s, map[string]database.Type{"age": typeOf(t, database.DuckDB, "INTEGER"), "city": typeOf(t, database.DuckDB, "VARCHAR"), "y": typeOf(t, database.DuckDB, "VARCHAR")})
	for _, m := range append(r.Marginals(of), duck.Marginals(of)...) {
		all = append(all, m.Statement)
	}
	want := []string{
		`SELECT k0, pg_catalog.count(*) FROM (SELECT ((((CAST(CASE WHEN v0 IS NOT NULL THEN CASE WHEN (v0 OPERATOR(pg_catalog.<) 66) THEN CASE WHEN (v0 OPERATOR(pg_catalog.<) 18) THEN 0 ELSE 1 END ELSE 2 END ELSE NULL END AS pg_catalog.int8) OPERATOR(pg_catalog.*) 3) OPERATOR(pg_catalog.+) CAST(CASE WHEN t1 OPERATOR(pg_catalog.=) 'Roma' THEN 0 WHEN t1 OPERATOR(pg_catalog.=) 'Napoli' THEN 0 WHEN t1 OPERATOR(pg_catalog.=) 'Bern' THEN 1 ELSE 2 END AS pg_catalog.int8)) OPERATOR(pg_catalog.*) 2) OPERATOR(pg_catalog.+) CAST(CASE WHEN t2 OPERATOR(pg_catalog.=) 'no' THEN 0 WHEN t2 OPERATOR(pg_catalog.=) 'yes' THEN 1 ELSE NULL END AS pg_catalog.int8)) AS k0 FROM (SELECT v0, (CAST(v0 AS pg_catalog.text) COLLATE pg_catalog."C") AS t0, v1, (CAST(v1 AS pg_catalog.text) COLLATE pg_catalog."C") AS t1, v2, (CAST(v2 AS pg_catalog.text) COLLATE pg_catalog."C") AS t2 FROM (SELECT "age" AS v0, "city" AS v1, "y" AS v2 FROM (SELECT * FROM people
) AS t OFFSET 0) AS t OFFSET 0) AS t) AS b GROUP BY k0`,
		`SELECT pg_catalog.count(CASE WHEN TRUE THEN 1 END), (pg_catalog.count(CASE WHEN TRUE THEN 1 END) OPERATOR(pg_catalog.-) pg_catalog.count(CASE WHEN (v0 IS NOT NULL) AND (t2 OPERATOR(pg_catalog.=) ANY (ARRAY['no', 'yes'])) THEN 1 END)) FROM (SELECT v0, (CAST(v0 AS pg_catalog.text) COLLATE pg_catalog."C") AS t0, v1, (CAST(v1 AS pg_catalog.text) COLLATE pg_catalog."C") AS t1, v2, (CAST(v2 AS pg_catalog.text) COLLATE pg_catalog."C") AS t2 FROM (SELECT "age" AS v0, "city" AS v1, "y" AS v2 FROM (SELECT * FROM people
) AS t OFFSET 0) AS t OFFSET 0) AS t`,
		`SELECT total, y, pg_catalog.count(*) FROM (SELECT (CAST(CASE WHEN v0 IS NOT NULL THEN CASE WHEN (v0 OPERATOR(pg_catalog.<) 18) THEN 0 ELSE 1 END ELSE NULL END AS pg_catalog.int8) OPERATOR(pg_catalog.+) CAST(CASE WHEN t1 OPERATOR(pg_catalog.=) 'Roma' THEN -2 WHEN t1 OPERATOR(pg_catalog.=) 'Napoli' THEN -2 WHEN t1 OPERATOR(pg_catalog.=) 'Bern' THEN 3 ELSE 0 END AS pg_catalog.int8)) AS total, CAST(CASE WHEN t2 OPERATOR(pg_catalog.=) 'no' THEN 0 WHEN t2 OPERATOR(pg_catalog.=) 'yes' THEN 1 ELSE NULL END AS pg_catalog.int8) AS y FROM (SELECT v0, (CAST(v0 AS pg_catalog.text) COLLATE pg_catalog."C") AS t0, v1, (CAST(v1 AS pg_catalog.text) COLLATE pg_catalog."C") AS t1, v2, (CAST(v2 AS pg_catalog.text) COLLATE pg_catalog."C") AS t2 FROM (SELECT "age" AS v0, "city" AS v1, "y" AS v2 FROM (SELECT * FROM people
) AS t OFFSET 0) AS t OFFSET 0) AS t WHERE (v0 IS NOT NULL) AND (t2 OPERATOR(pg_catalog.=) ANY (ARRAY['no', 'yes']))) AS b GROUP BY total, y`,
		`WITH cells AS MATERIALIZED (SELECT CAST(CASE WHEN v0 IS NOT NULL THEN CASE WHEN (v0 OPERATOR(pg_catalog.<) 66) THEN CASE WHEN (v0 OPERATOR(pg_catalog.<) 18) THEN 0 ELSE 1 END ELSE 2 END ELSE NULL END AS pg_catalog.int2) AS a0, CAST(CASE WHEN t2 OPERATOR(pg_catalog.=) 'no' THEN 0 WHEN t2 OPERATOR(pg_catalog.=) 'yes' THEN 1 ELSE NULL END AS pg_catalog.int2) AS a1, CAST(CASE WHEN t1 OPERATOR(pg_catalog.=) ANY (ARRAY['Roma', 'Napoli', 'Bern']) THEN 0 ELSE 1 END AS pg_catalog.int2) AS a2 FROM (SELECT v0, (CAST(v0 AS pg_catalog.text) COLLATE pg_catalog."C") AS t0, v1, (CAST(v1 AS pg_catalog.text) COLLATE pg_catalog."C") AS t1, v2, (CAST(v2 AS pg_catalog.text) COLLATE pg_catalog."C") AS t2 FROM (SELECT "age" AS v0, "city" AS v1, "y" AS v2 FROM (SELECT * FROM people
) AS t OFFSET 0) AS t OFFSET 0) AS t WHERE (v0 IS NOT NULL) AND (t2 OPERATOR(pg_catalog.=) ANY (ARRAY['no', 'yes']))) SELECT k, pg_catalog.count(*) FROM (SELECT (0 OPERATOR(pg_catalog.+) ((((CAST(a0 AS pg_catalog.int8) OPERATOR(pg_catalog.*) 2) OPERATOR(pg_catalog.+) a1) OPERATOR(pg_catalog.*) 2) OPERATOR(pg_catalog.+) a2)) AS k FROM cells) AS b GROUP BY k`,
		`SELECT k, count(*) FROM (SELECT CASE s WHEN 0 THEN (0 + ((((CAST(a0 AS BIGINT) * 2) + a1) * 2) + a2)) END AS k FROM (SELECT CAST(CASE WHEN v0 IS NOT NULL THEN CASE WHEN (v0 < 66) THEN CASE WHEN (v0 < 18) THEN 0 ELSE 1 END ELSE 2 END ELSE NULL END AS BIGINT) AS a0, CAST(list_extract(CAST([0, 1] AS BIGINT[]), enum_code(TRY_CAST(t2 AS ENUM ('no', 'yes'))) + 1) AS BIGINT) AS a1, CAST(COALESCE(list_extract(CAST([0, 0, 0] AS BIGINT[]), enum_code(TRY_CAST(t1 AS ENUM ('Roma', 'Napoli', 'Bern'))) + 1), 1) AS BIGINT) AS a2 FROM (SELECT v0, (CAST(v0 AS VARCHAR) COLLATE C) AS t0, v1, (CAST(v1 AS VARCHAR) COLLATE C) AS t1, v2, (CAST(v2 AS VARCHAR) COLLATE C) AS t2 FROM (SELECT "age" AS v0, "city" AS v1, "y" AS v2 FROM (SELECT * FROM people
) AS t) AS t) AS t WHERE (v0 IS NOT NULL) AND (enum_code(TRY_CAST(t2 AS ENUM ('no', 'yes'))) IS NOT NULL) ) AS a CROSS JOIN (SELECT 0 AS s) AS n) AS b GROUP BY k`,
	}
	for i := range all {
		if i >= len(want) || all[i] != want[i] {
			t.Errorf("got\n%s", all[i])
		}
	}
}
