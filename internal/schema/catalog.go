package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A catalog reads the definitions of tables from a database. Its statements read only the system tables that contain
// definitions, and no statistics, such as numbers of rows or of distinct values.
type catalog struct {
	ctx context.Context
	url *database.URL
	tx  *sql.Tx
}

// A definition is what the system tables of a database state about a table.
type definition struct {
	columns []definedColumn
	checks  []string        // the conditions of CHECK constraints
	keys    map[string]bool // columns that, each alone, are a primary key or unique
	refers  map[string]string
	comment string
	untyped bool // whether any column may hold texts, whatever its type
}

// A definedColumn is what the system tables of a database state about a column.
type definedColumn struct {
	name, typeName, comment string
	required                bool     // whether the column is NOT NULL
	values                  []string // the values of an enum type, or nil
	checks                  []string // the conditions of the column's domain, about VALUE
}

// readCatalog drafts a schema from the definition of a table in a database. The parameter name is the table's name,
// which may have the form schema.table. Each element of lookups refers to another table, whose rows are the
// categories of a column (see the method lookup).
func readCatalog(ctx context.Context, location, name string, lookups []string) (*Draft, error) {
	u, err := database.Parse(location)
	if err != nil {
		return nil, err
	}
	return readDatabase(ctx, u, name, lookups)
}

func readDatabase(ctx context.Context, u *database.URL, name string, lookups []string) (*Draft, error) {
	db, err := u.OpenReadOnly()
	if err != nil {
		return nil, err
	}
	defer db.Close()
	c := &catalog{ctx: ctx, url: u}
	if err = db.PingContext(ctx); err == nil {
		c.tx, err = db.BeginTx(ctx, &u.Dialect().Begin)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the database cannot be reached: %w", u, u.Scrub(err))
	}
	defer c.tx.Rollback()
	if set := u.Dialect().Set; set != "" {
		if _, err := c.tx.ExecContext(ctx, set); err != nil {
			return nil, fmt.Errorf("%s: the database's catalog cannot be read: %w", u, u.Scrub(err))
		}
	}
	d, err := c.draft(name, lookups)
	if err != nil {
		if _, named := errors.AsType[*parameter.Error](err); named {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", u, err)
	}
	return d, nil
}

// draft drafts a schema for the named table. Each element of lookups refers to another table, whose rows are the
// categories of a column (see the method lookup).
func (c *catalog) draft(name string, lookups []string) (*Draft, error) {
	read := map[*database.Dialect]func(place) (definition, error){
		database.SQLite: c.sqlite, database.PostgreSQL: c.postgres, database.MySQL: c.mysql, database.DuckDB: c.duckdb,
	}[c.url.Dialect()]
	chosen, err := c.choose(name, "")
	if err != nil {
		return nil, err
	}
	def, err := read(chosen)
	if err != nil {
		return nil, err
	}
	if len(def.columns) == 0 {
		return nil, fmt.Errorf("the catalog lists no column of table %s; check that this user may read the table", quote.Word(chosen.table))
	}
	def.untyped = c.url.Dialect() == database.SQLite
	d := def.draft()
	d.Name, d.Source = def.comment, "catalog of "+c.url.Dialect().Name
	if d.Name == "" {
		d.Name = chosen.table
	}
	for _, l := range lookups {
		if err := c.lookup(d, l, chosen); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// query runs a statement and returns the rows of its result as texts. NULL becomes an empty text.
func (c *catalog) query(statement string, args ...any) (all [][]string, err error) {
	rows, err := c.tx.QueryContext(c.ctx, statement, args...)
	if err != nil {
		return nil, fmt.Errorf("the database's catalog cannot be read: %w", c.url.Scrub(err))
	}
	defer rows.Close()
	names, err := rows.Columns()
	for err == nil && rows.Next() {
		values, to := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			to[i] = &values[i]
		}
		if err = rows.Scan(to...); err != nil {
			break
		}
		var texts []string
		for _, v := range values {
			texts = append(texts, v.String)
		}
		all = append(all, texts)
	}
	if err == nil {
		err = rows.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("the database's catalog cannot be read: %w", c.url.Scrub(err))
	}
	return all, nil
}

// tableLists holds, for each dialect, a statement that lists all tables and views. Each row of its result has three
// columns: whether the name alone identifies the table (1 or 0), the database schema, and the name.
var tableLists = map[*database.Dialect]string{
	database.SQLite: `SELECT 1, '', name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`,
	database.PostgreSQL: `SELECT CAST(CAST(pg_catalog.pg_table_is_visible(c.oid) AS pg_catalog.int4) AS pg_catalog.text), n.nspname, c.relname
		FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_t%' ORDER BY 2, 3`,
	database.MySQL:  `SELECT 1, table_schema, table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 3`,
	database.DuckDB: `SELECT CASE WHEN schema = current_schema() THEN 1 ELSE 0 END, schema, name FROM (SELECT table_name AS name, schema_name AS schema FROM duckdb_tables() WHERE NOT internal AND database_name = current_database() UNION ALL SELECT view_name, schema_name FROM duckdb_views() WHERE NOT internal AND database_name = current_database()) ORDER BY 2, 3`,
}

// A place identifies a table of a database: its name, and the database schema that contains it, which is "" in
// SQLite.
type place struct{ schema, table string }

// choose finds a table of the database by its name, which may have the form schema.table. A name without a database
// schema is searched for in the search path, and in the database schema that the parameter near names. If the name is
// empty, choose returns the database's only table.
func (c *catalog) choose(name, near string) (place, error) {
	all, err := c.query(tableLists[c.url.Dialect()])
	if err != nil {
		return place{}, err
	}
	var found []place
	var names []string
	for _, row := range all {
		p := place{row[1], row[2]}
		if name == "" || name == p.table && (row[0] == "1" || p.schema == near) || name == p.schema+"."+p.table {
			found = append(found, p)
		}
		if row[0] == "1" {
			names = append(names, quote.Word(p.table))
		} else {
			names = append(names, quote.Word(p.schema+"."+p.table))
		}
	}
	switch shown := strings.Join(names[:min(len(names), 20)], ", "); {
	case len(all) == 0:
		return place{}, errors.New("the database has no table that this user may read; check its URL and the permissions")
	case len(found) == 1 || len(found) > 1 && name != "":
		return found[0], nil
	case name == "":
		return place{}, parameter.Errorf("%s: the database has %d tables; choose one with {table}: %s", c.url.String(), len(all), shown)
	default:
		return place{}, parameter.Errorf("{table}: the database has no table %s; its tables are %s", quote.Word(name), shown)
	}
}

func (c *catalog) sqlite(p place) (d definition, err error) {
	name := p.table
	columns, err := c.query(`SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1`, name)
	if err != nil {
		return d, err
	}
	primary := 0
	for _, row := range columns {
		d.columns = append(d.columns, definedColumn{name: row[0], typeName: row[1], required: row[2] != "0"})
		if row[3] != "0" {
			primary++
		}
	}
	d.keys, d.refers = make(map[string]bool), make(map[string]string)
	for _, row := range columns {
		d.keys[row[0]] = row[3] != "0" && primary == 1
	}
	unique, err := c.query(`SELECT (SELECT name FROM pragma_index_info(l.name)) FROM pragma_index_list(?) AS l WHERE l."unique" AND NOT l.partial AND (SELECT COUNT(*) FROM pragma_index_info(l.name)) = 1`, name)
	if err != nil {
		return d, err
	}
	for _, row := range unique {
		d.keys[row[0]] = true
	}
	foreign, err := c.query(`SELECT "from", "table" FROM pragma_foreign_key_list(?)`, name)
	if err != nil {
		return d, err
	}
	for _, row := range foreign {
		d.refers[row[0]] = row[1]
	}
	text, err := c.query(`SELECT sql FROM sqlite_master WHERE name = ?`, name)
	if err == nil && len(text) > 0 {
		d.checks = checksOf(text[0][0])
	}
	return d, err
}

// checksOf returns the conditions of all CHECK constraints in a CREATE TABLE statement.
func checksOf(statement string) (all []string) {
	rest := sqlComment.ReplaceAllStringFunc(statement, func(s string) string {
		if strings.HasPrefix(s, "--") || strings.HasPrefix(s, "/*") {
			return " "
		}
		return s
	})
	next := 0 // where the text after the last constraint begins
	for i := range unquoted(rest) {
		if i < next || i > 0 && isWord(rest[i-1]) {
			continue
		}
		if m := checkWord.FindString(rest[i:]); m != "" {
			condition := balanced(rest[i+len(m)-1:])
			all = append(all, condition)
			next = i + len(m) + len(condition) - 1
		}
	}
	return all
}

// unquoted iterates over the bytes of a text that are not within quotation marks, with their positions.
func unquoted(text string) iter.Seq2[int, byte] {
	return func(yield func(int, byte) bool) {
		mark := byte(0) // the quotation mark that encloses the current byte
		for i := range len(text) {
			switch c := text[i]; {
			case mark != 0:
				if c == mark {
					mark = 0
				}
			case c == '\'' || c == '"' || c == '`':
				mark = c
			case !yield(i, c):
				return
			}
		}
	}
}

var (
	sqlComment = regexp.MustCompile(`(?s)'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/`)
	checkWord  = regexp.MustCompile(`^(?i:check)\s*\(`)
)

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// balanced returns the beginning of a text, from its opening parenthesis to the matching closing one.
func balanced(text string) string {
	level := 0
	for i, c := range unquoted(text) {
		switch c {
		case '(':
			level++
		case ')':
			if level--; level == 0 {
				return text[:i+1]
			}
		}
	}
	return text
}

func (c *catalog) postgres(p place) (d definition, err error) {
	found, err := c.query(`SELECT c.oid, pg_catalog.obj_description(c.oid, 'pg_class') FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = $2`, p.schema, p.table)
	if err != nil || len(found) == 0 {
		return d, err
	}
	oid := found[0][0]
	d.comment = found[0][1]
	columns, err := c.query(`SELECT a.attname, a.atttypid, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_catalog.col_description(a.attrelid, a.attnum)
		FROM pg_catalog.pg_attribute a WHERE a.attrelid = CAST($1 AS pg_catalog.oid) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`, oid)
	if err != nil {
		return d, err
	}
	for _, row := range columns {
		column := definedColumn{name: row[0], typeName: row[2], required: row[3] == "true", comment: row[4]}
		if err := c.postgresType(&column, row[1]); err != nil {
			return d, err
		}
		d.columns = append(d.columns, column)
	}
	d.keys, d.refers = make(map[string]bool), make(map[string]string)
	keys, err := c.query(`SELECT a.attname, CAST(k.contype AS pg_catalog.text), pg_catalog.array_length(k.conkey, 1), CASE WHEN k.confrelid <> 0 THEN CAST(CAST(k.confrelid AS pg_catalog.regclass) AS pg_catalog.text) END
		FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey)
		WHERE k.conrelid = CAST($1 AS pg_catalog.oid) AND k.contype IN ('p', 'u', 'f')`, oid)
	if err != nil {
		return d, err
	}
	for _, row := range keys {
		if row[1] == "f" {
			d.refers[row[0]] = row[3]
		} else if row[2] == "1" {
			d.keys[row[0]] = true
		}
	}
	d.checks, err = c.postgresChecks(`k.conrelid`, oid)
	return d, err
}

// postgresType sets the type of a column, given the object identifier (OID) of the type in PostgreSQL. For a domain
// type, it sets the domain's base type, and adds the domain's conditions to the column's checks. For an enum type, it
// also sets the column's values.
func (c *catalog) postgresType(column *definedColumn, oid string) error {
	for range 100 { // domains over domains
		types, err := c.query(`SELECT CAST(t.typtype AS pg_catalog.text), t.typbasetype, pg_catalog.format_type(t.typbasetype, t.typtypmod), t.typnotnull FROM pg_catalog.pg_type t WHERE t.oid = CAST($1 AS pg_catalog.oid)`, oid)
		if err != nil || len(types) == 0 {
			return err
		}
		switch row := types[0]; row[0] {
		case "e":
			labels, err := c.query(`SELECT enumlabel FROM pg_catalog.pg_enum WHERE enumtypid = CAST($1 AS pg_catalog.oid) ORDER BY enumsortorder`, oid)
			for _, label := range labels {
				column.values = append(column.values, label[0])
			}
			return err
		case "d":
			checks, err := c.postgresChecks(`k.contypid`, oid)
			if err != nil {
				return err
			}
			column.checks = append(column.checks, checks...)
			column.required = column.required || row[3] == "true"
			oid, column.typeName = row[1], row[2]
		default:
			return nil
		}
	}
	return nil
}

// postgresChecks returns the conditions of the CHECK constraints of a table or a domain type. It leaves out
// constraints that were not validated, because existing rows may violate them.
func (c *catalog) postgresChecks(of, oid string) (all []string, err error) {
	rows, err := c.query(`SELECT pg_catalog.pg_get_constraintdef(k.oid) FROM pg_catalog.pg_constraint k WHERE k.contype = 'c' AND k.convalidated AND `+of+` = CAST($1 AS pg_catalog.oid) ORDER BY k.conname`, oid)
	for _, row := range rows {
		all = append(all, balanced(strings.TrimPrefix(row[0], "CHECK ")))
	}
	return all, err
}

func (c *catalog) mysql(p place) (d definition, err error) {
	name := p.table
	comment, err := c.query(`SELECT table_comment FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = ? AND table_type = 'BASE TABLE'`, name)
	if err != nil {
		return d, err
	}
	if len(comment) > 0 {
		d.comment = comment[0][0]
	}
	columns, err := c.query(`SELECT column_name, column_type, is_nullable, column_comment, column_key FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? ORDER BY ordinal_position`, name)
	if err != nil {
		return d, err
	}
	primary := 0
	for _, row := range columns {
		column := definedColumn{name: row[0], typeName: row[1], required: row[2] == "NO", comment: row[3]}
		if strings.HasPrefix(row[1], "enum(") {
			column.values = textsIn(row[1])
		}
		d.columns = append(d.columns, column)
		if row[4] == "PRI" {
			primary++
		}
	}
	d.keys, d.refers = make(map[string]bool), make(map[string]string)
	for _, row := range columns {
		d.keys[row[0]] = row[4] == "UNI" || row[4] == "PRI" && primary == 1
	}
	foreign, err := c.query(`SELECT column_name, referenced_table_name FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND table_name = ? AND referenced_table_name IS NOT NULL`, name)
	if err != nil {
		return d, err
	}
	for _, row := range foreign {
		d.refers[row[0]] = row[1]
	}
	// In MariaDB, names of constraints are unique within a table, and this view has the table. In MySQL, they are
	// unique within a database.
	statement := `SELECT k.check_clause FROM information_schema.check_constraints k WHERE k.constraint_schema = DATABASE() AND k.table_name = ?`
	version, err := c.query(`SELECT VERSION()`)
	if err != nil {
		return d, err
	}
	if !strings.Contains(version[0][0], "MariaDB") {
		statement = `SELECT k.check_clause FROM information_schema.check_constraints k JOIN information_schema.table_constraints t ON t.constraint_schema = k.constraint_schema AND t.constraint_name = k.constraint_name WHERE k.constraint_schema = DATABASE() AND t.table_name = ?`
	}
	checks, err := c.query(statement, name)
	for _, row := range checks {
		d.checks = append(d.checks, row[0])
	}
	return d, err
}

// textsIn returns the quoted texts in the name of a type, such as a and b in enum('a','b').
func textsIn(typeName string) (all []string) {
	for _, t := range tokens(typeName) {
		if t.kind == textToken {
			all = append(all, t.text)
		}
	}
	return all
}

func (c *catalog) duckdb(p place) (d definition, err error) {
	columns, err := c.query(`SELECT column_name, data_type, is_nullable, comment FROM duckdb_columns() WHERE database_name = current_database() AND schema_name = ? AND table_name = ? ORDER BY column_index`, p.schema, p.table)
	if err != nil {
		return d, err
	}
	for _, row := range columns {
		column := definedColumn{name: row[0], typeName: row[1], required: row[2] == "false", comment: row[3]}
		if strings.HasPrefix(row[1], "ENUM(") {
			column.values = textsIn(row[1])
		}
		d.columns = append(d.columns, column)
	}
	d.keys, d.refers = make(map[string]bool), make(map[string]string)
	constraints, err := c.query(`SELECT constraint_type, expression, constraint_column_names[1], len(constraint_column_names), constraint_text FROM duckdb_constraints() WHERE database_name = current_database() AND schema_name = ? AND table_name = ?`, p.schema, p.table)
	for _, row := range constraints {
		switch row[0] {
		case "CHECK":
			d.checks = append(d.checks, row[1])
		case "PRIMARY KEY", "UNIQUE":
			d.keys[row[2]] = d.keys[row[2]] || row[3] == "1"
		case "FOREIGN KEY":
			if _, after, found := strings.Cut(row[4], "REFERENCES "); found {
				to, _, _ := strings.Cut(after, "(")
				d.refers[row[2]] = strings.TrimSpace(to)
			}
		}
	}
	return d, err
}

// typeKinds maps SQL types, given by the first words of their names, to the kinds of their values.
var typeKinds = []struct {
	words, kind string
	places      int // of numbers
}{
	{"bool boolean", "boolean", 0},
	{"array list struct map union nested json jsonb xml bytea blob binary varbinary tinyblob mediumblob longblob bit geometry point polygon tsvector inet cidr macaddr", "", 0},
	{"uuid", "uuid", 0},
	{"int integer tinyint smallint mediumint bigint hugeint utinyint usmallint uint uinteger ubigint uhugeint int2 int4 int8 serial smallserial bigserial year", table.NumberKind, 0},
	{"numeric decimal number dec", table.NumberKind, -1},
	{"real float float4 float8 double", table.NumberKind, table.UsualPlaces},
	{dateTypes + " time timetz interval", table.DateKind, 0},
	{"varchar nvarchar char nchar character bpchar text tinytext mediumtext longtext clob citext string name enum set", table.TextKind, 0},
}

// dateTypes lists the first words of the names of SQL types whose values begin with a date.
const dateTypes = "date datetime timestamp timestamptz"

// typeWord returns the first word of a type's name, in lower case. For array types, it returns "array".
func typeWord(name string) string {
	if strings.Contains(name, "[]") {
		return "array"
	}
	end := strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 || !isWord(byte(r)) })
	if end < 0 {
		end = len(name)
	}
	return strings.ToLower(name[:end])
}

var scale = regexp.MustCompile(`\(\s*\d+\s*,\s*(\d+)\s*\)`)

// column converts the definition of a column to a Column of a draft. The parameter typed states whether the type of a
// column determines how its dates are written.
func (def *definedColumn) column(typed bool) Column {
	c := Column{Name: def.name, Title: def.comment, Kind: table.UnknownKind}
	word := typeWord(def.typeName)
	for _, k := range typeKinds {
		if !slices.Contains(strings.Fields(k.words), word) {
			continue
		}
		switch c.Kind, c.Places = k.kind, k.places; {
		case k.kind == "boolean":
			c.Kind = table.CategoryKind
			c.Groups = []table.Group{{Name: "false", Values: []string{"false", "0"}}, {Name: "true", Values: []string{"true", "1"}}}
		case k.kind == "":
			c.Kind, c.Drop = table.UnknownKind, "its values are of type "+def.typeName
		case k.kind == "uuid":
			c.Kind, c.Drop = table.TextKind, "its type uuid identifies rows"
		case k.places < 0:
			c.Places = table.UsualPlaces
			if m := scale.FindStringSubmatch(def.typeName); m != nil {
				n, _ := strconv.Atoi(m[1])
				c.Places = min(n, table.MostPlaces)
			}
		}
		break
	}
	if typed && slices.Contains(strings.Fields(dateTypes), word) {
		c.Format = "iso"
	}
	if strings.EqualFold(def.typeName, "tinyint(1)") {
		c.Notes = append(c.Notes, `If it is a truth value, delete kind and write values = ["0", "1"].`)
	}
	if def.values != nil {
		c.Kind, c.Groups, c.Format = table.CategoryKind, nil, ""
		for _, v := range def.values {
			c.addCategory(v, v)
		}
		c.simplify()
	}
	return c
}

// referral is the beginning of the note about a column that refers to another table.
const referral = "Refers to table "

// draft converts the definition of a table to a draft of a schema.
func (def *definition) draft() *Draft {
	d := &Draft{}
	for i := range def.columns {
		c := def.columns[i].column(!def.untyped)
		for _, check := range def.columns[i].checks {
			d.check(check, &c)
		}
		d.Columns = append(d.Columns, c)
	}
	for _, check := range def.checks {
		d.check(check, nil)
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		least, most := c.Least, c.Most
		c.Least, c.Most = "", ""
		if !c.closed() {
			c.setRange(least, most, c.Places)
		}
		if def.keys[c.Name] {
			c.Drop = "its values are unique, so they identify rows"
		}
		if to := def.refers[c.Name]; to != "" {
			c.Notes = append(c.Notes, referral+quote.Word(to)+". If it identifies persons, name it in [person]; if that table lists public categories, import them as a lookup table.")
		}
		if !def.columns[i].required {
			c.mayBeMissing(nil)
		}
	}
	return d
}

// check derives facts about single columns from the condition of a CHECK constraint, such as ranges and lists of
// values, and adds each fact to its column. If value is not nil, the constraint belongs to the domain type of this
// column, and the condition refers to the column as VALUE.
func (d *Draft) check(condition string, value *Column) {
	all, whole := facts(condition)
	for _, f := range all {
		if value != nil {
			if strings.EqualFold(f.column, "VALUE") {
				value.learn(f)
			}
			continue
		}
		i := d.find(f.column)
		if i < 0 {
			i = slices.IndexFunc(d.Columns, func(c Column) bool { return strings.EqualFold(c.Name, f.column) })
		}
		if i >= 0 {
			d.Columns[i].learn(f)
		}
	}
	if !whole {
		if balanced(condition) != condition {
			condition = "(" + condition + ")"
		}
		d.Notes = append(d.Notes, "Not all of this constraint is in the schema: CHECK "+condition+".")
	}
}

// lookup reads the categories of a column from the rows of another table. The parameter spec has the form
// COLUMN=TABLE:CODE or COLUMN=TABLE:CODE:LABEL. lookup returns an error if TABLE is the described table itself, whose
// rows are private.
func (c *catalog) lookup(d *Draft, spec string, main place) error {
	column, rest, _ := strings.Cut(spec, "=")
	words := strings.Split(rest, ":")
	i := d.find(column)
	switch {
	case len(words) < 2 || len(words) > 3 || slices.Contains(words, ""):
		return parameter.Errorf("{lookup} %s has the wrong form; write COLUMN=TABLE:CODE, or COLUMN=TABLE:CODE:LABEL, where CODE and LABEL are columns of TABLE", quote.Word(spec))
	case i < 0:
		return parameter.Errorf("{lookup}: the table has no column %s; write the name as the table does", quote.Word(column))
	}
	chosen, err := c.choose(words[0], main.schema)
	if err != nil {
		return parameter.Errorf("{lookup}: the database has no table %s; write its name as the database does", quote.Word(words[0]))
	}
	if chosen == main {
		return parameter.Errorf("{lookup} %s names the table with the data, whose rows are private; name a table that lists public categories", quote.Word(spec))
	}
	dialect := c.url.Dialect()
	from := dialect.Identifier(chosen.table)
	if chosen.schema != "" {
		from = dialect.Identifier(chosen.schema) + "." + from
	}
	code, label := "t."+dialect.Identifier(words[1]), "t."+dialect.Identifier(words[len(words)-1]) // SQLite reads "x" as a text if there is no column x
	rows, err := c.query(fmt.Sprintf("SELECT %s, %s FROM %s AS t WHERE %s IS NOT NULL ORDER BY 1 LIMIT %d", code, label, from, code, table.MaxCategories))
	if err != nil {
		return parameter.Errorf("{lookup} %s: %w", quote.Word(spec), err)
	}
	switch len(rows) {
	case 0:
		return parameter.Errorf("{lookup} %s: the table lists no codes; name a table that lists the codes of the column", quote.Word(spec))
	case table.MaxCategories:
		return parameter.Errorf("{lookup} %s: the table lists more than %d codes, the maximum; name a table with fewer codes", quote.Word(spec), table.MaxCategories-1)
	}
	to := &d.Columns[i]
	to.Kind, to.Format, to.Values, to.Groups, to.Least, to.Most, to.Drop = table.CategoryKind, "", nil, nil, "", "", ""
	to.Notes = slices.DeleteFunc(to.Notes, func(note string) bool { return strings.HasPrefix(note, referral) })
	to.Source = fmt.Sprintf("rows of table %s in the same database", quote.Word(words[0]))
	for _, row := range rows {
		to.addCategory(row[0], row[1])
	}
	to.simplify()
	if to.Other != "" {
		to.mayBeMissing(nil)
	}
	return nil
}
