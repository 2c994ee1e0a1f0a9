package experiment

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
)

// AdultDiscrete is the name of a version of the UCI Adult data in which all values are integers. It is a common
// benchmark for synthetic data.
const AdultDiscrete = "adult-discrete"

// discrete lists the public tables without a label.
var discrete = []files{
	{AdultDiscrete, "adult-discrete/adult.csv", "adult-discrete/full.toml"},
	{AdultDiscrete + "-binned", "adult-discrete/adult.csv", "adult-discrete/binned.toml"},
}

// DefaultSynthetic returns the names of the tables that sibyl-bench synth uses by default: generated tables
// and, if directory is set, some public tables.
func DefaultSynthetic(directory bool) (names []string) {
	if directory {
		for _, f := range discrete {
			names = append(names, f.name)
		}
		names = append(names, "mushroom", "tic-tac-toe", "credit-23")
	}
	return append(names, "tree:14x6:20000:1", "noise:20x3:10000:1", "card:100x2:100000:1", "copies:10x4:20000:1", "constant:14x6:20000:1", "noise:14x6:0:1")
}

// PublicSynthetic returns the names of the public tables, with and without a label.
func PublicSynthetic() (names []string) {
	for _, f := range discrete {
		names = append(names, f.name)
	}
	return append(names, PublicSamples()...)
}

// discreteFiles returns the files of the table with the given name in the list discrete, or nil if there is none.
func discreteFiles(name string) *files {
	at := slices.IndexFunc(discrete, func(f files) bool { return f.name == name })
	if at < 0 {
		return nil
	}
	return &discrete[at]
}

// CheckSynthetic checks the name of a table like CheckSample, but also accepts tables without a label.
func CheckSynthetic(name, directory string) error {
	switch {
	case discreteFiles(name) == nil:
		return CheckSample(name, directory)
	case directory == "":
		return fmt.Errorf("%s: %w", name, errNoDirectory)
	}
	return nil
}

// FindSynthetic reads or generates the table with the given name like FindSample, but also accepts tables without a
// label.
func FindSynthetic(ctx context.Context, name, directory string) (*Sample, error) {
	if err := CheckSynthetic(name, directory); err != nil {
		return nil, err
	}
	f := discreteFiles(name)
	if f == nil {
		return FindSample(ctx, name, directory)
	}
	return readSynthetic(ctx, name, filepath.Join(directory, f.data), filepath.Join(directory, f.schema))
}

// SyntheticFiles returns the paths of the files that FindSynthetic reads for the tables with the given names.
func SyntheticFiles(names []string, directory string) []string {
	paths := SampleFiles(names, directory)
	for _, name := range names {
		if f := discreteFiles(name); f != nil && directory != "" {
			paths = append(paths, filepath.Join(directory, f.data), filepath.Join(directory, f.schema))
		}
	}
	return paths
}

// ReadSynthetic reads a table, with or without a label, from a data file and a schema file. The schema
// must not have persons.
func ReadSynthetic(ctx context.Context, data, schema string) (*Sample, error) {
	return readSynthetic(ctx, filepath.Base(data), data, schema)
}

func readSynthetic(ctx context.Context, name, data, schema string) (*Sample, error) {
	s, err := release.ReadDomain(schema)
	if err != nil {
		return nil, err
	}
	if s.Person != nil {
		return nil, fmt.Errorf("%s: [person] is not supported, since sibyl-bench synth compares rows; remove it from the schema", source.FileName(schema))
	}
	return read(ctx, name, data, s)
}
