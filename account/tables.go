package account

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A user who may create objects in the database of an account can change the effect of an SQL statement, for example
// by a trigger, a rule, a policy, a view in place of a table, a constraint that ignores conflicts, or an index on a
// function. Therefore each transaction checks that the tables are exactly as create makes them, and that no other
// object is attached to them. Each write is verified by a read before the commit.

// create creates the tables of an account in its database, and inserts the first event of the account.
func (t session) create(ctx context.Context, first line) error {
	for _, table := range tables {
		if _, err := t.conn.ExecContext(ctx, "CREATE TABLE "+t.schema+"."+table.name+" "+table.columns); err != nil {
			return err
		}
	}
	if _, err := t.conn.ExecContext(ctx, "INSERT INTO "+t.schema+".sibyl_account VALUES (1, $1, $2, $3)", format, first.sequence, first.hash); err != nil {
		return err
	}
	if err := t.insert(ctx, first); err != nil {
		return err
	}
	return t.readBack(ctx, first)
}

// tables are the names and the column definitions of an account's tables. SQLite stores each definition verbatim, so
// asMadeSQLite can compare the texts.
var tables = []struct{ name, columns string }{
	{"sibyl_account", "(only_row BIGINT PRIMARY KEY CHECK (only_row = 1), format TEXT NOT NULL, sequence BIGINT NOT NULL, hash TEXT NOT NULL)"},
	{"sibyl_account_event", "(sequence BIGINT PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL)"},
}

// asMade returns ErrTampered if the definitions of the tables differ from those that create writes, or if other
// objects, such as triggers, are attached to the tables.
func (t session) asMade(ctx context.Context) error {
	if t.url.Dialect() == database.SQLite {
		return t.asMadeSQLite(ctx)
	}
	return t.asMadePostgreSQL(ctx)
}

// foreign returns ErrTampered for a database object, such as a trigger, that does not belong to an account. The
// parameter owner names the table or file that contains the object.
func (t session) foreign(kind, name, owner string) error {
	return t.tampered(nil, fmt.Sprintf("%s has the %s %s, which does not belong to an account; remove it, and find out who created it", owner, kind, quote.Word(name)))
}

// asMadeSQLite checks that the file contains exactly the objects of an account. For this it compares the statements
// that created the objects, which SQLite stores.
func (t session) asMadeSQLite(ctx context.Context) error {
	type object struct {
		kind, name string
		sql        sql.NullString
	}
	made := map[object]bool{}
	for _, table := range tables {
		made[object{"table", table.name, sql.NullString{String: "CREATE TABLE " + table.name + " " + table.columns, Valid: true}}] = false
		made[object{"index", "sqlite_autoindex_" + table.name + "_1", sql.NullString{}}] = false
	}
	rows, err := t.conn.QueryContext(ctx, "SELECT type, name, sql FROM main.sqlite_schema")
	if err != nil {
		return t.tampered(err, "the list of its objects cannot be read")
	}
	defer rows.Close()
	for rows.Next() {
		var o object
		if err := rows.Scan(&o.kind, &o.name, &o.sql); err != nil {
			return t.tampered(err, "the list of its objects cannot be read")
		}
		again, known := made[o]
		switch {
		case !known && slices.ContainsFunc(tables, func(t struct{ name, columns string }) bool { return t.name == o.name }):
			return t.tampered(nil, fmt.Sprintf("the definition of the %s %s is not that of an account", o.kind, o.name))
		case !known || again:
			return t.foreign(o.kind, o.name, "the file")
		}
		made[o] = true
	}
	if err := rows.Err(); err != nil {
		return t.tampered(err, "the list of its objects cannot be read")
	}
	for o, found := range made {
		if !found {
			return t.tampered(nil, fmt.Sprintf("the %s %s is missing", o.kind, o.name))
		}
	}
	return nil
}

// asMadePostgreSQL checks that the two tables have exactly the columns and constraints of an account, and that the
// catalog attaches no other object to them. It compares types by their names and constraints by their texts.
func (t session) asMadePostgreSQL(ctx context.Context) error {
	rows, err := t.conn.QueryContext(ctx, `
WITH tables AS (
	SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE n.nspname = $1 AND c.relname IN ('sibyl_account', 'sibyl_account_event')
)
SELECT relname, kind, name FROM tables CROSS JOIN LATERAL (
	SELECT CASE relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' ELSE 'relation of another kind' END
		|| CASE relpersistence WHEN 'p' THEN '' ELSE ' that a crash empties' END
		|| CASE WHEN reloftype = 0 AND NOT relispartition THEN '' ELSE ' that is part of another object' END, relname::text
	UNION ALL SELECT 'row security', relname WHERE relrowsecurity OR relforcerowsecurity
	UNION ALL SELECT 'access method', amname FROM pg_am WHERE pg_am.oid = relam AND amname <> 'heap'
	UNION ALL SELECT 'policy', polname FROM pg_policy WHERE polrelid = tables.oid
	UNION ALL SELECT 'trigger', tgname FROM pg_trigger WHERE tgrelid = tables.oid
	UNION ALL SELECT 'rule', rulename FROM pg_rewrite WHERE ev_class = tables.oid
	UNION ALL SELECT 'inheriting table', inhrelid::regclass::text FROM pg_inherits WHERE inhparent = tables.oid
	UNION ALL SELECT 'inherited table', inhparent::regclass::text FROM pg_inherits WHERE inhrelid = tables.oid
	UNION ALL SELECT 'index', indexrelid::regclass::text FROM pg_index WHERE indrelid = tables.oid AND NOT indisprimary
	UNION ALL SELECT 'constraint', pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = tables.oid AND contype <> 'n'
	UNION ALL SELECT 'column', attname || ' ' || format_type(atttypid, atttypmod)
		|| CASE WHEN attnotnull THEN '' ELSE ' null' END || CASE WHEN atthasdef OR attidentity <> '' OR attgenerated <> '' THEN ' default' ELSE '' END
		FROM pg_attribute WHERE attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
) objects (kind, name)`, t.namespace)
	if err != nil {
		return t.tampered(err, "the definitions of its tables cannot be read")
	}
	defer rows.Close()
	type object struct{ of, kind, name string }
	made := map[object]bool{
		{"sibyl_account", "table", "sibyl_account"}:                     false,
		{"sibyl_account", "column", "only_row bigint"}:                  false,
		{"sibyl_account", "column", "format text"}:                      false,
		{"sibyl_account", "column", "sequence bigint"}:                  false,
		{"sibyl_account", "column", "hash text"}:                        false,
		{"sibyl_account", "constraint", "PRIMARY KEY (only_row)"}:       false,
		{"sibyl_account", "constraint", "CHECK ((only_row = 1))"}:       false,
		{"sibyl_account_event", "table", "sibyl_account_event"}:         false,
		{"sibyl_account_event", "column", "sequence bigint"}:            false,
		{"sibyl_account_event", "column", "body text"}:                  false,
		{"sibyl_account_event", "column", "hash text"}:                  false,
		{"sibyl_account_event", "constraint", "PRIMARY KEY (sequence)"}: false,
	}
	for rows.Next() {
		var o object
		if err := rows.Scan(&o.of, &o.kind, &o.name); err != nil {
			return t.tampered(err, "the definitions of its tables cannot be read")
		}
		if _, known := made[o]; !known {
			return t.foreign(o.kind, o.name, o.of)
		}
		made[o] = true
	}
	if err := rows.Err(); err != nil {
		return t.tampered(err, "the definitions of its tables cannot be read")
	}
	for o, found := range made {
		if !found {
			return t.tampered(nil, fmt.Sprintf("%s lacks the %s %s", o.of, o.kind, o.name))
		}
	}
	return nil
}
