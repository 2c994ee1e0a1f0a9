package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Sample is a public table for experiments. Results on it are not private.
type Sample struct {
	Name   string
	Schema *table.Schema
	Rows   *table.Table
}

// files names the files of a Sample, relative to the data directory. If schema is "", the embedded schema with the
// name of the sample is used.
type files struct{ name, data, schema string }

var public = []files{
	{"adult-7", "adult/adult.data", "adult/adult-7.toml"},
	{"adult-12-balanced", "adult/adult-balanced.data", "adult/adult-12.toml"},
	{"adult-14", "adult/adult.data", "adult/adult-14.toml"},
	{"mushroom", "mushroom/agaricus-lepiota.data", ""},
	{"tic-tac-toe", "tic-tac-toe/tic-tac-toe.data", ""},
	{"credit-23", "credit-default/credit.csv", "credit-default/credit-23.toml"},
}

// PublicSamples returns the names of the public tables.
func PublicSamples() (names []string) {
	for _, f := range public {
		names = append(names, f.name)
	}
	return names
}

// defaultGenerated lists the generated tables that DefaultSamples returns. They have few or many columns and rows,
// and on some of them exact search is slow.
var defaultGenerated = []string{
	"tree:10x4:1000:1", "card:10x4:1000:1", "tree:14x6:20000:1", "card:14x6:20000:1",
	"rare:14x6:20000:1", "xor:36x2:3000:1", "noise:20x3:10000:1", "constant:14x6:20000:1",
	"card:100x3:5000:1", "card:10x65535:20000:1", "card:12x4:1000000:1", "noise:14x6:0:1",
}

// DefaultSamples returns the names of the tables that sibyl-bench tables uses by default: some generated tables
// and, if directory is set, all public tables.
func DefaultSamples(directory bool) []string {
	if !directory {
		return defaultGenerated
	}
	return append(PublicSamples(), defaultGenerated...)
}

// CheckSample returns an error if no public or generated table has the given name, or if the table is public but
// directory is "".
func CheckSample(name, directory string) error {
	switch {
	case !slices.Contains(PublicSamples(), name):
		_, err := parseName(name)
		return err
	case directory == "":
		return fmt.Errorf("%s: %w", name, errNoDirectory)
	}
	return nil
}

// FindSample returns the table with the given name: it reads a public table from the directory, and generates any
// other table by Generate.
func FindSample(ctx context.Context, name, directory string) (*Sample, error) {
	if err := CheckSample(name, directory); err != nil {
		return nil, err
	}
	for _, f := range public {
		if f.name != name {
			continue
		}
		s, err := schemaIn(directory, f.schema, name)
		if err != nil {
			return nil, err
		}
		return read(ctx, name, filepath.Join(directory, f.data), s)
	}
	return Generate(name)
}

// SampleFiles returns the paths of the files that FindSample reads for the tables with the given names.
func SampleFiles(names []string, directory string) (paths []string) {
	if directory == "" {
		return nil
	}
	for _, name := range names {
		for _, f := range public {
			if f.name != name {
				continue
			}
			paths = append(paths, filepath.Join(directory, f.data))
			if f.schema != "" {
				paths = append(paths, filepath.Join(directory, f.schema))
			}
		}
	}
	return paths
}

// ReadSample reads a table from a data file and a schema file. The label must have two classes, and
// the schema must not have persons.
func ReadSample(ctx context.Context, data, schema string) (*Sample, error) {
	s, err := release.ReadSchema(schema)
	if err != nil {
		return nil, err
	}
	if n := s.Outcomes(); n > 2 {
		return nil, fmt.Errorf("%s: the label has %d outcomes, but sibyl-bench tables requires two", source.FileName(schema), n)
	}
	if s.Person != nil {
		return nil, fmt.Errorf("%s: [person] is not supported, since sibyl-bench tables splits tables by rows; remove it from the schema", source.FileName(schema))
	}
	return read(ctx, filepath.Base(data), data, s)
}

func read(ctx context.Context, name, data string, s *table.Schema) (*Sample, error) {
	t, err := source.Read(ctx, data, s, source.Options{})
	return &Sample{name, s, t}, err
}

// DefaultMethods returns the names of the methods that Tables compares by default: the default learner (Chosen), and
// every class with its default mechanism, in the notation of release.Request.Name.
func DefaultMethods() []string {
	names := []string{Chosen}
	for _, k := range model.Kinds() {
		names = append(names, k.Name)
	}
	return names
}
