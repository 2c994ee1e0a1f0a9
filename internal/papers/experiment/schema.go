package experiment

import (
	"embed"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// schemas holds schemas of those public data sets whose data directory contains none.
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
