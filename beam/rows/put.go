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

// Put writes a file that is for the curator, whole, as often as it is run: a path of this
// machine is replaced at once, an object elsewhere is there when it is closed.
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

// Elsewhere reports whether a file is not one of this machine.
func Elsewhere(name string) bool { return strings.Contains(name, "://") }

// here writes to a path of this machine.
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

// There refuses a file that is not there.
func There(ctx context.Context, name string) error {
	system, err := filesystem.New(ctx, name)
	if err == nil {
		defer system.Close()
		_, err = system.Size(ctx, name)
	}
	if err != nil {
		return fmt.Errorf("%s: the pipeline has ended and the file is not there; name one that workers and this machine reach: %w", quote.Name(name), publish.Inner(err))
	}
	return nil
}

// Writable refuses a path of this machine that is there already, unless by force, is one of
// those that are read, or lies where no file can be made. Of what is elsewhere it knows nothing.
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

// Claims claims those files that are read which are on this machine.
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
