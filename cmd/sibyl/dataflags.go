package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// dataFlags are the flags that state where the data is.
type dataFlags struct{ location, query string }

func (f *dataFlags) register(cmd *cobra.Command) {
	f.registerOptional(cmd)
	must(cmd.MarkFlagRequired("data"))
}

// registerOptional defines the flags for commands that can also run without data.
func (f *dataFlags) registerOptional(cmd *cobra.Command) {
	cmd.Flags().Var(locationFlag{(*cli.PathFlag)(&f.location)}, "data", "the data: a CSV, Parquet or .xlsx `file`, - for standard input, or a database URL; each row is one person, unless [person] in the schema names a column that identifies persons")
	textVar(cmd.Flags(), &f.query, "query", "the `SQL` query that selects the rows of the data, if --data is a database URL")
}

// from returns the location of the data, and the options for reading it. If standard error is a terminal, the
// bar b shows the progress of reading.
func (f *dataFlags) from(cmd *cobra.Command, b *bar) release.From {
	o := source.Options{Query: f.query, Progress: b.draw()}
	if f.location == "-" {
		o.Stdin = source.Stdin(cmd.InOrStdin())
	}
	return release.From{Location: f.location, Options: o}
}

// must panics if err is not nil. It is for calls that fail only if the program uses a wrong name of a flag.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// readModel reads a model file and checks it.
func readModel(path string) (*model.Model, error) {
	text, err := readText(path, "model")
	if err != nil {
		return nil, err
	}
	m, err := mechanism.Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	return m, nil
}

// readText reads the text of a document, such as a model file. The parameter what is the name of the kind of
// document in errors.
func readText(path, what string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: the %s cannot be read: %w", source.FileName(path), what, publish.Inner(err))
	}
	defer file.Close()
	text, err := table.ReadDocument(file)
	if err != nil {
		return nil, fmt.Errorf("%s: the %s cannot be read: %w", quote.Name(path), what, err)
	}
	return text, nil
}
