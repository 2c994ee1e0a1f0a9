package source

import (
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/sibyl-dp/sibyl/internal/source/plaintext"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Writer writes rows to a file that can be read again with the same schema.
type Writer interface {
	// Write writes a row, one field for each attribute of the flat schema.
	Write(fields []string) error
	// Close completes the file. It does not close the underlying writer.
	Close() error
}

// NewWriter returns a Writer for rows of a flat schema (table.Schema.Flat). If the name ends in .parquet, it
// writes Parquet, and otherwise text in the format of the schema's File.
//
// If File lists columns, these are written in this order, and a listed column without an attribute has empty
// fields. Otherwise the columns of the attributes are written.
//
// NewWriter returns an error if the name is that of a workbook, or if the encoding of the file cannot represent a
// value of the schema.
func NewWriter(w io.Writer, name string, flat *table.Schema) (Writer, error) {
	columns := flat.File.Columns
	if len(columns) == 0 {
		columns = flat.Columns()
	}
	o := &arranged{row: make([]string, len(columns))}
	typed := make([]Written, len(columns))
	for k, column := range columns {
		j := slices.IndexFunc(flat.Attributes, func(a table.Attribute) bool { return a.Column == column })
		o.fields = append(o.fields, j)
		if typed[k] = (Written{Name: column, Optional: true}); j >= 0 {
			typed[k] = written(&flat.Attributes[j])
		}
	}
	var err error
	switch {
	case IsWorkbook(name):
		return nil, errors.New("rows cannot be written as a workbook; choose a name that ends in .csv, which spreadsheet programs open, or in .parquet")
	case !IsParquet(name):
		o.Writer, err = newTextWriter(w, flat, columns)
	case parquetWriter == nil:
		return nil, errors.New("this program cannot write Parquet files; import github.com/sibyl-dp/sibyl/parquet in it, or write CSV")
	default:
		o.Writer, err = parquetWriter(w, typed, nil)
	}
	return o, err
}

// An arranged is a Writer that reorders the fields of each row, from the order of the attributes to that of the
// file's columns.
type arranged struct {
	Writer
	fields []int // by column, the index of its field, or -1 if the column is empty
	row    []string
}

func (o *arranged) Write(fields []string) error {
	for k, j := range o.fields {
		if j >= 0 {
			o.row[k] = fields[j]
		}
	}
	return o.Writer.Write(o.row)
}

// WrittenBy returns the schema for reading a file that NewWriter wrote with the same name and the same flat
// schema. It differs from that schema only for Parquet, where numbers have a decimal point.
func WrittenBy(name string, flat *table.Schema) *table.Schema {
	if !IsParquet(name) {
		return flat
	}
	pointed := *flat
	pointed.File.Decimal = '.'
	pointed.Attributes = slices.Clone(flat.Attributes)
	for j := range pointed.Attributes {
		pointed.Attributes[j].Spelling = table.Spelling{Missing: flat.Attributes[j].Missing}
	}
	return &pointed
}

// A Kind is the data type of a column in a file with typed columns, such as Parquet.
type Kind int

const (
	Text  Kind = iota
	Whole      // 64-bit integers
	Real       // double precision
	Truth
)

// A Written describes a column to be written to a file with typed columns, such as Parquet. If Optional is true,
// an empty field is written as a missing value.
type Written struct {
	Name     string
	Kind     Kind
	Optional bool

	Dictionary bool // whether the column has few distinct values, which are stored once
}

// written describes the column for the values of an attribute. It chooses the most specific data type that can
// represent all these values.
func written(a *table.Attribute) Written {
	c := Written{Name: a.Column, Optional: a.Other != "" && len(a.Missing) == 0}
	texts := slices.Clone(a.Values)
	for _, g := range a.Groups {
		texts = append(texts, g.Values...)
	}
	for _, d := range a.Listed {
		texts = append(texts, string(d))
	}
	if a.Other != "" && len(a.Missing) > 0 {
		texts = append(texts, a.Missing[0])
	}
	is := func(test func(string) bool) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !test(text) })
	}
	switch {
	case a.IsDate():
	case a.Draw == "uniform" && is(isReal):
		c.Kind = Real
	case is(isWhole):
		c.Kind = Whole
	case is(isReal):
		c.Kind = Real
	case is(func(text string) bool { return text == "true" || text == "false" }):
		c.Kind = Truth
	}
	return c
}

// isWhole reports whether a text can be converted to a 64-bit integer and back without change.
func isWhole(text string) bool {
	n, err := strconv.ParseInt(text, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == text
}

// isReal reports whether a text can be converted to a number of double precision and back without change.
func isReal(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	return err == nil && string(plaintext.AppendFloat(nil, x, 64)) == text
}

// A ParquetWriter is a function that returns a Writer for a Parquet file with the given columns and metadata.
type ParquetWriter func(w io.Writer, columns []Written, metadata map[string]string) (Writer, error)

// parquetWriter creates the writers of Parquet files. It is nil if the program does not import package parquet.
var parquetWriter ParquetWriter

// RegisterParquetWriter sets the function that returns writers of Parquet files. Package parquet calls it when a
// program starts.
func RegisterParquetWriter(writer ParquetWriter) { parquetWriter = writer }
