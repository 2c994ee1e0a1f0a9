package rows

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Files returns the sorted names of the files that match a pattern. It returns an error if no file
// matches.
func Files(ctx context.Context, pattern string) ([]string, error) {
	system, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: this file system is not supported", quote.Name(pattern))
	}
	defer system.Close()
	files, err := system.List(ctx, pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: the files cannot be listed: %w", quote.Name(pattern), err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no file matches this pattern", quote.Name(pattern))
	}
	slices.Sort(files)
	return files, nil
}

// Each reads a file and calls the function visit for each record, with its codes and its value in the person column
// (see source.Codes).
func Each(ctx context.Context, name string, s *table.Schema, visit func(codes []uint16, person []byte) error) error {
	shown := quote.Name(name)
	file, err := Open(ctx, name)
	if err != nil {
		return fmt.Errorf("%s: the file cannot be read: %w", shown, publish.Inner(err))
	}
	defer file.Close()
	return source.Codes(ctx, shown, file, s, visit)
}

// Open opens a file in one of Beam's file systems. Remote files are read as streams, except Parquet files, which are
// first copied to a temporary file because they must be read from the end.
func Open(ctx context.Context, name string) (io.ReadCloser, error) {
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	file, err := system.OpenRead(ctx, name)
	if err != nil {
		return nil, err
	}
	if _, local := file.(*os.File); local || !strings.EqualFold(path.Ext(name), ".parquet") {
		return file, nil
	}
	defer file.Close()
	copied, err := os.CreateTemp("", "sibyl-beam-*.parquet")
	if err != nil {
		return nil, err
	}
	os.Remove(copied.Name()) // the file exists until it is closed
	if _, err := io.Copy(copied, file); err != nil {
		copied.Close()
		return nil, err
	}
	return copied, nil
}

// Remove removes a file if it exists and its file system supports removal.
func Remove(ctx context.Context, name string) {
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return
	}
	defer system.Close()
	if r, ok := system.(filesystem.Remover); ok {
		r.Remove(ctx, name)
	}
}
