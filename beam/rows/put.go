package rows

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// Put creates a file that only its owner may read, and calls the function write to fill it. It never leaves a
// partial file: it replaces a local file atomically, and a remote object appears only when it is closed.
func Put(ctx context.Context, name string, write func(io.Writer) error) error {
	if !Elsewhere(name) {
		return here(ctx, name, write)
	}
	system, err := filesystem.New(ctx, name)
	if err != nil {
		return err
	}
	defer system.Close()
	out, err := system.OpenWrite(ctx, name)
	if err == nil {
		if err = write(out); err == nil {
			err = out.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("%s: the file cannot be written: %w", quote.Name(name), err)
	}
	return nil
}

// Elsewhere reports whether a name is the URL of a file that is not on this machine.
func Elsewhere(name string) bool { return strings.Contains(name, "://") }

// here creates a file on this machine, with the content that the function write writes.
func here(ctx context.Context, name string, write func(io.Writer) error) error {
	out, err := publish.NewDraft(ctx, &publish.Claims{}, name, true, publish.ForCurator)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := write(out); err != nil {
		return err
	}
	return out.Publish(ctx)
}

// There returns an error if this machine cannot read the file that a pipeline has written.
func There(ctx context.Context, name string) error {
	system, err := filesystem.New(ctx, name)
	if err == nil {
		defer system.Close()
		_, err = system.Size(ctx, name)
	}
	if err != nil {
		return fmt.Errorf("%s: the pipeline ended, but this machine cannot read the file; name a file that both the workers and this machine can access: %w", quote.Name(name), publish.Inner(err))
	}
	return nil
}

// Writable checks, before a pipeline starts, that the output file can be written. It returns an error if
//
//   - no file can be created at the path out,
//   - out is one of the input files,
//   - the file exists and force is false.
//
// It does not check a remote file.
func Writable(ctx context.Context, out string, read []string, force bool) error {
	if Elsewhere(out) {
		return nil
	}
	claims, err := Claims(read)
	if err != nil {
		return err
	}
	draft, err := publish.NewDraft(ctx, claims, out, force, publish.ForCurator)
	if err == nil {
		draft.Discard()
	}
	return err
}

// Claims marks the input files as in use, so that no output can replace them. It skips files that are not on
// this machine.
func Claims(read []string) (*publish.Claims, error) {
	claims := &publish.Claims{}
	for _, path := range read {
		if Elsewhere(path) {
			continue
		}
		if err := claims.Reads(path); err != nil {
			return nil, err
		}
	}
	return claims, nil
}
