// Package prismtest runs pipelines in tests with Beam's own runner, prism.
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

// Main runs the tests of a package from TestMain, and removes the temporary files that Beam leaves.
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

// Run executes a pipeline with prism, Beam's runner for one machine.
func Run(ctx context.Context, p *beam.Pipeline) error {
	_, err := prism.Execute(ctx, p)
	return err
}
