//go:build duckdb

package main

import (
	"database/sql"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

// DuckDB is tested if it is linked, from directory duckdb:
//
//	go test -tags duckdb -overlay overlay.json -run DuckDB github.com/sibyl-dp/sibyl/cmd/sibyl

func TestExportDuckDB(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.duckdb")
	reopen := func() *sql.DB {
		db, err := sql.Open("duckdb", path)
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	e := &exported{dialect: "duckdb", location: "duckdb://" + path, db: reopen(), reopen: reopen, place: numbered, random: rand.New(rand.NewPCG(14, 0))}
	e.kinds = []string{"VARCHAR", "VARCHAR", "VARCHAR COLLATE NOCASE", "VARCHAR COLLATE NOCASE.NOACCENT", "DECIMAL(30,3)", "BIGINT", "UBIGINT", "HUGEINT", "INTEGER", "DOUBLE", "FLOAT", "BOOLEAN"}
	e.values = func(kind string, texts []string) (values []any) {
		as, _, _ := strings.Cut(kind, " COLLATE")
		for _, text := range texts {
			number := plainNumber.MatchString(text)
			n, err := strconv.ParseInt(text, 10, 32)
			switch {
			case as == "BOOLEAN" && text != "true" && text != "FALSE",
				strings.HasPrefix(as, "DECIMAL") && !number,
				(as == "DOUBLE" || as == "FLOAT") && !number && !slices.Contains([]string{"NaN", "+Inf", "-Inf", "1e3", "1e20", "1e-7", "1.5e30"}, text),
				strings.Contains(as, "INT") && (err != nil || as == "UBIGINT" && n < 0):
			default:
				values = append(values, typedText{text, as})
			}
		}
		return values
	}
	exportedModels(t, e.random, heavy.Pick(4, 40), func(name string, made func() *model.Model) { e.hold(t, name, made()) })
	e.counts.log(t, e.dialect)
	e.hold(t, "constant", constantModel(t))
	e.db.Close()
}
