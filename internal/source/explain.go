package source

import (
	"fmt"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Explain returns a description of values that are not read as numbers, given the reason, and a remedy. Both are parts
// of a message to the curator of the data.
func (r *Report) Explain(why table.NumberFault, s *table.Schema) (what, remedy string) {
	switch why {
	case table.HasExponent:
		what = "numbers with an exponent"
	case table.HasBlanks:
		what, remedy = "numbers between blanks", r.trimming(s)
	case table.HasComma:
		what, remedy = "numbers with a decimal comma", `set decimal = "," in the schema, in [file] or for the attribute`
	case table.HasPoint:
		what, remedy = "numbers with a decimal point", `set decimal = "." in the schema, in [file] or for the attribute`
	case table.HasSeparators:
		what, remedy = "numbers with separators of thousands", "set thousands, and decimal if needed, of the attribute in the schema"
	case table.HasSymbol:
		what, remedy = "numbers with a unit, such as a percent sign", "set unit, and decimal or thousands if needed, of the attribute in the schema"
	case table.NotDate:
		return "text that is not a date in the format of the schema", "correct format of the attribute, or list the text in missing if it means a missing value"
	case table.NoSuchDate:
		return "dates that do not exist, such as 31 February", "correct the data"
	default:
		return "text that is not a number", "list it in missing of the attribute if it means a missing value, otherwise correct the data"
	}
	switch {
	case r.Database:
		remedy = "cast the column to a number in the query"
	case !r.Lines && r.Sheet == "":
		remedy = "write the column with a type of numbers"
	}
	return what, remedy
}

// ExplainDoubt returns a description of values that may be misread, given the reason, and a remedy. Both are parts of a
// message to the curator of the data.
func (r *Report) ExplainDoubt(why table.Doubt, s *table.Schema) (what, remedy string) {
	switch why {
	case table.BeyondLimits:
		return "numbers or dates below least or above most", "list them in missing of the attribute if they are codes of missing values, otherwise correct least and most from public knowledge"
	case table.HasMargins:
		return "texts that the schema lists without the spaces around them", r.trimming(s)
	case table.HasOtherDigits:
		return "numbers that the schema lists with other digits, such as 1 for 1.0", "write the values of the schema as in the data"
	case table.HasOtherForm:
		return "texts that the schema lists in another Unicode form, with accents as separate characters or not", "write the values of the schema as in the data"
	}
	return "texts that the schema lists with other upper and lower case", "write the values of the schema as in the data"
}

// trimming returns a remedy for values that begin or end with blanks. The schema's key "trim" is a remedy only for
// spaces and tabs outside quotes.
func (r *Report) trimming(s *table.Schema) string {
	if (r.Lines || r.Sheet != "") && !s.File.Trim {
		return "set trim = true in the schema's [file], which removes spaces and tabs"
	}
	return "remove the blanks from the data"
}

// Explain returns a description of cells that cannot be read, and a remedy. Both are parts of a message to the curator
// of the data.
func (c UnreadableCells) Explain() (what, remedy string) {
	switch c.Why {
	case HasNoValue:
		return "a formula without a stored value", "open the workbook in the spreadsheet program and save it there, so that the values are calculated and stored"
	case IsDamaged:
		return "contents that cannot be read", "save the workbook again in the spreadsheet program"
	}
	return "an error value, such as #N/A", "correct the cells in the spreadsheet if their values should be known"
}

// refuseSpelling returns an error if the schema defines a format of numbers for a column that contains texts. It is
// called for sources with typed values. The function isText reports whether a column contains texts.
func refuseSpelling(s *table.Schema, isText func(column string) bool) error {
	column, keys := s.SpelledText(isText)
	if column == "" {
		return nil
	}
	return fmt.Errorf("the schema has %s for column %s, but this is supported for delimited text and workbooks only; convert the column to a number, and delete these keys", keys, quote.Word(column))
}
