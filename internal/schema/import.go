package schema

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/database"
	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// An Import identifies the public source from which a schema is drafted: a file of published metadata, or the system
// tables of a database.
type Import struct {
	Location string // a file or the URL of a database
	Table    string // the table in it; "" if there is only one

	// Lookups name tables of a database whose rows are the public categories of a column. Each has the form
	// COLUMN=TABLE:CODE or COLUMN=TABLE:CODE:LABEL, where CODE and LABEL are the columns of TABLE that hold codes and
	// labels.
	Lookups []string
}

// Draft drafts a schema from the metadata, and adds the facts in k, which the user knows. It reads no rows and no
// statistics of a table.
func (i Import) Draft(ctx context.Context, k Known) (*Draft, error) {
	d, err := i.read(ctx)
	if err != nil {
		return nil, err
	}
	if k.Public != "" {
		d.Source += ", declared public by " + k.Public
	}
	if err := d.Apply(k); err != nil {
		if _, named := errors.AsType[*parameter.Error](err); named {
			return nil, err
		}
		return nil, fmt.Errorf("%s: %w", i.shown(), err)
	}
	return d, nil
}

// shown returns the name of the location for messages.
func (i Import) shown() string {
	if u, err := database.Parse(i.Location); database.IsURL(i.Location) && err == nil {
		return u.String()
	}
	return source.FileName(i.Location)
}

// database drafts a schema from the definition of a table in a database.
func (i Import) database(ctx context.Context) (*Draft, error) {
	d, err := readCatalog(ctx, i.Location, i.Table, i.Lookups)
	if err != nil {
		return nil, err
	}
	d.hint()
	d.Source = fmt.Sprintf("%s, table %s of %s", d.Source, quote.Word(firstOf(i.Table, d.Name)), i.shown())
	return d, nil
}

// hint adds a note to each column without categories whose name suggests that it identifies persons.
func (d *Draft) hint() {
	for i := range d.Columns {
		if c := &d.Columns[i]; !c.closed() && c.Drop == "" && Identifies(c.Name) {
			c.Notes = append(c.Notes, guess(c.Name))
		}
	}
}

func (i Import) read(ctx context.Context) (*Draft, error) {
	if web.MatchString(i.Location) {
		return nil, errors.New("metadata cannot be read from a web address; download the file and give its path")
	}
	if database.IsURL(i.Location) {
		return i.database(ctx)
	}
	if i.Lookups != nil {
		return nil, parameter.Errorf("{lookup} cannot be used here: only databases have lookup tables; leave {lookup} out")
	}
	name := source.FileName(i.Location)
	file, err := os.Open(i.Location)
	if err != nil {
		return nil, source.Unreadable(name, err)
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: this is a directory; name a file in it", name)
	}
	d, err := i.readFile(file)
	if err != nil && !strings.HasPrefix(err.Error(), name+": ") {
		err = fmt.Errorf("%s: %w", name, err)
	}
	if err != nil {
		return nil, err
	}
	d.hint()
	d.Source = fmt.Sprintf("metadata in %s (%s)", quote.Name(filepath.Base(i.Location)), d.Source)
	return d, nil
}

var web = regexp.MustCompile(`^(?i:https?|ftp):`)

// readFile drafts a schema from a file of metadata. It detects the format by the content of the file, and states the
// format in the draft's Source.
func (i Import) readFile(file *os.File) (*Draft, error) {
	r := bufio.NewReader(file)
	start, err := r.Peek(512)
	if err != nil && err != io.EOF {
		return nil, source.Unreadable(source.FileName(i.Location), err)
	}
	start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n")
	switch {
	case bytes.HasPrefix(start, []byte("PAR1")):
		return i.parquet(file)
	case bytes.HasPrefix(start, []byte("SQLite format 3")):
		return nil, errors.New("this is a SQLite database; name it as sqlite:PATH")
	case len(start) > 12 && string(start[8:12]) == "DUCK":
		return nil, errors.New("this is a DuckDB database; name it as duckdb:PATH")
	case len(start) == 0:
		return nil, fmt.Errorf("the file is empty; name a file with metadata")
	case start[0] == '{', start[0] == '[':
		text, err := table.ReadDocument(r)
		if err != nil {
			return nil, source.Unreadable(source.FileName(i.Location), err)
		}
		return frictionless(bytes.TrimPrefix(text, []byte("\ufeff")), i.Table)
	case isREDCap(r):
		if i.Table != "" {
			return nil, parameter.Errorf("{table} cannot be used here: a REDCap data dictionary describes one table; leave {table} out")
		}
		text, err := table.ReadDocument(r)
		if err != nil {
			return nil, source.Unreadable(source.FileName(i.Location), err)
		}
		return redcap(text)
	}
	return nil, fmt.Errorf("the file has none of the supported formats: Table Schema, datapackage.json, REDCap data dictionary and Parquet; to read the header of a text file or a workbook, use the command schema new or the function DraftSchema")
}

// parquet drafts a schema from the column types in the footer of a Parquet file.
func (i Import) parquet(file *os.File) (*Draft, error) {
	if i.Table != "" {
		return nil, parameter.Errorf("{table} cannot be used here: a Parquet file holds one table; leave {table} out")
	}
	info, err := file.Stat()
	if err != nil {
		return nil, source.Unreadable(source.FileName(i.Location), err)
	}
	columns, err := source.ParquetColumns(source.FileName(i.Location), file, info.Size())
	if err != nil {
		return nil, err
	}
	def := &definition{}
	for _, c := range columns {
		def.columns = append(def.columns, definedColumn{name: c.Name, typeName: c.Type, required: c.Required})
	}
	d := def.draft()
	d.Source = "schema of a Parquet file"
	return d, d.checkNames()
}

// exact converts the text of a number, which may have an exponent, to a plain decimal.
func exact(text string) (table.Decimal, bool) {
	if d, ok := table.ParseDecimal(text); ok {
		return d, true
	}
	if !exponent.MatchString(text) {
		return "", false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", false
	}
	return table.ParseDecimal(r.FloatString(200)) // an exponent of two digits adds at most 99 places
}

var exponent = regexp.MustCompile(`^[+-]?[0-9]{1,50}(\.[0-9]{1,50})?[eE][+-]?[0-9]{1,2}$`)

// addCategory adds a category to the column, as a group with one value and a name for human readers. It does nothing
// if the column already has the value, or if a schema cannot contain the value.
func (c *Column) addCategory(value, name string) {
	if value == "" || strings.ContainsRune(value, 0) || quote.Invalid([]byte(value)) >= 0 {
		return
	}
	taken := false
	for _, g := range c.Groups {
		if slices.Contains(g.Values, value) {
			return
		}
		taken = taken || g.Name == name
	}
	if name == "" || taken {
		name = strings.TrimSpace(name + " (" + value + ")")
	}
	for slices.ContainsFunc(c.Groups, func(g table.Group) bool { return g.Name == name }) {
		name += "'"
	}
	c.Groups = append(c.Groups, table.Group{Name: name, Values: []string{value}})
}

// simplify replaces the groups of a column by values if each group has only one value, which is also its name. If
// there are too many categories, simplify removes them, so that a person has to define them.
func (c *Column) simplify() {
	if len(c.Groups) > table.MaxCategories-1 {
		c.Groups = nil
		c.Notes = append(c.Notes, fmt.Sprintf("The metadata lists more than %d values; group them.", table.MaxCategories-1))
	}
	if len(c.Groups) == 0 || slices.ContainsFunc(c.Groups, func(g table.Group) bool { return len(g.Values) != 1 || g.Values[0] != g.Name }) {
		return
	}
	for _, g := range c.Groups {
		c.Values = append(c.Values, g.Name)
	}
	c.Groups = nil
}

// mayBeMissing adds a category for missing values to the column. A value is missing if it is empty or equals one of
// the given codes.
func (c *Column) mayBeMissing(codes []string) {
	c.Other = "missing"
	for c.hasCategory(c.Other) {
		c.Other += " value"
	}
	for _, code := range codes {
		if c.Kind == table.NumberKind {
			if d, number := exact(strings.Replace(code, ",", ".", 1)); number {
				if code = string(d); c.Least != "" && c.Least.Rat().Cmp(d.Rat()) <= 0 && d.Rat().Cmp(c.Most.Rat()) <= 0 {
					c.Notes = append(c.Notes, "The code "+code+" for missing values is in the range of the numbers, so it is read as a number.")
					continue
				}
			} else if strings.ContainsAny(code, "0123456789") {
				c.Notes = append(c.Notes, "The metadata has the code "+quote.Word(code)+" for missing values. If it is read as a number, write it in missing as a plain decimal.")
				continue
			}
		}
		if !c.hasValue(code) && strings.TrimSpace(code) != "" && !strings.ContainsRune(code, 0) && !slices.Contains(c.Missing, code) {
			c.Missing = append(c.Missing, code)
		}
	}
}

func (c *Column) hasCategory(name string) bool {
	return slices.Contains(c.Values, name) || slices.ContainsFunc(c.Groups, func(g table.Group) bool { return g.Name == name })
}

func (c *Column) hasValue(value string) bool {
	return slices.Contains(c.Values, value) || slices.ContainsFunc(c.Groups, func(g table.Group) bool { return slices.Contains(g.Values, value) })
}

// setRange sets the range of a numeric column and the number of digits after the decimal point. If only one limit of
// the range is known, it is added as a note instead.
func (c *Column) setRange(least, most table.Decimal, places int) {
	c.Places = min(places, table.MostPlaces)
	switch {
	case least != "" && most != "" && table.HasNumbers(least, most, c.Places):
		c.Least, c.Most = least, most
		return
	case least != "" && most != "":
		c.Notes = append(c.Notes, fmt.Sprintf("The metadata has the range %s to %s, from which no number can be sampled.", least, most))
	case least != "":
		c.Notes = append(c.Notes, fmt.Sprintf("At least %s, according to the metadata.", least))
	case most != "":
		c.Notes = append(c.Notes, fmt.Sprintf("At most %s, according to the metadata.", most))
	}
}
