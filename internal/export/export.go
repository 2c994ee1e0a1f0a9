// Package export writes released models in languages in which others run them. Each format is an
// interpreter of the model's rule, in a file of its own and a line of [Formats].
package export

import "github.com/sibyl-dp/sibyl/internal/model"

// A Format is a language.
type Format struct {
	Name string
	What string // in a few words, for people
	// Write returns a valid model in the language, or says in one sentence why that cannot be.
	Write func(m *model.Model, o Options) ([]byte, error)
}

// Formats lists all formats.
var Formats = []Format{sqlFormat}

// Options are what formats ask for; each says of which it takes notice.
type Options struct {
	Dialect string // of SQL, by its name in Dialects
	Table   string // that is selected from
	ID      string // a column of the data that says whose prediction a row is; empty for none
}
