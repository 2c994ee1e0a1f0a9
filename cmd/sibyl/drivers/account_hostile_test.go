package drivers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/account"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A hostile is an object that another user has created in the database of an account, given by the SQL
// statements that create it. The account must not be used while the object exists.
type hostile struct {
	name       string
	statements []string
}

// harms are the changes that a trigger can make to an entry.
var harms = map[string]string{
	"lose":  "DELETE FROM sibyl_account_event WHERE sequence > 0",
	"reset": "UPDATE sibyl_account SET sequence = 0, hash = (SELECT hash FROM sibyl_account_event WHERE sequence = 0)",
	"blank": "UPDATE sibyl_account_event SET body = ''",
	"none":  "SELECT 1",
}

// hostilesSQLite returns triggers of every kind, and other objects.
func hostilesSQLite() []hostile {
	all := []hostile{
		{"table", []string{"CREATE TABLE other (x)"}},
		{"view", []string{"CREATE VIEW other AS SELECT * FROM sibyl_account"}},
		{"index", []string{"CREATE INDEX other ON sibyl_account_event (hash)"}},
		{"partial unique index", []string{"CREATE UNIQUE INDEX other ON sibyl_account_event (1) WHERE sequence > 1"}},
		{"virtual table", []string{"CREATE VIRTUAL TABLE other USING fts5 (x)"}},
		{"column", []string{"ALTER TABLE sibyl_account_event ADD COLUMN other TEXT"}},
		{"generated column", []string{"ALTER TABLE sibyl_account ADD COLUMN other TEXT AS (hash)"}},
		{"statistics", []string{"ANALYZE"}},
	}
	for _, of := range []string{"sibyl_account", "sibyl_account_event"} {
		other := map[string]string{"sibyl_account": "SELECT only_row, format, 0 AS sequence, hash FROM old", "sibyl_account_event": "SELECT * FROM old WHERE sequence = 0"}[of]
		all = append(all,
			hostile{"view for " + of, []string{"ALTER TABLE " + of + " RENAME TO old", "CREATE VIEW " + of + " AS " + other,
				"CREATE TRIGGER t INSTEAD OF INSERT ON " + of + " BEGIN SELECT 1; END", "CREATE TRIGGER u INSTEAD OF UPDATE ON " + of + " BEGIN SELECT 1; END"}},
			hostile{"copy of " + of, []string{"ALTER TABLE " + of + " RENAME TO old", "CREATE TABLE " + of + " AS SELECT * FROM old", "DROP TABLE old"}},
		)
		for _, clause := range []string{"IGNORE", "REPLACE"} {
			all = append(all, hostile{of + " on conflict " + clause, []string{
				"PRAGMA writable_schema = 1",
				"UPDATE sqlite_schema SET sql = replace(sql, 'PRIMARY KEY', 'PRIMARY KEY ON CONFLICT " + clause + "') WHERE name = '" + of + "'",
			}})
		}
		for _, when := range []string{"BEFORE", "AFTER"} {
			for _, what := range []string{"INSERT", "UPDATE", "DELETE"} {
				for name, harm := range harms {
					all = append(all, hostile{"trigger " + when + " " + what + " ON " + of + ": " + name,
						[]string{"CREATE TRIGGER other " + when + " " + what + " ON " + of + " BEGIN " + harm + "; END"}})
				}
				all = append(all, hostile{"trigger " + when + " " + what + " ON " + of + ": ignore",
					[]string{"CREATE TRIGGER other " + when + " " + what + " ON " + of + " BEGIN SELECT RAISE(IGNORE); END"}})
			}
		}
	}
	return all
}

// hostilesPostgreSQL returns such objects for PostgreSQL, and also rules, policies, inheriting tables
// and constraints. In the short form, each kind of trigger and rule has only one of the harms.
func hostilesPostgreSQL() []hostile {
	const function = "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF pg_trigger_depth() = 1 THEN %s; END IF; RETURN %s; END$$"
	all := []hostile{
		{"heir", []string{"CREATE TABLE other () INHERITS (sibyl_account_event)", "INSERT INTO other SELECT 1, '', ''"}},
		{"heir of the head", []string{"CREATE TABLE other () INHERITS (sibyl_account)", "INSERT INTO other SELECT * FROM sibyl_account"}},
		{"cascade", []string{"CREATE TABLE other (hash TEXT PRIMARY KEY)", "INSERT INTO other SELECT hash FROM sibyl_account_event",
			"ALTER TABLE sibyl_account_event ADD FOREIGN KEY (hash) REFERENCES other ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED"}},
		{"reference", []string{"CREATE TABLE other (sequence BIGINT REFERENCES sibyl_account_event)"}},
	}
	for _, of := range []string{"sibyl_account", "sibyl_account_event"} {
		other := map[string]string{"sibyl_account": "SELECT only_row, format, 0::bigint AS sequence, hash FROM old", "sibyl_account_event": "SELECT * FROM old WHERE sequence = 0"}[of]
		key := map[string]string{"sibyl_account": "only_row", "sibyl_account_event": "sequence"}[of]
		all = append(all,
			hostile{"view for " + of, []string{"ALTER TABLE " + of + " RENAME TO old", "CREATE VIEW " + of + " AS " + other}},
			hostile{"materialised view for " + of, []string{"ALTER TABLE " + of + " RENAME TO old", "CREATE MATERIALIZED VIEW " + of + " AS " + other}},
			hostile{"copy of " + of, []string{"ALTER TABLE " + of + " RENAME TO old", "CREATE TABLE " + of + " AS SELECT * FROM old"}},
			hostile{"partitions of " + of, []string{"ALTER TABLE " + of + " RENAME TO old", "CREATE TABLE " + of + " (LIKE old INCLUDING ALL) PARTITION BY RANGE (" + key + ")",
				"CREATE TABLE part PARTITION OF " + of + " DEFAULT", "INSERT INTO " + of + " SELECT * FROM old"}},
			hostile{"unlogged " + of, []string{"ALTER TABLE " + of + " SET UNLOGGED"}},
			hostile{"row security of " + of, []string{"ALTER TABLE " + of + " ENABLE ROW LEVEL SECURITY", "ALTER TABLE " + of + " FORCE ROW LEVEL SECURITY"}},
			hostile{"policy of " + of, []string{"CREATE POLICY other ON " + of + " USING (sequence = 0)"}},
			hostile{"index of " + of, []string{"CREATE INDEX other ON " + of + " (hash)"}},
			hostile{"index on a function of " + of, []string{"CREATE FUNCTION f(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1'", "CREATE INDEX other ON " + of + " (f(hash))"}},
			hostile{"constraint of " + of, []string{"ALTER TABLE " + of + " ADD CHECK (sequence >= 0)"}},
			hostile{"default of " + of, []string{"ALTER TABLE " + of + " ALTER COLUMN hash SET DEFAULT ''"}},
			hostile{"column of " + of, []string{"ALTER TABLE " + of + " ADD COLUMN other TEXT"}},
			hostile{"type of " + of, []string{"ALTER TABLE " + of + " ALTER COLUMN hash TYPE VARCHAR"}},
			hostile{"nulls of " + of, []string{"ALTER TABLE " + of + " ALTER COLUMN hash DROP NOT NULL"}},
			hostile{"no key of " + of, []string{"ALTER TABLE " + of + " DROP CONSTRAINT " + of + "_pkey CASCADE"}},
			hostile{"late key of " + of, []string{"ALTER TABLE " + of + " DROP CONSTRAINT " + of + "_pkey CASCADE",
				"ALTER TABLE " + of + " ADD PRIMARY KEY (" + key + ") DEFERRABLE INITIALLY DEFERRED"}},
		)
		for _, what := range []string{"INSERT", "UPDATE", "DELETE"} {
			for name, harm := range harms {
				if name != "lose" && !heavy.On() {
					continue
				}
				if harm == "SELECT 1" {
					harm = "NOTHING"
				}
				for _, how := range []string{"INSTEAD", "ALSO"} {
					all = append(all, hostile{"rule ON " + what + " TO " + of + " DO " + how + ": " + name,
						[]string{"CREATE RULE other AS ON " + what + " TO " + of + " DO " + how + " " + harm}})
				}
				if harm == "NOTHING" {
					harm = "PERFORM 1"
				}
				for _, each := range []string{"ROW", "STATEMENT"} {
					for _, when := range []string{"BEFORE", "AFTER"} {
						all = append(all, hostile{"trigger " + when + " " + what + " ON " + of + " FOR EACH " + each + ": " + name,
							[]string{fmt.Sprintf(function, harm, "NULL"), "CREATE TRIGGER other " + when + " " + what + " ON " + of + " FOR EACH " + each + " EXECUTE FUNCTION f()"}})
					}
				}
				all = append(all, hostile{"late trigger " + what + " ON " + of + ": " + name,
					[]string{fmt.Sprintf(function, harm, "NULL"), "CREATE CONSTRAINT TRIGGER other AFTER " + what + " ON " + of + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION f()"}})
			}
		}
	}
	return all
}

// contents returns the rows of an account. It reads them from the database without package account.
func contents(t *testing.T, db *sql.DB) string {
	t.Helper()
	var all []string
	for _, query := range []string{"SELECT sequence || ' ' || hash FROM sibyl_account", "SELECT sequence || ' ' || hash || ' ' || body FROM sibyl_account_event ORDER BY sequence"} {
		rows, err := db.Query(query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var row sql.NullString
			if err := rows.Scan(&row); err != nil {
				t.Fatal(err)
			}
			all = append(all, row.String)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	return strings.Join(all, "\n")
}

// TestAccountBesideHostileObjects creates hostile objects of every kind in the databases of accounts. Every
// operation must be refused with one sentence that names the object, and must not add an entry. In no case may an
// operation succeed without recording its event.
func TestAccountBesideHostileObjects(t *testing.T) {
	ctx := context.Background()
	server, hasServer := places(t)["PostgreSQL"]
	try := func(t *testing.T, db *sql.DB, location string, h hostile) {
		a := opened(t, location, "1", "0")
		if _, err := a.Reserve(ctx, anEntry(t, "0.25")); err != nil {
			t.Fatal(err)
		}
		head := statement(t, a).Head
		execute(t, db, h.statements...)
		before := contents(t, db)
		for name, operation := range map[string]func() error{
			"Open":      func() error { _, err := account.Open(ctx, location); return err },
			"Reserve":   func() error { _, err := a.Reserve(ctx, anEntry(t, "0.25")); return err },
			"Settle":    func() error { return a.Settle(ctx, 1, digest) },
			"Statement": func() error { _, err := a.Statement(ctx); return err },
			"Extends":   func() error { return a.Extends(ctx, head) },
		} {
			err := operation()
			switch {
			case err == nil:
				t.Errorf("%s is not refused", name)
			case strings.Contains(err.Error(), "\n"):
				t.Errorf("%s: %v", name, err)
			}
			if after := contents(t, db); after != before {
				t.Errorf("%s: %v, and it holds\n%s\nwhere it held\n%s", name, err, after, before)
				before = after
			}
		}
	}
	t.Run("SQLite", func(t *testing.T) {
		directory := t.TempDir()
		for i, h := range hostilesSQLite() {
			t.Run(h.name, func(t *testing.T) {
				location := filepath.Join(directory, fmt.Sprintf("%d.db", i))
				db := raw(t, "SQLite", location)
				db.SetMaxOpenConns(1) // a PRAGMA applies to one connection
				try(t, db, location, h)
			})
		}
	})
	if !hasServer {
		return
	}
	t.Run("PostgreSQL", func(t *testing.T) {
		u, err := url.Parse(server)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		schema := q.Get("search_path") + "_hostile"
		q.Set("search_path", schema)
		u.RawQuery = q.Encode()
		db := raw(t, "PostgreSQL", u.String())
		db.SetMaxOpenConns(1) // the server starts a process for each connection
		for _, h := range hostilesPostgreSQL() {
			t.Run(h.name, func(t *testing.T) {
				execute(t, db, "CREATE SCHEMA "+schema)
				t.Cleanup(func() { execute(t, db, "DROP SCHEMA "+schema+" CASCADE") })
				try(t, db, u.String(), h)
			})
		}
	})
}

// TestAccountOfHostileNames creates functions and operators that shadow those in the SQL statements of package
// account. None of them may be called.
func TestAccountOfHostileNames(t *testing.T) {
	ctx := context.Background()
	location, ok := places(t)["PostgreSQL"]
	if !ok {
		t.Skip("there is no server")
	}
	db := raw(t, "PostgreSQL", location)
	statements := []string{"CREATE FUNCTION to_regclass(text) RETURNS regclass LANGUAGE sql AS 'SELECT NULL::regclass'", "CREATE FUNCTION current_schema() RETURNS name LANGUAGE sql AS 'SELECT NULL::name'"}
	for _, kind := range []string{"bigint", "text", "oid", "name", "\"char\""} {
		statements = append(statements, "CREATE FUNCTION no("+kind+", "+kind+") RETURNS boolean LANGUAGE sql AS 'SELECT false'")
		for _, operator := range []string{"=", ">=", "<>"} {
			statements = append(statements, "CREATE OPERATOR "+operator+" (LEFTARG = "+kind+", RIGHTARG = "+kind+", FUNCTION = no)")
		}
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	u, err := url.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", q.Get("search_path")+",pg_catalog")
	u.RawQuery = q.Encode()
	a := opened(t, u.String(), "1", "0")
	token, err := a.Reserve(ctx, anEntry(t, "0.25"))
	if err != nil {
		t.Fatal(err)
	}
	head := statement(t, a).Head
	if err := a.Settle(ctx, token, digest); err != nil {
		t.Fatal(err)
	}
	b := reopened(t, location)
	if s := statement(t, b); len(s.Entries) != 1 || s.Entries[0].Settled == "" {
		t.Errorf("%+v", s)
	}
	if err := b.Extends(ctx, head); err != nil {
		t.Error(err)
	}
}

// TestAccountIsRefusedWhereTablesChangeAsTheyAreMade installs an event trigger on the server that creates a trigger on
// every new table. An account must not be created.
func TestAccountIsRefusedWhereTablesChangeAsTheyAreMade(t *testing.T) {
	location, db := openPostgres(t) // the trigger acts on a whole database
	for _, statement := range []string{
		"CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
		`CREATE FUNCTION hang() RETURNS event_trigger LANGUAGE plpgsql AS $$DECLARE o record; BEGIN
			FOR o IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' LOOP
				EXECUTE 'CREATE TRIGGER other AFTER INSERT ON ' || o.object_identity || ' EXECUTE FUNCTION ' || o.schema_name || '.skip()';
			END LOOP; END$$`,
		"CREATE EVENT TRIGGER hang ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION hang()",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	err := account.Create(context.Background(), location, account.Terms{Epsilon: privacytest.Decimal(t, "1"), Relation: privacy.ReplaceOne, Of: "patients"})
	if !errors.Is(err, account.ErrTampered) {
		t.Errorf("got %v", err)
	}
	var there bool
	if err := db.QueryRow("SELECT to_regclass('sibyl_account') IS NOT NULL").Scan(&there); err != nil || there {
		t.Errorf("the tables are there: %t, %v", there, err)
	}
}
