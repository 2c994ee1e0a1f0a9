// Package export writes released models as programs or data in other languages. Each format interprets the rule of
// the model. It has its own file, and an entry in the list [Formats].
package export

import "github.com/sibyl-dp/sibyl/internal/model"

// A Format is an output format, such as SQL, to which a released model can be exported.
type Format struct {
	Name   string
	What   string // a short description
	Ending string // the ending of file names, including the point
	// Write returns a valid model in the language of the format. Its error states in one sentence why the format
	// cannot express the model.
	Write  func(m *model.Model, o Options) ([]byte, error)
	Binary bool // whether the result is binary, not text
}

// Formats lists all formats to which a model can be exported, in the order of their documentation.
var Formats = []Format{sqlFormat, jsonFormat, javascriptFormat, pythonFormat, goFormat, onnxFormat, xlsxFormat}

// Options holds the parameters of an export. The comment of each field names the formats that use it.
type Options struct {
	Dialect string // for SQL: the dialect's name in Dialects
	Table   string // for SQL: the table from which to select
	ID      string // for SQL: a column of the table that the result also contains; empty for none
}

// UsualTable is the default of Options.Table, the name of the table that an exported SQL statement reads.
const UsualTable = "data"
