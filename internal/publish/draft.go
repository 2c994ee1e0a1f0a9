package publish

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/source"
)

// A Draft is a file that is being written and has not been published yet. It receives its name only when its content
// is complete and on the disk, so that other programs never see a partial file. It can replace only the file that had
// this name when the draft was created.
type Draft struct {
	*bufio.Writer
	scratch    *scratch
	path       string
	before     fs.FileInfo // the file to replace, or nil if there is none
	unfinished *Unfinished
}

// An Access states who may read a file, as permission bits.
type Access fs.FileMode

const (
	ForAll     Access = 0o666 // subject to the process's umask
	ForCurator Access = 0o600
)

// NewDraft creates a draft of the file at a path. It is called before private data is read. It returns an error if the
// file exists and force is false, or if the run uses the file for another purpose, according to the parameter files,
// which records all uses of files.
func NewDraft(ctx context.Context, files *Claims, path string, force bool, a Access) (*Draft, error) {
	d := &Draft{path: path, unfinished: In(ctx)}
	var err error
	if d.before, err = replaceable(path, force); err != nil {
		return nil, err
	}
	if _, err := files.Writes(path); err != nil {
		return nil, err
	}
	err = d.unfinished.Begin(os.Remove, func() (string, error) {
		d.scratch, err = newScratch(d.unfinished, path, a)
		return d.scratch.temporary, err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be written: %w", source.FileName(path), Inner(err))
	}
	d.Writer = bufio.NewWriter(unbuffered{d})
	return d, nil
}

// unbuffered writes to the unpublished file of a draft without a buffer. Its errors name the path of the draft.
type unbuffered struct{ *Draft }

func (u unbuffered) Write(text []byte) (n int, err error) {
	if n, err = u.scratch.file.Write(text); err != nil {
		err = u.failed(err)
	}
	return n, err
}

// replaceable returns the existing file at a path if a draft may replace it, or nil if there is no file. It returns an
// error if a draft must not replace the file.
func replaceable(path string, force bool) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: the file cannot be written: %w", source.FileName(path), Inner(err))
	case info.IsDir():
		return nil, fmt.Errorf("%s: this is a directory; name a file in it", quote.Name(path))
	case !force:
		return nil, errExists(path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: this is not a regular file; name another file", quote.Name(path))
	}
	return info, nil
}

func errExists(path string) error { return existing(path) }

// existing is the error for a file that already exists, where its value is the path. It matches fs.ErrExist.
type existing string

func (e existing) Error() string {
	return fmt.Sprintf("%s: the file exists already; name another file, or give --force to replace it", quote.Name(string(e)))
}

func (existing) Is(target error) bool { return target == fs.ErrExist }

// Publish flushes the draft to the disk and gives it its final name. If the context has ended, it returns an error
// instead.
func (d *Draft) Publish(ctx context.Context) error { return All(ctx, d) }

// All flushes the drafts to the disk, and then gives all of them their final names. If the context has ended, it
// returns an error instead. If only some of the drafts receive their names, it returns a Partly error.
func All(ctx context.Context, drafts ...*Draft) error {
	for _, d := range drafts {
		err := d.Flush()
		if err == nil {
			err = d.scratch.settle()
		}
		if err != nil {
			return d.failed(err)
		}
	}
	err := In(ctx).publish(ctx, func() (written []string, err error) {
		for _, d := range drafts {
			if err := d.name(); err != nil && len(written) > 0 {
				return written, Partly{fmt.Errorf("%w; some files have been written already, such as %s", err, quote.Name(written[0]))}
			} else if err != nil {
				return nil, err
			}
			written = append(written, d.path)
		}
		return written, nil
	})
	if err != nil {
		return err
	}
	for _, d := range drafts {
		d.Discard()
		if directory, err := os.Open(filepath.Dir(d.path)); err == nil {
			d.unfinished.toDisk(directory)
			directory.Close()
		}
	}
	return nil
}

// A Partly error is returned if an error occurred after some files or some output had been written.
type Partly struct{ Reason error }

func (p Partly) Error() string { return p.Reason.Error() }

func (p Partly) Unwrap() error { return p.Reason }

func (d *Draft) failed(err error) error { return unwritten{d.path, Inner(err)} }

// unwritten is the error for a file that could not be written. It contains the path of the file and the cause.
type unwritten struct {
	path  string
	cause error
}

func (u unwritten) Error() string {
	return fmt.Sprintf("%s: the file could not be written: %v", quote.Name(u.path), u.cause)
}

func (u unwritten) Unwrap() error { return u.cause }

// name gives the draft its final name. If two processes do this at the same time for a name that no file has yet, one
// of them receives an error.
func (d *Draft) name() error {
	now, err := os.Lstat(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = d.scratch.take(d.path)
	case err != nil:
	case d.before == nil:
		err = fs.ErrExist
	case !os.SameFile(now, d.before) || now.Size() != d.before.Size() || !now.ModTime().Equal(d.before.ModTime()):
		return fmt.Errorf("%s: the file changed while the command ran; inspect it, or name another file", quote.Name(d.path))
	default:
		err = d.scratch.replace(d.path)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return errExists(d.path)
	case err != nil:
		return d.failed(err)
	}
	return nil
}

// Discard removes the draft's unpublished file. It does nothing if the draft has been published.
func (d *Draft) Discard() {
	d.scratch.file.Close()
	d.unfinished.Remove(d.scratch.temporary)
}

// Inner returns the cause of an error without the name of the operation and the path of the file, which may be that of
// a temporary file.
func Inner(err error) error {
	if file, ok := errors.AsType[unwritten](err); ok {
		return file.cause
	}
	return quote.Cause(err)
}

// Path returns the path that the file has after its publication.
func (d *Draft) Path() string { return d.path }
