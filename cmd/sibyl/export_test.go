package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/dectree"
	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/export"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/learn/convex"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/internal/testing/shareddata"
	"github.com/sibyl-dp/sibyl/privacy"
)

// The tests run exported SQL in a database engine, on tables of values that are easily confused with each
// other or with a category. For each row the result must equal that of the command predict, which reads the same
// table.

// An exported compares the results of an engine with those of predict.
type exported struct {
	dialect, location string
	db                *sql.DB
	reopen            func() *sql.DB                          // opens db again, if it must be closed while predict reads; otherwise nil
	place             func(n int) string                      // returns the nth placeholder of a statement
	stored            string                                  // the text of CREATE TABLE after the columns
	kinds             []string                                // the types of columns
	values            func(kind string, texts []string) []any // returns values for a column of the type kind, made from the texts
	random            *rand.Rand
	counts            kindCounts
}

// kindCounts counts the records that were compared, by the kind of the model. The field empty counts those without a
// prediction.
type kindCounts struct {
	of    map[string]int
	empty int
}

func (c *kindCounts) add(m *model.Model, records, empty int) {
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[m.Form.Name()] += records
	c.empty += empty
}

// log prints the numbers of records. It fails unless both many records with and many without a prediction were compared.
// On Adult, all records may have a prediction.
func (c *kindCounts) log(t *testing.T, engine string) {
	t.Helper()
	all := 0
	for _, kind := range slices.Sorted(maps.Keys(c.of)) {
		t.Logf("%s\t%s\t%d", engine, kind, c.of[kind])
		all += c.of[kind]
	}
	if t.Logf("%s: %d records, %d without a prediction", engine, all, c.empty); !strings.Contains(t.Name(), "Adult") && (c.empty < all/50 || c.empty > all*2/3) {
		t.Error("these are too few, or too many")
	}
}

// numbered and marked return the nth placeholder of a statement, in two styles.
func numbered(n int) string { return fmt.Sprintf("$%d", n) }
func marked(int) string     { return "?" }

// hostileTable is the name of a table.
const hostileTable = `da"ta '--' \ /* 中`

const hostileDomain = `
[[attribute]]
column = "a\"ge' --"
cuts = [-3, 0.5, 60]
other = "NULL"
[[attribute]]
name = "fine"
column = "a\"ge' --"
cuts = [-129.25, -7, 0, 0.05, 1, 2000, 9999999999999]
[[attribute]]
column = 'select "town";'
groups = { "it's" = ["Zürich", "ZUG", "O'Neill", "a;b"], b = ["\\", "%s", "-- x", "/*", "Zug", "a\r\nb", "\\\n'"] }
[[attribute]]
column = "c0"
values = ["1", "0.1", "true", "NaN", "+Inf", "12", "100000000000000000000"]
other = "no"
[[attribute]]
column = "grade"
values = ["x", "Y"]
[[attribute]]
column = "id "
values = ["1.50", "-0", "0", "false"]
other = "-- rest"
`

func hostileSchema(t testing.TB, label string) *table.Schema {
	t.Helper()
	return tabletest.Schema(t, "[label]\ncolumn = \"y\"\n"+label+hostileDomain)
}

// exportedModels calls visit for the models that are stored in the repository, and for random models of every form with
// hostile names. The number each is the number of models of a form. Some models state risks. The function made reads or
// generates the model.
func exportedModels(t testing.TB, random *rand.Rand, each int, visit func(name string, made func() *model.Model)) {
	paths, err := filepath.Glob("../../internal/release/testdata/old/*.json")
	if err != nil || len(paths) < 70 {
		t.Fatal(len(paths), err)
	}
	for i, path := range paths {
		if !heavy.On() && i%3 != 0 {
			continue
		}
		visit(filepath.Base(path), func() *model.Model {
			m, err := readModel(path)
			if err != nil {
				t.Fatal(err)
			}
			return m
		})
	}
	visit("wide", func() *model.Model {
		wide, weights := "", learn.Points{}
		for j := range 800 { // as many columns as fit into a table
			wide += fmt.Sprintf("[[attribute]]\ncolumn = \"a%d\"\nvalues = [\"x\", \"y\"]\n", j)
			weights.Points = append(weights.Points, []int{random.IntN(3) - 1, random.IntN(3) - 1})
		}
		widest := tabletest.Schema(t, "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n"+wide)
		return &model.Model{Schema: widest, Form: model.Additive{Kind: model.SVM, Scale: 1}, Hypothesis: weights, Void: model.InsecureSeed}
	})
	two, three := hostileSchema(t, "positive = [\"1\"]\nnegative = [\"0\"]\n"), hostileSchema(t, "values = [\"lo'w\", \"mid\\\", or so\", \"%s\"]\n")
	formModels(t, random, two, three, each, visit)
	items := questionnaire(t)
	space, err := model.NewSumScore().Over(items)
	if err != nil {
		t.Fatal(err)
	}
	scores := slices.Collect(space.Sampling().Class.(class.Enumerable[table.Record, any]).All())
	for i := range each {
		visit(fmt.Sprintf("sum-score %d", i), func() *model.Model {
			m := &model.Model{Schema: items, Form: model.NewSumScore(), Hypothesis: scores[random.IntN(len(scores))], Void: model.InsecureSeed}
			if i%2 == 0 {
				m.Risks = someRisks(t, random, m)
			}
			return m
		})
	}
}

// constantModel returns a model that predicts the same for all records, so that its SQL statement reads no column.
func constantModel(t testing.TB) *model.Model {
	t.Helper()
	s := tabletest.Schema(t, "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"a\"\nvalues = [\"x\"]\nother = \"z\"\n")
	return &model.Model{Schema: s, Form: model.Additive{Kind: model.SVM, Scale: 1}, Hypothesis: learn.Points{Points: [][]int{{0, 0}}}, Void: model.InsecureSeed}
}

// formModels calls visit for random models of every form. The number each is the number of models of a form. The schemas
// two and three have labels of two and of three classes. The function made generates the model.
func formModels(t testing.TB, random *rand.Rand, two, three *table.Schema, each int, visit func(name string, made func() *model.Model)) {
	tests := 0
	for _, size := range two.Sizes() {
		tests += size - 1 // a lower bound on the number of tests of an attribute
	}
	var grow func(depth, outcomes int) *dectree.Tree
	grow = func(depth, outcomes int) *dectree.Tree {
		if depth == 0 || random.IntN(6) == 0 {
			return &dectree.Tree{Outcome: random.IntN(outcomes)}
		}
		return &dectree.Tree{Test: random.IntN(tests), Yes: grow(depth-1, outcomes), No: grow(depth-1, outcomes)}
	}
	points := learn.Points{Prior: random.IntN(1 << 30)}
	for _, size := range two.Sizes() {
		own := make([]int, size)
		for c := range own {
			own[c] = int(random.Int64N(1<<31) - 1<<30)
		}
		points.Points = append(points.Points, own)
	}
	literals := model.Literals{Negated: true, Intervals: true}
	for _, f := range []model.Form{
		model.Scorecard{Points: model.Points{Least: -2, Most: 1}, Threshold: -1}, model.Halfspace{Weights: model.Points{Least: -1, Most: 2}, Threshold: 2},
		model.Conjunction{Literals: literals, Most: 3}, model.Conjunction{Literals: literals, Disjunction: true},
		model.DecisionList{Literals: literals, Rules: 2, Width: 2}, model.Parity{Affine: true, Most: 3}, model.Parity{Digits: true},
		model.ReadOnce{}, model.ReadOnce{NAND: true}, model.DecisionTree{Depth: 4}, model.Additive{Kind: model.SVM, Scale: 1},
		model.RankedTree{Depth: 4, Scale: 1}, model.CardAndTree{Depth: 4, Scale: 1},
	} {
		space := sync.OnceValue(func() model.Space {
			space, err := f.Over(two)
			if err != nil {
				t.Fatal(err)
			}
			return space
		})
		for i := range each {
			visit(fmt.Sprintf("%s %d", f.Name(), i), func() *model.Model {
				m := &model.Model{Schema: two, Form: f, Void: model.InsecureSeed}
				switch f.(type) {
				case model.DecisionTree:
					if m.Hypothesis = grow(4, 2); i%2 == 1 {
						m.Schema, m.Hypothesis = three, grow(4, 3)
					}
				case model.Additive:
					m.Hypothesis = points
				case model.RankedTree:
					ranked := learn.RankedTree[any]{Tree: grow(4, 2), Points: slices.Clone(points.Points)}
					for j, own := range ranked.Points {
						if random.IntN(2) == 0 {
							ranked.Points[j] = make([]int, len(own)) // which only the tree may need
						}
					}
					m.Hypothesis = ranked
				case model.CardAndTree:
					m.Hypothesis = convex.CardAndTree[any]{Card: points, Tree: grow(4, 2), Bonus: int(random.Int64N(1<<31) - 1<<30)}
				default:
					m.Space = space()
					n := 0
					for h := range m.Space.Sampling().Class.(class.Enumerable[table.Record, any]).All() {
						if n++; i == 0 || random.IntN(n) == 0 {
							m.Hypothesis = h
						}
						if n > 3000 || i == 0 {
							break
						}
					}
				}
				if i%4 < heavy.Pick(2, 3) {
					m.Risks = someRisks(t, random, m)
				}
				return m
			})
		}
	}
}

// questionnaire returns a schema of four items with the same answers, and one attribute with others.
func questionnaire(t testing.TB) *table.Schema {
	t.Helper()
	text := "[label]\ncolumn = \"y\"\npositive = [\"1\"]\nnegative = [\"0\"]\n[[attribute]]\ncolumn = \"age\"\ncuts = [20, 40.5]\n"
	for j := range 4 {
		text += fmt.Sprintf("[[attribute]]\ncolumn = \"item %d\"\nvalues = [\"never\", \"some 'times\", \"often\"]\nother = \"no answer\"\n", j)
	}
	return tabletest.Schema(t, text)
}

// someRisks returns random noisy counts for the model m. Some of them imply no risk.
func someRisks(t testing.TB, random *rand.Rand, m *model.Model) *risk.Counts {
	t.Helper()
	g, err := m.Grades()
	if err != nil {
		t.Fatal(err)
	}
	cells := make([]*big.Int, g.Scale.Cells())
	for i := range cells {
		cells[i] = big.NewInt(random.Int64N(300) - 100)
	}
	epsilon := privacytest.Decimal(t, "0.5")
	counts, err := risk.Noisy(g.Scale, cells, epsilon, privacy.AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}

// textsFor returns texts for a column with the given attributes. The texts inside are in the domain of all these
// attributes. The texts outside are the other ones, of which some are similar to a category.
func textsFor(of []*table.Attribute) (inside, outside []string) {
	all := []string{"", " ", "1e3", ".", "+", "-", "+-1", "5.", ".5", "-0", "+0", "00", "0x1F", "1_0", "１", "inf", "Infinity", "-Infinity", "NaN", "nan", "+Inf", "-Inf",
		"true", "FALSE", "t", "99999999999999999999", "-99999999999999999999", "9223372036854775807", "1e400", "0.1", "0.10", "NULL", "no", "a\x00b", "33554448", "1e20", "1e-7", "1.5e30"}
	for _, a := range of {
		listed := slices.Clone(a.Values)
		for _, g := range a.Groups {
			listed = append(listed, g.Values...)
		}
		for _, v := range listed {
			all = append(all, v, v, v, v, v+" ", " "+v, strings.ToUpper(v), v+"\u0301")
		}
		for _, cut := range a.Cuts {
			c := strings.TrimPrefix(string(cut), "-")
			sign := string(cut)[:len(cut)-len(c)]
			point := "."
			if strings.Contains(c, ".") {
				point = ""
			}
			below, _ := new(big.Rat).Sub(cut.Rat(), big.NewRat(1, 1000)).Float64()
			all = append(all, string(cut), string(cut), sign+"00"+c, sign+c+point+"0", sign+c+point+"000000000000000000000001", " "+string(cut), "+"+c, "-"+c,
				strconv.FormatFloat(below, 'f', -1, 64), strconv.FormatFloat(below, 'f', 3, 64), string(cut)+"e0")
		}
	}
	for _, text := range all {
		if slices.ContainsFunc(of, func(a *table.Attribute) bool { _, ok := a.Code(text); return !ok }) {
			outside = append(outside, text)
		} else {
			inside = append(inside, text)
		}
	}
	return inside, outside
}

// hold compares the result of the SQL statement of the model m with the output of predict.
func (e *exported) hold(t *testing.T, name string, m *model.Model) {
	t.Helper()
	u, err := database.Parse(e.location)
	if err != nil {
		t.Fatal(err)
	}
	d := u.Dialect()
	var declared []string
	var columns [][2][]any // by column, values that are mostly inside the domain, and values outside
	rows := heavy.Pick(20, 40)
	for _, column := range m.Schema.Columns()[:len(m.Schema.Columns())-1] {
		var of []*table.Attribute
		for j := range m.Schema.Attributes {
			if a := &m.Schema.Attributes[j]; a.Column == column {
				of = append(of, a)
			}
		}
		inside, outside := textsFor(of)
		kind := e.kinds[e.random.IntN(len(e.kinds))]
		for e.random.IntN(20) > 0 && len(e.values(kind, inside)) < min(len(inside), 2) {
			kind = e.kinds[e.random.IntN(len(e.kinds))]
		}
		declared = append(declared, d.Identifier(column)+" "+kind)
		columns = append(columns, [2][]any{e.values(kind, inside), append(e.values(kind, outside), nil)})
	}
	tx, err := e.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	execute := func(statement string, args ...any) {
		t.Helper()
		if _, err := tx.Exec(statement, args...); err != nil {
			t.Fatalf("%s: %.200s %.200v: %v", name, statement, args, err)
		}
	}
	quoted := d.Identifier(hostileTable)
	execute("DROP TABLE IF EXISTS " + quoted)
	execute("CREATE TABLE " + quoted + " (" + strings.Join(declared, ", ") + ", id integer)" + e.stored)
	var args []any
	var records []string
	for id := range rows {
		var places []string
		for _, values := range columns {
			from := values[0]
			if len(from) == 0 || e.random.IntN(12*(1+len(columns)/10)) == 0 {
				from = values[1]
			}
			value, place := from[e.random.IntN(len(from))], e.place(len(args)+1)
			if value == nil {
				places = append(places, "NULL")
				continue
			}
			if typed, ok := value.(typedText); ok {
				value, place = typed.text, "CAST(CAST("+place+" AS text) AS "+typed.as+")"
			}
			args, places = append(args, value), append(places, place)
		}
		records = append(records, "("+strings.Join(append(places, strconv.Itoa(id)), ", ")+")")
	}
	execute("INSERT INTO "+quoted+" VALUES "+strings.Join(records, ", "), args...)
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}

	p, err := newPredictor(m, "id")
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	p.w = &written
	if err := p.header(); err != nil {
		t.Fatal(err)
	}
	o := source.Options{Query: "SELECT * FROM " + quoted, LabelOptional: true, Keep: "id", Reasons: true}
	if e.reopen != nil {
		e.db.Close()
	}
	if err := source.Records(context.Background(), e.location, m.Schema, o, p.write); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if e.reopen != nil {
		e.db = e.reopen()
	}
	want, err := csv.NewReader(&written).ReadAll()
	if err != nil || len(want) != rows+1 {
		t.Fatalf("%s: %d lines, %v", name, len(want), err)
	}
	for _, id := range []string{"id", ""} {
		got := e.result(t, name, m, id)
		if id == "" {
			for i := range want {
				want[i] = want[i][1:]
			}
		}
		if !slices.Equal(got[0], want[0]) {
			t.Fatalf("%s: columns %q, predict has %q", name, got[0], want[0])
		}
		slices.SortFunc(got[1:], slices.Compare)
		slices.SortFunc(want[1:], slices.Compare)
		for i := range want {
			if i >= len(got) || !slices.Equal(got[i], want[i]) {
				t.Fatalf("%s: %q, predict has %q in %d lines\n%v", name, got[min(i, len(got)-1):], want[i], len(want), declared)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%s: %d lines, predict has %d", name, len(got), len(want))
		}
	}
	e.counts.add(m, rows, int(p.empty))
}

// result returns the result of the SQL statement of the model m as predict writes it, with the header. If the name of the
// column id is not empty, the statement returns it.
func (e *exported) result(t *testing.T, name string, m *model.Model, id string) [][]string {
	t.Helper()
	statement, err := export.SQL(m, export.Options{Dialect: e.dialect, Table: hostileTable, ID: id})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if bytes.Contains(statement, []byte("-- NOT PRIVATE.")) != (m.Guarantee == nil) {
		t.Fatalf("%s: %.300s", name, statement)
	}
	result, err := e.db.Query(string(statement))
	if err != nil {
		t.Fatalf("%s: %v\n%.3000s", name, err, statement)
	}
	defer result.Close()
	header, err := result.Columns()
	if err != nil {
		t.Fatal(err)
	}
	lines := [][]string{header}
	for result.Next() {
		values := make([]any, len(header))
		targets := make([]any, len(header))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := result.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		line := make([]string, len(header))
		for i, v := range values {
			line[i] = cellOf(v, strings.HasPrefix(header[i], "risk"))
		}
		lines = append(lines, line)
	}
	if err := result.Err(); err != nil {
		t.Fatalf("%s: %v\n%.3000s", name, err, statement)
	}
	return lines
}

// cellOf formats a value in the result of a statement in the same way as predict.
func cellOf(v any, isRisk bool) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', riskDigits, 64)
	case []byte:
		return string(v)
	}
	text := fmt.Sprint(v)
	if x, err := strconv.ParseFloat(text, 64); err == nil && isRisk { // an integer or a decimal of the driver
		return strconv.FormatFloat(x, 'f', riskDigits, 64)
	}
	return text
}

// A typedText is the text of a value, with the type of the value.
type typedText struct{ text, as string }

var plainNumber = regexp.MustCompile(`^[+-]?([0-9]{1,18})(\.[0-9]{1,12})?$`)

func TestExportSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.db")
	put(t, path, "")
	location := "sqlite:" + path
	e := &exported{dialect: "sqlite", location: location, db: openDatabase(t, location), place: marked, random: rand.New(rand.NewPCG(11, 0))}
	// Values of all storage classes, in columns of all affinities.
	e.kinds = []string{"", "", "text", "numeric", "integer", "real", "blob"}
	e.values = func(_ string, texts []string) (values []any) {
		for _, text := range texts {
			values = append(values, text)
			if text == "+Inf" {
				values = append(values, math.Inf(1))
			}
			if plainNumber.MatchString(text) {
				if x, err := strconv.ParseFloat(text, 64); err == nil {
					values = append(values, x)
				}
				if n, err := strconv.ParseInt(text, 10, 64); err == nil {
					values = append(values, n, n)
				}
			}
			if e.random.IntN(4) == 0 {
				values = append(values, []byte(text))
			}
		}
		return values
	}
	exportedModels(t, e.random, heavy.Pick(4, 40), func(name string, made func() *model.Model) { e.hold(t, name, made()) })
	e.counts.log(t, e.dialect)
	e.hold(t, "constant", constantModel(t))
}

// exportDatabase creates a database that only this process uses, and drops it at the end of the test. The environment
// variable names the server. The arguments create and drop are options of the statements CREATE DATABASE and DROP DATABASE.
func exportDatabase(t *testing.T, variable, missing, create, drop string) (name string, location *url.URL) {
	t.Helper()
	server := os.Getenv(variable)
	if server == "" {
		shareddata.Missing(t, variable+" does not name "+missing)
	}
	admin := openDatabase(t, server)
	name = fmt.Sprintf("export_%d", os.Getpid())
	for _, statement := range []string{"DROP DATABASE IF EXISTS " + name, "CREATE DATABASE " + name + create} {
		if _, err := admin.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { admin.Exec("DROP DATABASE " + name + drop) })
	location, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	location.Path = "/" + name
	return name, location
}

func TestExportPostgres(t *testing.T) {
	name, u := exportDatabase(t, "SIBYL_TEST_POSTGRES", "a PostgreSQL server; .ci/postgres starts one", "", " WITH (FORCE)")
	e := &exported{dialect: "postgresql", location: u.String(), db: openDatabase(t, u.String()), place: numbered, random: rand.New(rand.NewPCG(12, 0))}
	// A user who may create objects can define functions and operators that match better than the
	// server's.
	for _, statement := range []string{
		"CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
		"CREATE FUNCTION public.concat(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'x'::text $$",
		"CREATE FUNCTION public.ltrim(text, text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '5'::text $$",
		"CREATE FUNCTION public.never(integer, integer) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT false $$",
		"CREATE OPERATOR public.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = public.never)",
		"CREATE OPERATOR public.< (LEFTARG = integer, RIGHTARG = integer, FUNCTION = public.never)",
		"ALTER DATABASE " + name + " SET search_path = public, pg_catalog",
	} {
		if _, err := e.db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	e.db.Close()
	e.db = openDatabase(t, u.String())
	e.kinds = []string{"text", "text", "text", "varchar(60)", "char(30)", "text COLLATE anycase", "numeric", "numeric(30,3)", "bigint", "integer", "double precision", "real", "boolean"}
	e.values = func(kind string, texts []string) (values []any) {
		as, _, _ := strings.Cut(kind, " COLLATE")
		for _, text := range texts {
			if text == "+Inf" && (as == "double precision" || as == "real") {
				text = "Infinity"
			}
			number := plainNumber.MatchString(text)
			n, err := strconv.ParseInt(text, 10, 32)
			switch {
			case strings.ContainsRune(text, 0),
				as == "boolean" && text != "true" && text != "FALSE",
				strings.HasPrefix(as, "numeric") && !number && text != "NaN",
				(as == "double precision" || as == "real") && !number && !slices.Contains([]string{"NaN", "Infinity", "-Infinity", "1e3", "1e20", "1e-7", "1.5e30"}, text),
				(as == "bigint" || as == "integer") && (err != nil || n < -2147483648):
			default:
				values = append(values, typedText{text, as})
			}
		}
		return values
	}
	exportedModels(t, e.random, heavy.Pick(4, 40), func(name string, made func() *model.Model) { e.hold(t, name, made()) })
	e.counts.log(t, e.dialect)
	e.hold(t, "constant", constantModel(t))
}

// TestExportMariaDB renames a column whose name ends with a blank, because MariaDB refuses such a name. It uses a
// storage engine whose tables can have 800 text columns.
func TestExportMariaDB(t *testing.T) {
	_, u := exportDatabase(t, "SIBYL_TEST_MYSQL", "a MariaDB server; .ci/mariadb starts one", " CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", "")
	e := &exported{dialect: "mariadb", location: u.String(), db: openDatabase(t, u.String()), place: marked, stored: " ENGINE=MyISAM", random: rand.New(rand.NewPCG(13, 0))}
	// The server's own functions precede those of a database.
	for _, statement := range []string{"CREATE FUNCTION coercibility(x text) RETURNS int DETERMINISTIC RETURN 5", "CREATE FUNCTION reverse(x text) RETURNS text DETERMINISTIC RETURN 'x'"} {
		if _, err := e.db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	e.kinds = []string{"text", "text", "varchar(60) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", "char(60) COLLATE utf8mb4_bin", "varchar(60) CHARACTER SET latin1 COLLATE latin1_general_cs", "varbinary(100)", "blob",
		"decimal(30,3)", "decimal(65,30)", "bigint", "bigint unsigned", "int", "int(9) zerofill", "year", "boolean", "double", "double(20,4)", "float", "float(9,2)"}
	e.values = func(kind string, texts []string) (values []any) {
		for _, text := range texts {
			x, err := strconv.ParseFloat(text, 64)
			number := err == nil && (plainNumber.MatchString(text) || text == "1e3" || text == "1e20" || text == "1e-7" || text == "1.5e30")
			whole := number && x == math.Trunc(x)
			switch of, _, _ := strings.Cut(kind, "("); {
			case strings.Contains(kind, "latin1") && strings.ContainsFunc(text, func(r rune) bool { return r > 0xff }),
				(of == "double" || of == "float") && !number,
				strings.ContainsAny(kind, "(") && (of == "double" || of == "float") && math.Abs(x) >= 1e6,
				of == "decimal" && (!number || math.Abs(x) >= 1e25),
				strings.HasPrefix(kind, "bigint") && (!whole || math.Abs(x) >= 1e18 || x < 0 && strings.HasSuffix(kind, "unsigned")),
				of == "int" && (!whole || math.Abs(x) >= 1e9 || x < 0 && strings.HasSuffix(kind, "zerofill")),
				of == "year" && (!whole || x < 1901 || x > 2155),
				of == "boolean" && (!whole || math.Abs(x) > 127):
			default:
				values = append(values, text)
			}
		}
		return values
	}
	exportedModels(t, e.random, heavy.Pick(4, 40), func(name string, made func() *model.Model) {
		m := made()
		s := *m.Schema
		s.Attributes = slices.Clone(s.Attributes)
		for j := range s.Attributes {
			if a := &s.Attributes[j]; strings.HasSuffix(a.Column, " ") {
				a.Column += "_"
			}
		}
		m.Schema = &s
		kinds := e.kinds
		if len(s.Attributes) > 100 {
			e.kinds = []string{"text", "blob"} // of others a row would be too long
		}
		e.hold(t, name, m)
		e.kinds = kinds
	})
	e.counts.log(t, e.dialect)
	e.hold(t, "constant", constantModel(t))
}

func openDatabase(t testing.TB, location string) *sql.DB {
	t.Helper()
	u, err := database.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	db, err := u.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
