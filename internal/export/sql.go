package export

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/source/pushdown"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A model is written as one SELECT with nested subqueries. They compute the columns that the model reads, the codes
// of their categories, the grade of each row, and the columns that depend on the grade. The codes are computed as for
// counts in a database (docs/explanation/proofs/sql.md): for any type and collation of a column, they are the
// function of a value's plain text that the command predict uses. The SELECT uses no name that users of the database
// can define.

var sqlFormat = Format{Name: "sql", Ending: ".sql", What: "a SELECT with a prediction for each row of a table", Write: SQL}

// A Dialect is a variant of SQL to which models can be exported.
type Dialect struct {
	Name string
	*database.Dialect
}

// Dialects lists the supported SQL dialects. For each of them, a test compares the results of exported SQL with the
// model's predictions.
var Dialects = []Dialect{{"postgresql", database.PostgreSQL}, {"sqlite", database.SQLite}, {"mariadb", database.MariaDB}, {"duckdb", database.DuckDB}}

// The names of the columns of the result, as the command predict writes them. If the grade is the number of a rule or
// of a leaf, the column is called "rule" or "leaf" instead of "points". If there are more than two outcomes, the risk
// of each has a column "risk of NAME".
const (
	predictionColumn = "prediction"
	pointsColumn     = "points"
	riskColumn       = "risk"
)

// RiskDigits is the number of decimals with which risks are written.
const RiskDigits = 4

// mostColumns is the maximum number of attributes that an exported statement reads. Databases limit the number of
// columns of a subquery.
const mostColumns = 800

// SQL returns a SELECT from a table whose columns have the names of the schema's columns. The result has one row for
// each row of the table. It contains
//   - the prediction: the index of the outcome if there are two, otherwise its name,
//   - the total of the points, or the number of the rule or leaf,
//   - the risks that the model states.
//
// The values equal those that the command predict computes for the same row, given as text. They are NULL if a value
// of the row is outside the schema's domain.
func SQL(m *model.Model, o Options) ([]byte, error) {
	at := slices.IndexFunc(Dialects, func(d Dialect) bool { return d.Name == o.Dialect })
	if at < 0 {
		var names []string
		for _, d := range Dialects {
			names = append(names, d.Name)
		}
		return nil, fmt.Errorf("the dialect %s is unknown; it must be %s", quote.Word(o.Dialect), strings.Join(names, " or "))
	}
	if o.Table == "" {
		return nil, errors.New("the name of the table is empty; name a table")
	}
	if column, keys := m.Schema.SpelledText(func(string) bool { return true }); column != "" {
		return nil, fmt.Errorf("the model reads numbers with %s in column %s, which cannot be exported as SQL; export it in another format, or learn from a column of numbers without these keys", keys, quote.Word(column))
	}
	s := &statement{d: Dialects[at].Dialect, schema: m.Schema, body: m.Rule(), reads: make(map[int]bool)}
	s.grade = s.graded()
	if points, ok := s.body.(rule.Points); ok {
		var err error
		if s.ends, err = ends(m, points); err != nil {
			return nil, err
		}
	}
	outputs, err := s.outputs(m.RiskOf(), o.ID)
	if err != nil {
		return nil, err
	}
	if n := len(s.reads); n > mostColumns {
		return nil, fmt.Errorf("the model reads %d attributes, and an SQL statement supports at most %d; export it in another format", n, mostColumns)
	}
	codes, err := s.codes(o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "-- Predictions of a released model for each row of a table, in the SQL of %s.\n-- %s\n", s.d.Name, promise(m))
	b.WriteString("-- All is NULL where a value lies outside the schema's domain.\n")
	fmt.Fprintf(&b, "SELECT %s\nFROM (\n  SELECT %s%s AS grade\n  FROM (\n%s\n  ) AS coded%s\n) AS graded\n",
		strings.Join(outputs, ",\n  "), s.id("id, "), s.grade, codes, s.fence())
	if bytes.IndexByte(b.Bytes(), 0) >= 0 {
		return nil, errors.New("a name or a value contains a zero byte, which SQL text cannot contain; export the model in another format")
	}
	return b.Bytes(), nil
}

// A statement is an SQL SELECT under construction that computes the predictions of a model.
type statement struct {
	d      *database.Dialect
	schema *table.Schema
	body   rule.Body
	grade  string       // the expression for the grade, given the codes
	reads  map[int]bool // the attributes whose codes are read
	keeps  bool         // whether the result contains a column of the data
	ends   []int        // for points, the totals at which the result changes
}

// code returns the name of the subquery's column with the category codes of an attribute, and records that the
// statement needs it.
func (s *statement) code(attribute int) string {
	s.reads[attribute] = true
	return "c" + strconv.Itoa(attribute)
}

// fence returns the SQL text that ends a subquery whose columns must be evaluated only once for each row. Some
// databases need it, because they would otherwise merge the subquery into the outer query.
func (s *statement) fence() string {
	if s.d.Fence == "" {
		return ""
	}
	return "\n  " + s.d.Fence
}

// id returns the given part of the SQL if the result contains an identifying column of the data (see Options.ID), and
// otherwise "".
func (s *statement) id(text string) string {
	if !s.keeps {
		return ""
	}
	return text
}

// graded returns the SQL expression for the grade of a record: the total of its points, the number of its rule or
// leaf, or the prediction. The expression is NULL for a record with a value outside the domain.
func (s *statement) graded() string {
	var grade string
	switch b := s.body.(type) {
	case rule.Points:
		grade = s.total(b)
	case rule.List:
		grade = "CASE"
		for i, step := range b.Steps {
			grade += fmt.Sprintf(" WHEN %s THEN %d", s.formula(allOf(step)), i+1)
		}
		if grade += " ELSE 0 END"; len(b.Steps) == 0 {
			grade = "0"
		}
	case *rule.Tree:
		grade = s.tree(b)
	case rule.Decision:
		grade = s.choice(s.formula(b.Formula), "1", "0")
	}
	var inside []string
	for j := range s.schema.Attributes {
		if s.schema.Attributes[j].Other == "" {
			inside = append(inside, s.code(j)+" IS NOT NULL")
		}
	}
	if len(inside) == 0 {
		return grade
	}
	return s.choice(s.joined("AND", inside), grade, "NULL")
}

func (s *statement) choice(condition, yes, no string) string {
	return "CASE WHEN " + condition + " THEN " + yes + " ELSE " + no + " END"
}

// joined joins SQL conditions by AND or OR (the parameter word). It nests them as a balanced tree, because databases
// limit the depth of expressions.
func (s *statement) joined(word string, of []string) string {
	if len(of) == 1 {
		return of[0]
	}
	half := len(of) / 2
	return "(" + s.joined(word, of[:half]) + " " + word + " " + s.joined(word, of[half:]) + ")"
}

// sum returns an SQL expression for the sum of the given expressions, nested as a balanced tree.
func (s *statement) sum(of []string) string {
	if len(of) == 1 {
		return of[0]
	}
	half := len(of) / 2
	return s.d.Apply("+", s.sum(of[:half]), s.sum(of[half:]))
}

// total returns the SQL expression for the total of a record's points, including its bonus.
func (s *statement) total(p rule.Points) string {
	start := int64(p.Start)
	var parts []string
	for j, own := range p.Of {
		if slices.Min(own) == slices.Max(own) {
			start += int64(own[0])
			continue
		}
		to := make([]int64, len(own))
		for code, points := range own {
			to[code] = int64(points)
		}
		parts = append(parts, s.whole(pushdown.Numbers(s.d, s.code(j), to)))
	}
	if p.If != nil {
		parts = append(parts, s.whole(s.choice(s.formula(p.If), strconv.Itoa(p.Bonus), "0")))
	}
	if start != 0 || len(parts) == 0 {
		parts = append(parts, s.whole(strconv.FormatInt(start, 10)))
	}
	return s.sum(parts)
}

// whole returns an SQL expression that converts the expression e to a 64-bit integer.
func (s *statement) whole(e string) string { return "CAST(" + e + " AS " + s.d.Whole + ")" }

// formula returns an SQL condition that is true for records that satisfy the formula. The condition assumes that the
// category codes are not NULL.
func (s *statement) formula(f rule.Formula) string {
	var parts []string
	for _, part := range rule.Parts(f) {
		parts = append(parts, s.formula(part))
	}
	switch f := f.(type) {
	case rule.Condition:
		return s.condition(f)
	case rule.Not:
		return "NOT (" + parts[0] + ")"
	case rule.All:
		if len(parts) == 0 {
			return s.d.Apply("=", "0", "0")
		}
		return s.joined("AND", parts)
	case rule.Any:
		if len(parts) > 0 {
			return s.joined("OR", parts)
		}
	case rule.Odd:
		if len(parts) > 0 {
			return s.d.Apply("=", s.d.Apply("%", s.counted(parts), "2"), "1")
		}
	case rule.AtLeast:
		if len(parts) == 0 {
			parts = []string{s.d.Apply("=", "0", "1")}
		}
		return s.d.Apply(">=", s.counted(parts), strconv.Itoa(f.Count))
	}
	return s.d.Apply("=", "0", "1")
}

// counted returns the SQL expression for the number of conditions that a record satisfies.
func (s *statement) counted(conditions []string) string {
	for i, c := range conditions {
		conditions[i] = s.choice(c, "1", "0")
	}
	return s.sum(conditions)
}

func (s *statement) condition(c rule.Condition) string {
	n, not := s.schema.Attributes[c.Attribute].Len(), ""
	if 2*len(c.Accepts) > n {
		c, not = c.Complement(n), "NOT "
	}
	if len(c.Accepts) == 0 {
		return not + s.d.Apply("=", "0", "1")
	}
	var codes []string
	for _, code := range c.Accepts {
		codes = append(codes, strconv.Itoa(int(code)))
	}
	return not + "(" + s.d.OneOf(s.code(c.Attribute), codes) + ")"
}

// tree returns an SQL expression for the number of the leaf of a decision tree that a record reaches.
func (s *statement) tree(t *rule.Tree) string {
	if t.Leaf() {
		return strconv.Itoa(t.Number)
	}
	return s.choice(s.condition(t.If), s.tree(t.Yes), s.tree(t.No))
}

// outputs returns the SQL expressions for the columns of the result, each with its name. They are computed from the
// column grade of a subquery.
func (s *statement) outputs(risks func(grade int) []risk.Share, id string) ([]string, error) {
	var columns, names []string
	add := func(e, name string) {
		columns, names = append(columns, e+" AS "+s.d.Identifier(name)), append(names, name)
	}
	outcomes := s.schema.Label.Outcomes()
	add(s.byGrade(func(grade int) string {
		if n := s.body.Predicts(grade); outcomes == nil {
			return strconv.Itoa(n)
		} else {
			return s.d.Literal(outcomes[n])
		}
	}), predictionColumn)
	switch measure := s.body.Measure(); measure {
	case "":
	case rule.Total:
		add("grade", pointsColumn)
	default:
		add("grade", measure)
	}
	if risks != nil {
		of := []string{riskColumn}
		if outcomes != nil {
			of = nil
			for _, name := range outcomes {
				of = append(of, riskColumn+" of "+name)
			}
		}
		for i, name := range of {
			add(s.byGrade(func(grade int) string {
				v := risks(grade)[i].Value
				if v == nil {
					return "NULL"
				}
				return riskText(*v)
			}), name)
		}
	}
	if id == "" {
		return columns, nil
	}
	if slices.Contains(names, id) {
		return nil, fmt.Errorf("the data's column %s has the same name as a column of the result; rename the column of the data", quote.Word(id))
	}
	s.keeps = true
	return slices.Insert(columns, 0, "id AS "+s.d.Identifier(id)), nil
}

// byGrade returns an SQL expression whose value depends on the grade. The parameter of is a function that returns the
// SQL text of the value for each grade.
func (s *statement) byGrade(of func(grade int) string) string {
	if _, ok := s.body.(rule.Points); ok {
		return s.bySteps(of)
	}
	begin, equals := s.d.Case("grade")
	for _, grade := range grades(s.body) {
		begin += " WHEN " + equals(strconv.Itoa(grade)) + " THEN " + of(grade)
	}
	return begin + " END"
}

// bySteps returns an SQL expression whose value depends on the total of points. The parameter of is a function that
// returns the SQL text of the value for each total. The text may change only at the totals in s.ends.
func (s *statement) bySteps(of func(grade int) string) string {
	e, last := "CASE", of(s.ends[0]-1)
	for _, end := range s.ends {
		if next := of(end); next != last {
			e += " WHEN " + s.d.Apply("<", "grade", strconv.Itoa(end)) + " THEN " + last
			last = next
		}
	}
	return e + " WHEN grade IS NOT NULL THEN " + last + " END"
}

// codes returns the SQL subquery whose columns are the category codes of the attributes that the statement needs.
func (s *statement) codes(o Options) (string, error) {
	var columns, named, shown, coded []string
	if s.keeps {
		named, shown, coded = []string{s.d.Identifier(o.ID) + " AS id"}, []string{"id"}, []string{"id"}
	}
	for j := range s.schema.Attributes {
		if !s.reads[j] {
			continue
		}
		a := &s.schema.Attributes[j]
		at := slices.Index(columns, a.Column)
		if at < 0 {
			at = len(columns)
			columns = append(columns, a.Column)
			v := "v" + strconv.Itoa(at)
			named, shown = append(named, s.d.Identifier(a.Column)+" AS "+v), append(shown, v)
			if s.d.Any.Text != "" {
				shown = append(shown, database.In(s.d.Any.Text, v)+" AS t"+strconv.Itoa(at))
			}
		}
		if a.IsDate() {
			return "", fmt.Errorf("the model reads dates in attribute %s, which cannot be exported as SQL; export it in another format, or learn from a column that contains the year or the age as a number", quote.Word(a.Name))
		}
		code, ok := pushdown.Code(s.d, a, *s.d.Any, "v"+strconv.Itoa(at), "t"+strconv.Itoa(at))
		if !ok {
			return "", fmt.Errorf("the cuts of attribute %s have too many digits for SQL; round them to at most 17 digits, before and after the point together", quote.Word(a.Name))
		}
		coded = append(coded, code+" AS c"+strconv.Itoa(j))
	}
	if len(coded) == 0 { // a SELECT needs a column
		named, shown, coded = []string{"0 AS c"}, []string{"c"}, []string{"c"}
	}
	return fmt.Sprintf("    SELECT %s\n    FROM (SELECT %s FROM (SELECT %s FROM %s) AS named%s) AS shown%s",
		strings.Join(coded, ",\n      "), strings.Join(shown, ", "), strings.Join(named, ", "), s.d.Identifier(o.Table), s.fence(), s.fence()), nil
}
