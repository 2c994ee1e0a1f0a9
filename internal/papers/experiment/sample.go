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

// A Sample is a public table that methods are tried on. What was measured on it is not
// private.
type Sample struct {
	Name   string
	Schema *table.Schema
	Rows   *table.Table
}

// files of a directory that make a Sample: the data, and a schema; "" for ownSchema of its
// name.
type files struct{ name, data, schema string }

var public = []files{
	{"adult-7", "adult/adult.data", "adult/adult-7.toml"},
	{"adult-12-balanced", "adult/adult-balanced.data", "adult/adult-12.toml"},
	{"adult-14", "adult/adult.data", "adult/adult-14.toml"},
	{"mushroom", "mushroom/agaricus-lepiota.data", ""},
	{"tic-tac-toe", "tic-tac-toe/tic-tac-toe.data", ""},
	{"credit-23", "credit-default/credit.csv", "credit-default/credit-23.toml"},
}

// PublicSamples names the public tables.
func PublicSamples() (names []string) {
	for _, f := range public {
		names = append(names, f.name)
	}
	return names
}

// made are tables that are made up for a comparison where none are named: narrow and wide
// ones, few and many rows, and what is hard for a search.
var made = []string{
	"tree:10x4:1000:1", "card:10x4:1000:1", "tree:14x6:20000:1", "card:14x6:20000:1",
	"rare:14x6:20000:1", "xor:36x2:3000:1", "noise:20x3:10000:1", "constant:14x6:20000:1",
	"card:100x3:5000:1", "card:10x65535:20000:1", "card:12x4:1000000:1", "noise:14x6:0:1",
}

// UsualSamples names the tables that are taken where none are named: the public ones, where
// there is a directory of them, and some that are made up.
func UsualSamples(directory bool) []string {
	if !directory {
		return made
	}
	return append(PublicSamples(), made...)
}

// CheckSample reports a name of no table, or of a public one without a directory.
func CheckSample(name, directory string) error {
	switch {
	case !slices.Contains(PublicSamples(), name):
		_, err := parseMade(name)
		return err
	case directory == "":
		return fmt.Errorf("%s: %w", name, errNoDirectory)
	}
	return nil
}

// FindSample returns the public table of that name from files below the directory, or the
// one that Generate makes for it.
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

// SampleFiles returns the paths of the files that FindSample reads for those names.
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

// ReadSample returns the table of a file.
func ReadSample(ctx context.Context, data, schema string) (*Sample, error) {
	s, err := release.ReadSchema(schema)
	if err != nil {
		return nil, err
	}
	if n := s.Outcomes(); n > 2 {
		return nil, fmt.Errorf("%s: the label has %d outcomes, and tables are compared with two", source.FileName(schema), n)
	}
	if s.Person != nil {
		return nil, fmt.Errorf("%s: the schema has a [person], and tables are split by rows to be compared; leave it out", source.FileName(schema))
	}
	return read(ctx, filepath.Base(data), data, s)
}

func read(ctx context.Context, name, data string, s *table.Schema) (*Sample, error) {
	t, err := source.Read(ctx, data, s, source.Options{})
	return &Sample{name, s, t}, err
}

// UsualMethods are every class with its usual mechanism, as release.Request.Name takes them,
// after Chosen.
func UsualMethods() []string {
	names := []string{Chosen}
	for _, k := range model.Kinds() {
		names = append(names, k.Name)
	}
	return names
}
