// Package prismtest runs the pipelines of tests by Beam's own runner.
package prismtest

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// Main is for TestMain: it removes the files that Beam leaves behind.
func Main(m *testing.M) {
	flag.Parse()
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	directory, err := os.MkdirTemp("", "sibyl-beam-")
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", directory)
	code := m.Run()
	os.RemoveAll(directory)
	os.Exit(code)
}

// Run runs a pipeline.
func Run(ctx context.Context, p *beam.Pipeline) error {
	_, err := prism.Execute(ctx, p)
	return err
}
