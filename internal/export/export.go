// Package export writes released models in languages that other software runs. Each format is an
// interpreter of the rule of the model. It is in a file of its own and has a line in [Formats].
package export

import "github.com/sibyl-dp/sibyl/internal/model"

// A Format is an output language, such as SQL, in which a released model can be written.
type Format struct {
	Name   string
	What   string // a short description
	Ending string // of the names of files, with a point
	// Write returns a valid model in the language. Its error states in one sentence why the model
	// cannot be written.
	Write  func(m *model.Model, o Options) ([]byte, error)
	Binary bool // the result is not text
}

// Formats lists all formats, in the order of their documentation.
var Formats = []Format{sqlFormat, jsonFormat, javascriptFormat, pythonFormat, goFormat, onnxFormat, xlsxFormat}

// Options holds the parameters of formats. Each field names the formats that use it.
type Options struct {
	Dialect string // of SQL, by its name in Dialects
	Table   string // of SQL, the table to select from
	ID      string // for SQL, a column of the data to copy in addition to the predictions; empty for none
}

// UsualTable is the default table of SQL.
const UsualTable = "data"
