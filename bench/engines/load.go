package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/table"
)

const tableName = "engines_rows"

// A column is a column of the CSV file. It is an integer column if the schema has cuts for it and all its values are
// integers; otherwise it is a text column.
type column struct {
	name  string
	whole bool
}

func columnsOf(csvPath, schemaPath string) ([]column, error) {
	text, err := os.ReadFile(schemaPath)
	if err != nil {
		return nil, err
	}
	s, err := table.ParseSchema(schemaPath, strings.NewReader(string(text)))
	if err != nil {
		return nil, err
	}
	file, err := os.Open(csvPath)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := csv.NewReader(bufio.NewReaderSize(file, 1<<20))
	names, err := lines.Read()
	if err != nil {
		return nil, err
	}
	var columns []column
	for _, name := range names {
		columns = append(columns, column{name, slices.ContainsFunc(s.Attributes, func(a table.Attribute) bool { return a.Column == name && len(a.Cuts) > 0 })})
	}
	lines.ReuseRecord = true
	for {
		row, err := lines.Read()
		if err == io.EOF {
			return columns, nil
		} else if err != nil {
			return nil, err
		}
		for i, field := range row {
			if columns[i].whole {
				_, err := strconv.ParseInt(field, 10, 64)
				columns[i].whole = err == nil
			}
		}
	}
}

// create returns the SQL statement that creates the table in a database. The parameters are the database's quotation
// mark for names, and its SQL types of integer and text columns.
func create(columns []column, quote, integerType, textType string) string {
	var all []string
	for _, c := range columns {
		kind := textType
		if c.whole {
			kind = integerType
		}
		all = append(all, quote+c.name+quote+" "+kind)
	}
	return "CREATE TABLE " + tableName + " (" + strings.Join(all, ", ") + ")"
}

func loadSQLite(path, csvPath string, columns []column) (location string, err error) {
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)")
	if err != nil {
		return "", err
	}
	defer db.Close()
	if _, err := db.Exec(create(columns, `"`, "INTEGER", "TEXT")); err != nil {
		return "", err
	}
	tx, err := db.Begin()
	if err != nil {
		return "", err
	}
	insert, err := tx.Prepare("INSERT INTO " + tableName + " VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")")
	if err != nil {
		return "", err
	}
	file, err := os.Open(csvPath)
	if err != nil {
		return "", err
	}
	defer file.Close()
	lines := csv.NewReader(bufio.NewReaderSize(file, 1<<20))
	lines.ReuseRecord = true
	values := make([]any, len(columns))
	for n := 0; ; n++ {
		row, err := lines.Read()
		if err == io.EOF {
			break
		} else if err != nil {
			return "", err
		}
		if n == 0 {
			continue
		}
		for i, field := range row {
			values[i] = field
		}
		if _, err := insert.Exec(values...); err != nil {
			return "", err
		}
	}
	return "sqlite://" + path, tx.Commit()
}

func loadDuckDB(path, csvPath string, columns []column) (location string, err error) {
	db, err := sql.Open("duckdb", path)
	if err != nil {
		return "", err
	}
	defer db.Close()
	if _, err := db.Exec(create(columns, `"`, "BIGINT", "VARCHAR")); err != nil {
		return "", err
	}
	_, err = db.Exec("COPY " + tableName + " FROM '" + csvPath + "' (FORMAT csv, HEADER)")
	return "duckdb://" + path, err
}

func loadPostgres(location, csvPath string, columns []column) error {
	return withServer(location, func(db *sql.DB) error {
		if err := renew(db, create(columns, `"`, "bigint", "text")); err != nil {
			return err
		}
		file, err := os.Open(csvPath)
		if err != nil {
			return err
		}
		defer file.Close()
		return copyIn(db, "COPY "+tableName+" FROM STDIN (FORMAT csv, HEADER)", file)
	})
}

// withServer opens the database of a server, calls do with it and closes it.
func withServer(location string, do func(db *sql.DB) error) error {
	u, err := database.Parse(location)
	if err != nil {
		return err
	}
	db, err := u.Open(nil)
	if err != nil {
		return err
	}
	defer db.Close()
	return do(db)
}

// renew drops the table if it exists, and then executes the given statements, which create it again.
func renew(db *sql.DB, statements ...string) error {
	for _, statement := range append([]string{"DROP TABLE IF EXISTS " + tableName}, statements...) {
		if _, err := db.Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// copyIn executes a PostgreSQL COPY statement that reads its rows from input. Then it updates the statistics of the
// query planner.
func copyIn(db *sql.DB, statement string, input io.Reader) error {
	conn, err := db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	err = conn.Raw(func(driver any) error {
		_, err := driver.(*stdlib.Conn).Conn().PgConn().CopyFrom(context.Background(), input, statement)
		return err
	})
	if err == nil {
		_, err = conn.ExecContext(context.Background(), "VACUUM ANALYZE "+tableName)
	}
	return err
}

func loadMySQL(location, csvPath string, columns []column) error {
	return withServer(location, func(db *sql.DB) error {
		if err := renew(db, create(columns, "`", "BIGINT", "VARCHAR(40)")); err != nil {
			return err
		}
		file, err := os.Open(csvPath)
		if err != nil {
			return err
		}
		defer file.Close()
		mysql.RegisterReaderHandler("rows", func() io.Reader { return bufio.NewReaderSize(file, 1<<20) })
		_, err = db.Exec("LOAD DATA LOCAL INFILE 'Reader::rows' INTO TABLE " + tableName + " FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' LINES TERMINATED BY '\\n' IGNORE 1 LINES")
		if err == nil {
			_, err = db.Exec("ANALYZE TABLE " + tableName)
		}
		return err
	})
}

// loadSharded distributes the rows over several PostgreSQL servers. The first server gets a table that is partitioned
// by the column shard: one partition has its own rows, and the others are foreign tables on the other servers. All
// connections pass through proxies that count the bytes. loadSharded returns the URL of the first server's proxy, and
// the proxies of all servers in their order.
func loadSharded(servers []string, csvPath string, columns []column) (through string, wires []*wire, err error) {
	first, through, err := wireTo(servers[0])
	if err != nil {
		return "", nil, err
	}
	wires = []*wire{first}
	definitions := strings.TrimSuffix(strings.TrimPrefix(create(columns, `"`, "bigint", "text"), "CREATE TABLE "+tableName+" ("), ")")
	layout := []string{
		"CREATE EXTENSION IF NOT EXISTS postgres_fdw",
		"CREATE TABLE " + tableName + " (shard int NOT NULL, " + definitions + ") PARTITION BY LIST (shard)",
		"CREATE TABLE " + tableName + "_0 PARTITION OF " + tableName + " FOR VALUES IN (0)",
	}
	for i, server := range servers[1:] {
		u, err := url.Parse(server)
		if err != nil {
			return "", nil, err
		}
		err = withServer(server, func(db *sql.DB) error {
			return renew(db, "CREATE TABLE "+tableName+" (shard int NOT NULL DEFAULT "+fmt.Sprint(i+1)+", "+definitions+")")
		})
		if err != nil {
			return "", nil, err
		}
		w, _, err := wireTo(server)
		if err != nil {
			return "", nil, err
		}
		wires = append(wires, w)
		name, password := u.User.Username(), "x"
		if given, ok := u.User.Password(); ok {
			password = given
		}
		layout = append(layout,
			fmt.Sprintf("DROP SERVER IF EXISTS engines_%d CASCADE", i+1),
			fmt.Sprintf("CREATE SERVER engines_%d FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '127.0.0.1', port '%d', dbname '%s', use_remote_estimate 'true', fetch_size '50000', async_capable 'true')", i+1, w.port, strings.TrimPrefix(u.Path, "/")),
			fmt.Sprintf("CREATE USER MAPPING FOR CURRENT_USER SERVER engines_%d OPTIONS (user '%s', password '%s')", i+1, name, password),
			fmt.Sprintf("CREATE FOREIGN TABLE %s_%d PARTITION OF %[1]s FOR VALUES IN (%[2]d) SERVER engines_%[2]d OPTIONS (table_name '%[1]s')", tableName, i+1),
		)
	}
	err = withServer(servers[0], func(db *sql.DB) error { return renew(db, layout...) })
	if err != nil {
		return "", nil, err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = `"` + c.name + `"`
	}
	for i, server := range servers {
		into, list := tableName, strings.Join(names, ", ")
		if i == 0 {
			into = tableName + "_0"
			list = "shard, " + list
		}
		err := withServer(server, func(db *sql.DB) error {
			r, w := io.Pipe()
			go func() { w.CloseWithError(writeShard(w, csvPath, i, len(servers))) }()
			return copyIn(db, "COPY "+into+" ("+list+") FROM STDIN (FORMAT csv)", r)
		})
		if err != nil {
			return "", nil, err
		}
	}
	return through, wires, withServer(servers[0], func(db *sql.DB) error {
		_, err := db.Exec("ANALYZE " + tableName)
		return err
	})
}

// writeShard writes every n-th row of the file as CSV, beginning with row i (rows are counted from 0). This is shard
// i of n. The rows of shard 0 have an additional first column with the number of the shard.
func writeShard(w io.Writer, csvPath string, i, n int) error {
	file, err := os.Open(csvPath)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriterSize(w, 1<<20)
	lines := bufio.NewScanner(bufio.NewReaderSize(file, 1<<20))
	for line := -1; lines.Scan(); line++ {
		if line < 0 || line%n != i {
			continue
		}
		if i == 0 {
			out.WriteString("0,")
		}
		out.Write(lines.Bytes())
		out.WriteByte('\n')
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return out.Flush()
}
