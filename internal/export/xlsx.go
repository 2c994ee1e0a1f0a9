package export

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/sibyl-dp/sibyl/internal/export/spreadsheet"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/rule"
	"github.com/sibyl-dp/sibyl/internal/table"
)

var xlsxFormat = Format{Name: "xlsx", Ending: ".xlsx", What: "a spreadsheet with input cells and formulas, for Excel and LibreOffice (tested in LibreOffice only)", Write: XLSX, Binary: true}

// mostDigitsOfCell is the maximum number of significant decimal digits for which spreadsheet programs distinguish all
// different numbers. Excel compares 15 digits. LibreOffice treats numbers as equal if their relative difference is
// below 2⁻⁴⁸, which is about 3.6·10⁻¹⁵, so it may treat different numbers of 15 digits as equal, but not those of 14
// digits.
const mostDigitsOfCell = 14

// A book is a workbook under construction. Its first sheet is the calculator, and the other sheets hold the data that
// the calculator's formulas read. No formula contains a text of the schema; these texts are in cells.
type book struct {
	model      *model.Model
	asked      []int // the attributes that have rows
	calculator *spreadsheet.Sheet
	categories *spreadsheet.Sheet // a row for each category
	values     *spreadsheet.Sheet // a row for each text or number that is listed
	rule       *spreadsheet.Sheet // a row for each attribute, each part of the rule and each result
	codes      map[int]string     // by attribute, the cell of its code; -1 if the value is outside the domain
	points     map[int]string     // by attribute, the cell of its points
	bonus      string             // the cell of the bonus of a record; empty without a bonus
	names      map[int]area       // by attribute, the names of its categories
	row        int                // the number of the last used row of the sheet rule
}

// An area is a range of adjacent cells in one column of a sheet.
type area struct {
	sheet          *spreadsheet.Sheet
	column, row, n int
}

func (a area) String() string {
	if a.n == 0 {
		return ""
	}
	return a.sheet.Range(a.column, a.row, a.column, a.row+a.n-1)
}

// beside returns the area with the same rows in another column.
func (a area) beside(column int) area { return area{a.sheet, column, a.row, a.n} }

// at returns the spreadsheet formula for the element of the area with the given index, an expression that counts from
// 0.
func (a area) at(index string) string { return "INDEX(" + a.String() + "," + index + "+1)" }

// The numbers of the columns in the workbook's four sheets, counted from 1.
const (
	nameColumn = 1

	inputColumn  = 2 // of the calculator
	readAsColumn = 3
	pointColumn  = 4

	categoryColumn = 2 // of categories
	pointsOfColumn = 3
	cutColumn      = 4

	textColumn   = 2 // of values
	numberColumn = 3
	codeOfColumn = 4

	valueColumn = 2 // of the rule
	codeColumn  = 3
	codesColumn = 3 // the first of the codes that a condition accepts
)

// XLSX returns a workbook that computes predictions. It has an input cell for each attribute that the rule needs, and
// its formulas compute what the command predict writes for a record with the values in these cells. XLSX returns an
// error if the model contains numbers with more digits than spreadsheet programs distinguish.
func XLSX(m *model.Model, _ Options) ([]byte, error) {
	d, err := documentOf(m)
	if err != nil {
		return nil, err
	}
	if err := exactTotals(m, "a spreadsheet", int64(math.Pow10(mostDigitsOfCell))); err != nil {
		return nil, err
	}
	b := &book{model: m, asked: asked(m), codes: map[int]string{}, points: map[int]string{}, names: map[int]area{},
		calculator: &spreadsheet.Sheet{Name: "Calculator", Widths: []float64{34, 30, 34, 18}, Height: 24},
		categories: &spreadsheet.Sheet{Name: "Categories", Widths: []float64{34, 34, 10, 16}, Frozen: 1, Lines: true},
		values:     &spreadsheet.Sheet{Name: "Values", Widths: []float64{34, 34, 16, 10}, Frozen: 1, Lines: true},
		rule:       &spreadsheet.Sheet{Name: "Rule", Widths: []float64{46, 16, 10}, Frozen: 1, Lines: true},
	}
	heads(b.categories, "Attribute", "Category", "Points", "From")
	heads(b.values, "Attribute", "Text", "Number", "Category, from 0")
	heads(b.rule, "What", "Value", "Category, from 0; or accepted categories")
	b.row = 1
	if err := b.fits(); err != nil {
		return nil, err
	}
	for _, j := range b.asked {
		b.listCategories(j)
	}
	results := b.results(d)
	if err := b.inputs(4 + len(results)); err != nil {
		return nil, err
	}
	b.write(d, results)
	words, err := b.words(d)
	if err != nil {
		return nil, err
	}
	return spreadsheet.Write(cmp.Or(m.Schema.Name, d.Label.Column), b.calculator, words, b.rule, b.categories, b.values)
}

// asked returns the attributes that have a row in the calculator: those that the rule needs, and some that only
// restrict the domain. An attribute of the second kind reads the same column as a needed attribute and has no
// category for other values, so it may exclude values that the needed attribute accepts.
func asked(m *model.Model) (all []int) {
	needed := rule.Attributes(m.Rule())
	columns := map[string]bool{}
	for _, j := range needed {
		columns[m.Schema.Attributes[j].Column] = true
	}
	for j, a := range m.Schema.Attributes {
		if slices.Contains(needed, j) || columns[a.Column] && a.Other == "" {
			all = append(all, j)
		}
	}
	return all
}

// heads writes the headings of the columns into the first row of a sheet.
func heads(s *spreadsheet.Sheet, texts ...string) {
	for i, text := range texts {
		s.Text(i+1, 1, spreadsheet.Heading, text)
	}
}

// fits returns an error if the attributes of the rule do not fit into the sheets.
func (b *book) fits() error {
	rows := 0
	for _, j := range b.asked {
		a := &b.model.Schema.Attributes[j]
		of := readColumnOf(a, &b.model.Schema.File)
		rows += a.Len() + len(of.Missing) + len(a.MissingDays())
		for _, texts := range append(of.Values, of.Categories) {
			rows += len(texts)
			for _, text := range texts {
				if len(utf16.Encode([]rune(text))) > spreadsheet.MostText {
					return fmt.Errorf("attribute %s has a text of more than %d characters, which a cell cannot contain; export the model in another format", quote.Word(a.Name), spreadsheet.MostText)
				}
			}
		}
		if a.Len() > spreadsheet.MostColumns {
			return fmt.Errorf("attribute %s has %d categories, but a spreadsheet has only %d columns; export the model as JavaScript, Python or Go", quote.Word(a.Name), a.Len(), spreadsheet.MostColumns)
		}
	}
	if rows > spreadsheet.MostRows/2 {
		return errors.New("the model has more categories than a spreadsheet has rows; export the model as JavaScript, Python or Go")
	}
	return nil
}

// listCategories writes the categories of the attribute with index j into a sheet of the workbook, to which formulas
// refer.
func (b *book) listCategories(j int) {
	a, s := &b.model.Schema.Attributes[j], b.categories
	names := a.Categories()
	of := area{s, categoryColumn, s.Rows() + 1, len(names)}
	b.names[j] = of
	points, _ := b.model.Rule().(rule.Points)
	for code, name := range names {
		s.Text(nameColumn, of.row+code, spreadsheet.Plain, a.Name)
		s.Text(categoryColumn, of.row+code, spreadsheet.Plain, name)
		if points.Of != nil && len(points.Of[j]) > 0 {
			s.Number(pointsOfColumn, of.row+code, spreadsheet.Plain, strconv.Itoa(points.Of[j][code]))
		}
		if 0 < code && code <= len(a.Cuts) {
			s.Number(cutColumn, of.row+code, spreadsheet.Plain, string(a.Cuts[code-1]))
		}
	}
}

// A listing is a value of an attribute that a user can enter, with the code of its category. If the text of the value
// is a decimal, the field number holds this decimal, and otherwise "".
type listing struct {
	text, number string
	code         int
}

// list writes values of an attribute to the sheet of values, and returns the area with their texts.
func (b *book) list(a *table.Attribute, entries []listing) area {
	s := b.values
	of := area{s, textColumn, s.Rows() + 1, len(entries)}
	for i, e := range entries {
		s.Text(nameColumn, of.row+i, spreadsheet.Plain, a.Name)
		s.Text(textColumn, of.row+i, spreadsheet.Plain, e.text)
		if e.number == "" {
			s.Text(numberColumn, of.row+i, spreadsheet.Plain, e.text) // it equals no number
		} else {
			s.Number(numberColumn, of.row+i, spreadsheet.Plain, e.number)
		}
		s.Number(codeOfColumn, of.row+i, spreadsheet.Plain, strconv.Itoa(e.code))
	}
	return of
}

// inputs writes the rows of the attributes that the user enters. In the sheet Calculator, they contain the input
// cells, and begin below the given row. In the sheet Rule, they contain the formulas for the category codes of the
// attributes.
func (b *book) inputs(row int) error {
	columns := map[string]string{} // the input cell of each column
	kinds := map[string]spreadsheet.Style{}
	s := b.calculator
	for i, text := range []string{"Attribute", "Value", "Read as", "Points"} {
		if _, scored := b.model.Rule().(rule.Points); len(b.asked) > 0 && (scored || i < pointColumn-1) {
			s.Text(i+1, row, spreadsheet.Heading, text)
		}
	}
	for _, j := range b.asked {
		row++
		a := &b.model.Schema.Attributes[j]
		style := spreadsheet.TextInput
		switch {
		case a.IsDate():
			style = spreadsheet.DateInput
		case len(a.Cuts) > 0:
			style = spreadsheet.NumberInput
		}
		input, known := columns[a.Column]
		if known && kinds[a.Column] != style {
			return fmt.Errorf("the column %s is read as values of several types, but a spreadsheet cell has one type; export the model as JavaScript, Python or Go", quote.Word(a.Column))
		}
		s.Text(nameColumn, row, spreadsheet.Plain, a.Name)
		if known {
			s.Text(inputColumn, row, spreadsheet.Quiet, "as above")
		} else {
			input = s.Cell(inputColumn, row)
			columns[a.Column], kinds[a.Column] = input, style
			s.Input(inputColumn, row, style)
		}
		listed, err := b.code(j, input)
		if err != nil {
			return err
		}
		if !known {
			s.Validate(inputColumn, row, validation(a, style, listed))
		}
		code := b.codes[j]
		s.Formula(readAsColumn, row, spreadsheet.Plain, fmt.Sprintf(`IF(%s<0,IF(%s="","✗ missing","✗ outside the domain"),%s)`, code, input, b.names[j].at(code)))
		s.Warn(readAsColumn, row)
		if points := b.points[j]; points != "" {
			s.Formula(pointColumn, row, spreadsheet.Plain, fmt.Sprintf(`IF(%s<0,"",%s)`, code, points))
		}
	}
	return nil
}

// validation returns the restriction of what users can enter for an attribute. The style of the input cell determines
// whether they enter a number, enter a date, or choose from a list. In the third case, the parameter listed is the
// area with the texts of the list.
func validation(a *table.Attribute, style spreadsheet.Style, listed area) spreadsheet.Validation {
	v := spreadsheet.Validation{Title: a.Name, Wrong: "This value is outside the domain of the model."}
	missing := ""
	if a.Other != "" {
		missing = " Leave the cell empty if the value is missing."
	}
	switch style {
	case spreadsheet.NumberInput:
		v.Kind, v.Least, v.Most = "decimal", "-1E+300", "1E+300"
		v.Hint = "Enter a number" + in(a.Units) + "." + missing
	case spreadsheet.DateInput:
		v.Kind, v.Least, v.Most = "date", strconv.Itoa(firstSerial), strconv.Itoa(lastSerial)
		v.Hint = "Enter a date from 1900-03-01." + missing
	default:
		v.Kind, v.Least = "list", listed.String()
		v.Hint = "Choose from the list." + missing
		if len(a.Groups) > 0 || a.Other != "" {
			v.Warns, v.Wrong = true, "This value is not in the list. Continue if it is a value of the data."
		}
	}
	return v
}

// in returns the end of the hint "Enter a number" for an attribute whose numbers have units, such as ", without its
// unit kg". If there are no units, it returns "".
func in(units []string) string {
	if len(units) == 0 {
		return ""
	}
	return ", without its unit " + units[0]
}

// firstSerial and the following constants are serial numbers of days, as spreadsheet programs store dates. Excel and
// LibreOffice agree on the dates from firstSerial to lastSerial. The number unixSerial is 1970-01-01.
const (
	firstSerial = 61      // 1900-03-01
	lastSerial  = 2958465 // 9999-12-31
	unixSerial  = 25569
)

// code writes the formula for the category code of the attribute with index j to a row of the sheet Rule. The
// parameter input is the name of the input cell. If the user chooses the value from a list, code returns the area of
// this list.
func (b *book) code(j int, input string) (listed area, err error) {
	a, s := &b.model.Schema.Attributes[j], b.rule
	b.row++
	row := b.row
	other := "-1"
	if a.Other != "" {
		other = strconv.Itoa(a.Len() - 1)
	}
	s.Text(nameColumn, row, spreadsheet.Plain, a.Name)
	read := s.Cell(valueColumn, row)
	b.codes[j] = s.Cell(codeColumn, row)
	if points, ok := b.model.Rule().(rule.Points); ok && len(points.Of[j]) > 0 {
		b.points[j] = b.names[j].beside(pointsOfColumn).at(b.codes[j])
	}
	if len(a.Cuts) == 0 && !a.IsDate() {
		entries, named := entriesOf(a)
		of := b.list(a, entries)
		if listed = of; named {
			listed = b.names[j]
		}
		s.Formula(valueColumn, row, spreadsheet.Plain, fmt.Sprintf("IF(ISNUMBER(%s),SUMPRODUCT((%s=%s)*(%s+1)),SUMPRODUCT(EXACT(%s,%s)*(%s+1)))",
			input, of.beside(numberColumn), input, of.beside(codeOfColumn), input, of, of.beside(codeOfColumn)))
		s.Formula(codeColumn, row, spreadsheet.Plain, fmt.Sprintf("IF(%s=0,%s,%s-1)", read, other, read))
		return listed, nil
	}
	if err := b.exact(a); err != nil {
		return area{}, err
	}
	number, missing := "IF(ISNUMBER("+input+"),"+input+`,"")`, []listing(nil)
	if a.IsDate() {
		number = fmt.Sprintf(`IF(ISNUMBER(%s),IF(AND(%s>=%d,%s<%d),%s,""),"")`, input, input, firstSerial, input, lastSerial+1, dateNumber(a, "INT("+input+")"))
	}
	for _, m := range a.MissingNumbers() {
		missing = append(missing, listing{string(m), string(m), a.Len() - 1})
	}
	absent := read + `=""`
	for _, day := range a.MissingDays() { // compared as dates, whatever part of them is read
		serial := strconv.FormatInt(day+unixSerial, 10)
		missing = append(missing, listing{serial, serial, a.Len() - 1})
	}
	code := fmt.Sprintf("SUMPRODUCT(--(%s<=%s))", area{b.categories, cutColumn, b.names[j].row + 1, len(a.Cuts)}, read)
	if len(a.Cuts) == 0 { // values or groups of a part of dates
		entries, _ := entriesOf(a)
		of := b.list(a, entries)
		code = fmt.Sprintf("IF(SUMPRODUCT(--(%s=%s))=0,%s,SUMPRODUCT((%s=%s)*%s))", of.beside(numberColumn), read, other, of.beside(numberColumn), read, of.beside(codeOfColumn))
	}
	if len(missing) > 0 {
		of, compared := b.list(a, missing).beside(numberColumn), read
		if a.IsDate() {
			compared = "INT(" + input + ")"
		}
		code = fmt.Sprintf("IF(SUMPRODUCT(--(%s=%s))>0,%s,%s)", of, compared, other, code)
	}
	s.Formula(valueColumn, row, spreadsheet.Plain, number)
	s.Formula(codeColumn, row, spreadsheet.Plain, fmt.Sprintf(`IF(%s,IF(%s="",%s,-1),%s)`, absent, input, other, code))
	return area{}, nil
}

// dateNumber returns the spreadsheet formula for the number by which an attribute represents a date, such as the
// month. The parameter day is an expression for the date.
func dateNumber(a *table.Attribute, day string) string {
	switch a.Part {
	case "year":
		return "YEAR(" + day + ")"
	case "month":
		return "MONTH(" + day + ")"
	case "day":
		return "DAY(" + day + ")"
	case "weekday":
		return "WEEKDAY(" + day + ",2)"
	}
	if a.AgeAt == "" {
		return fmt.Sprintf("%s-%d", day, unixSerial)
	}
	var year, month, date int
	fmt.Sscanf(a.AgeAt, "%d-%d-%d", &year, &month, &date)
	return fmt.Sprintf("%d-YEAR(%s)-IF(%d<MONTH(%s)*100+DAY(%s),1,0)", year, day, 100*month+date, day, day)
}

// exact returns an error if a cut of the attribute, or a number that means a missing value, has more digits than
// spreadsheet programs distinguish.
func (b *book) exact(a *table.Attribute) error {
	_, err := floats(a, slices.Concat(a.Cuts, a.MissingNumbers()), mostDigitsOfCell)
	return err
}

// entriesOf returns the values that a user can enter for an attribute with values or groups. The names of the groups
// can also be entered, unless they would be ambiguous, because the name of some category is also a value of another
// category. The result named reports whether names can be entered.
func entriesOf(a *table.Attribute) (entries []listing, named bool) {
	enter := func(text string, code int) {
		e := listing{text: text, code: code}
		if d, ok := table.ParseDecimal(text); ok && string(d) == text && digitsOf(d) <= mostDigitsOfCell {
			e.number = text // as predict reads a cell with this number
		}
		entries = append(entries, e)
	}
	codes := map[string]int{}
	for code, v := range a.Values {
		codes[v] = code
		enter(v, code)
	}
	for code, g := range a.Groups {
		for _, v := range g.Values {
			codes[v] = code
			enter(v, code)
		}
	}
	named = true
	for code, name := range a.Categories() {
		if of, listed := codes[name]; listed && of != code {
			named = false
		}
	}
	for code, g := range a.Groups {
		if _, listed := codes[g.Name]; named && !listed {
			entries = append(entries, listing{text: g.Name, code: code})
		}
	}
	return entries, named
}

// A result is one line of the results in the sheet Calculator, such as the risk.
type result struct {
	name   string
	style  spreadsheet.Style
	values []string // by index of the document's results: a decimal, or a text that begins with an apostrophe
	ends   [2][]string
}

// results returns the lines of the results: the prediction, the grade if it has a name, and the risks.
func (b *book) results(d *document) []result {
	prediction := result{name: "Prediction of " + d.Label.Column, style: spreadsheet.Result}
	for _, r := range d.Results {
		text := strconv.Itoa(r.Prediction)
		if d.Label.Outcomes != nil {
			text = "'" + d.Label.Outcomes[r.Prediction]
		}
		prediction.values = append(prediction.values, text)
	}
	all := []result{prediction}
	if d.Measure != "" {
		all = append(all, result{name: strings.ToUpper(d.Measure[:1]) + d.Measure[1:], style: spreadsheet.Result})
	}
	if risks := b.model.RiskOf(); risks != nil {
		for i := range risks(d.Results[0].From) {
			r := result{name: "Risk", style: spreadsheet.Share}
			if d.Label.Outcomes != nil {
				r.name += " of " + d.Label.Outcomes[i]
			}
			for _, of := range d.Results {
				share := risks(of.From)[i]
				text := "'"
				if share.Value != nil {
					text = riskText(*share.Value)
				}
				r.values = append(r.values, text)
				least, most := outward(share)
				r.ends[0], r.ends[1] = append(r.ends[0], least), append(r.ends[1], most)
			}
			all = append(all, r)
		}
	}
	return all
}

// outward returns the ends of an interval, rounded outward to as many decimals as risks have.
func outward(s risk.Share) (least, most string) {
	unit := math.Pow10(RiskDigits)
	return riskText(max(0, math.Floor(s.Least*unit)/unit)), riskText(min(1, math.Ceil(s.Most*unit)/unit))
}

// write fills the sheets Rule and Calculator below the inputs. The sheet Rule receives the parts of the rule, and a
// table of the results for each range of grades. The sheet Calculator receives the results for the entered record.
func (b *book) write(d *document, results []result) {
	s := b.rule
	inside := []string{}
	for _, j := range b.asked {
		inside = append(inside, b.codes[j])
	}
	b.row += 2
	s.Text(nameColumn, b.row, spreadsheet.Plain, "Whether all values are in the domain")
	valid := s.Cell(valueColumn, b.row)
	if len(inside) == 0 {
		s.Number(valueColumn, b.row, spreadsheet.Plain, "1")
	} else {
		s.Formula(valueColumn, b.row, spreadsheet.Plain, fmt.Sprintf("IF(MIN(%s)<0,0,1)", s.Range(codeColumn, 2, codeColumn, 1+len(b.asked))))
	}
	b.row++
	first := b.row
	grade := s.Cell(valueColumn, first)
	b.body(first, b.model.Rule())
	b.row += 2
	s.Text(nameColumn, b.row, spreadsheet.Heading, "Results, for the greatest grade that is at most the value of the rule")
	for i, r := range results {
		s.Text(valueColumn+3*i+1, b.row, spreadsheet.Heading, r.name)
	}
	from := area{s, valueColumn, b.row + 1, len(d.Results)}
	for i, r := range d.Results {
		s.Number(valueColumn, from.row+i, spreadsheet.Plain, strconv.Itoa(r.From))
	}
	last := fmt.Sprintf("SUMPRODUCT(--(%s<=%s))", from, grade) // of the results, from 1
	c := b.calculator
	c.Text(1, 1, spreadsheet.Title, cmp.Or(b.model.Schema.Name, d.Label.Column))
	c.Text(1, 2, spreadsheet.Quiet, "Change the yellow cells. "+brief(b.model))
	c.Merge(1, 2, pointColumn)
	for i, r := range results {
		row := 3 + i
		c.Text(nameColumn, row, spreadsheet.Plain, r.name)
		if r.values == nil {
			c.Formula(inputColumn, row, r.style, fmt.Sprintf(`IF(%s=0,"",%s)`, valid, grade))
			continue
		}
		for k, values := range [][]string{r.values, r.ends[0], r.ends[1]} {
			if values == nil {
				continue
			}
			of := from.beside(valueColumn + 3*i + 1 + k)
			for at, value := range values {
				if text, is := strings.CutPrefix(value, "'"); is {
					s.Text(of.column, of.row+at, spreadsheet.Plain, text)
				} else {
					s.Number(of.column, of.row+at, spreadsheet.Plain, value)
				}
			}
			formula := fmt.Sprintf(`IF(%s=0,"",INDEX(%s,%s))`, valid, of, last)
			c.Formula(inputColumn+k, row, []spreadsheet.Style{r.style, spreadsheet.AtLeast, spreadsheet.AtMost}[k], formula)
		}
	}
	if b.bonus != "" {
		row := c.Rows() + 1
		c.Text(nameColumn, row, spreadsheet.Plain, "Bonus")
		c.Formula(pointColumn, row, spreadsheet.Plain, fmt.Sprintf(`IF(%s=0,"",%s)`, valid, b.bonus))
	}
	if outcomes := b.model.Schema.Label.Outcomes(); outcomes == nil {
		h := report.NewHeading(b.model.Schema)
		row := from.row + from.n + 1
		for i, text := range []string{h.Negative, h.Positive} {
			s.Text(nameColumn, row+i, spreadsheet.Plain, "Prediction "+strconv.Itoa(i))
			s.Text(valueColumn, row+i, spreadsheet.Plain, text)
		}
		c.Formula(readAsColumn, 3, spreadsheet.Quiet, fmt.Sprintf(`IF(%s=0,"✗ a value is missing or outside the domain",%s)`, valid, area{s, valueColumn, row, 2}.at(c.Cell(inputColumn, 3))))
	} else {
		c.Formula(readAsColumn, 3, spreadsheet.Quiet, fmt.Sprintf(`IF(%s=0,"✗ a value is missing or outside the domain","")`, valid))
	}
	c.Warn(readAsColumn, 3)
}

// brief returns a statement of the model's guarantee on one line.
func brief(m *model.Model) string {
	if m.Guarantee == nil {
		return "NOT PRIVATE: see the sheet Guarantee."
	}
	return "The model is differentially private: " + report.Terms(m.Guarantee) + "."
}

// A part is an element of the rule that has a row of its own: a formula, a rule.Body, a bonus, or a spreadsheet
// formula for points.
type part struct {
	row  int
	of   any
	name string
}

// A bonus is a number of points that a record receives if it satisfies the formula when.
type bonus struct {
	when   rule.Formula
	points int
}

// body writes the spreadsheet formula for the value of a rule to a row, and the formulas for its parts to the rows
// below. Parts of the same formula are in adjacent rows, so that the spreadsheet formula can refer to them as a
// range.
func (b *book) body(row int, body rule.Body) {
	b.row = row
	queue := []part{{row, body, "Value of the rule"}}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		// below gives each part of p the next free row, and returns their values.
		below := func(parts ...part) area {
			at := area{b.rule, valueColumn, b.row + 1, len(parts)}
			for i := range parts {
				b.row++
				parts[i].row = b.row
			}
			queue = append(queue, parts...)
			return at
		}
		b.rule.Text(nameColumn, p.row, spreadsheet.Plain, p.name)
		b.rule.Formula(valueColumn, p.row, spreadsheet.Plain, b.formula(p, below))
	}
}

// formula returns the spreadsheet formula for the value of a part. If this formula needs the values of smaller parts,
// it calls the function in the parameter below, which assigns rows to these parts and returns the area of their
// values.
func (b *book) formula(p part, below func(...part) area) string {
	cell := func(of area, i int) string { return of.sheet.Cell(of.column, of.row+i) }
	switch of := p.of.(type) {
	case rule.Points:
		start := of.Start
		var sum []part
		for j, own := range of.Of {
			switch points, asked := b.points[j]; {
			case asked:
				sum = append(sum, part{of: points, name: "Points of " + b.model.Schema.Attributes[j].Name})
			case len(own) > 0:
				start += own[0]
			}
		}
		if of.If != nil {
			sum = append(sum, part{of: bonus{of.If, of.Bonus}, name: "Bonus"})
		}
		if len(sum) == 0 {
			return strconv.Itoa(start)
		}
		return fmt.Sprintf("%d+SUM(%s)", start, below(sum...))
	case string: // points
		return "IFERROR(" + of + ",0)"
	case bonus:
		b.bonus = b.rule.Cell(valueColumn, p.row)
		return fmt.Sprintf("%d*%s", of.points, cell(below(part{of: of.when, name: nameOf(of.when, b.model.Schema)}), 0))
	case rule.List:
		var steps []part
		for i, step := range of.Steps {
			steps = append(steps, part{of: allOf(step), name: "Rule " + strconv.Itoa(i+1)})
		}
		if len(steps) == 0 {
			return "0"
		}
		return fmt.Sprintf("IFERROR(MATCH(1,%s,0),0)", below(steps...))
	case *rule.Tree:
		if of.Leaf() {
			return strconv.Itoa(of.Number)
		}
		at := below(part{of: of.If, name: "Condition"}, part{of: of.Yes, name: "Yes"}, part{of: of.No, name: "No"})
		return fmt.Sprintf("IF(%s=1,%s,%s)", cell(at, 0), cell(at, 1), cell(at, 2))
	case rule.Decision:
		return b.formula(part{p.row, of.Formula, p.name}, below)
	case rule.Condition:
		return b.condition(p.row, of)
	}
	f := p.of.(rule.Formula)
	var parts []part
	for _, of := range rule.Parts(f) {
		parts = append(parts, part{of: of, name: nameOf(of, b.model.Schema)})
	}
	sum := "0"
	if len(parts) > 0 {
		sum = "SUM(" + below(parts...).String() + ")"
	}
	switch f.(type) {
	case rule.Not:
		return "1-" + sum
	case rule.Odd:
		return "MOD(" + sum + ",2)"
	}
	return fmt.Sprintf("IF(%s>=%d,1,0)", sum, leastOf(f))
}

// nameOf describes a Boolean formula in a few words.
func nameOf(f rule.Formula, s *table.Schema) string {
	switch f := f.(type) {
	case rule.Condition:
		return "Condition on " + s.Attributes[f.Attribute].Name
	case rule.Not:
		return "Not"
	case rule.All:
		return "All"
	case rule.Any:
		return "Any"
	case rule.Odd:
		return "An odd number"
	}
	return fmt.Sprintf("At least %d", leastOf(f))
}

// leastOf returns the minimum number of parts of a formula that must hold for the formula to hold.
func leastOf(f rule.Formula) int {
	switch f := f.(type) {
	case rule.Any:
		return 1
	case rule.AtLeast:
		return f.Count
	}
	return len(rule.Parts(f))
}

// condition returns the spreadsheet formula for a condition. It writes a list of category codes to the row of the
// condition: those that the condition accepts or those that it does not accept, whichever are fewer.
func (b *book) condition(row int, c rule.Condition) string {
	n, holds := b.model.Schema.Attributes[c.Attribute].Len(), ">0"
	if 2*len(c.Accepts) > n {
		c, holds = c.Complement(n), "=0"
	}
	if len(c.Accepts) == 0 {
		return map[string]string{">0": "0", "=0": "1"}[holds]
	}
	for i, code := range c.Accepts {
		b.rule.Number(codesColumn+i, row, spreadsheet.Plain, strconv.Itoa(int(code)))
	}
	return fmt.Sprintf("IF(COUNTIF(%s,%s)%s,1,0)", b.rule.Range(codesColumn, row, codesColumn+len(c.Accepts)-1, row), b.codes[c.Attribute], holds)
}

// words returns the sheet Guarantee, which contains the guarantee, the origin of the file, and the model in readable
// form.
func (b *book) words(d *document) (*spreadsheet.Sheet, error) {
	s := &spreadsheet.Sheet{Name: "Guarantee", Widths: []float64{110}}
	sheet := b.model.Sheet()
	row := 1
	say := func(text string) {
		row++
		s.Paragraph(row, text)
	}
	s.Text(1, row, spreadsheet.Title, "What protects people, and where this comes from")
	say(d.Guarantee)
	for _, text := range report.Promise(sheet.Thing(), b.model.Guarantee, b.model.Void.Text(), b.model.Schema) {
		say(text)
	}
	say("This file was written by sibyl export. It is computed from the released model alone, whose file has the SHA-256 digest " + strings.TrimPrefix(d.Model, "sha256:") + ", and reveals no more than the model. What is typed into it stays in it.")
	say(fmt.Sprintf("The results are those that sibyl predict writes for a record with these values, if the values of other attributes are in the domain. A number of up to %d significant digits is on the right side of every cut.", mostDigitsOfCell))
	row += 2
	var text bytes.Buffer
	if err := sheet.Write(&text); err != nil {
		return nil, err
	}
	for line := range strings.Lines(text.String()) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			s.Text(1, row, spreadsheet.Fixed, line)
		}
		row++
	}
	return s, nil
}
