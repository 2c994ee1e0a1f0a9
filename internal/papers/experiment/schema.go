package experiment

import (
	"embed"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// schemas holds the schemas of those public data sets that have no schema in the data directory.
//
//go:embed *.toml
var schemas embed.FS

// ownSchema returns the embedded schema with the given name.
func ownSchema(name string) (*table.Schema, error) {
	name += ".toml"
	file, err := schemas.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return table.ParseSchema(name, file)
}
