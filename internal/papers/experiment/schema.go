package experiment

import (
	"embed"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Public data sets come without a schema, or with another than the papers'.
//
//go:embed *.toml
var schemas embed.FS

// ownSchema returns the schema of this package for a data set.
func ownSchema(name string) (*table.Schema, error) {
	name += ".toml"
	file, err := schemas.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return table.ParseSchema(name, file)
}
