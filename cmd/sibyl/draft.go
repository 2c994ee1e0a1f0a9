package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A draft is a file in the making. It takes its name only when it is whole and
// on the disk, so that nobody ever sees half of it, and it goes with the
// context.
type draft struct {
	*bufio.Writer
	file  *os.File
	path  string
	force bool
	keep  func() bool // from the context; false if that has ended
}

// newDraft begins a file, before any private data is read. An existing file is
// replaced only by force, and never if it is one of the inputs.
func newDraft(ctx context.Context, path string, force bool, inputs ...string) (*draft, error) {
	d := &draft{path: path, force: force}
	if err := d.free(inputs); err != nil {
		return nil, err
	}
	directory, name := filepath.Split(path)
	temporary := filepath.Join(directory, "."+name+"."+rand.Text()+".tmp")
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%s: the file cannot be written: %w", path, inner(err))
	}
	d.file, d.Writer = file, bufio.NewWriter(file)
	d.keep = context.AfterFunc(ctx, func() { os.Remove(temporary) })
	return d, nil
}

// free reports that the path cannot be taken.
func (d *draft) free(inputs []string) error {
	info, err := os.Lstat(d.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s: the file cannot be written: %w", d.path, inner(err))
	case info.IsDir():
		return fmt.Errorf("%s: this is a directory; name a file in it", d.path)
	case !d.force:
		return fmt.Errorf("%s: the file exists already; name another one, or give --force to replace it", d.path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: this is no ordinary file; name another one", d.path)
	}
	for _, input := range inputs {
		if sameFile(d.path, input) {
			return fmt.Errorf("%s: this file is an input, and would be lost; name another one", d.path)
		}
	}
	return nil
}

// sameFile tells whether both paths are the same, or lead to the same file.
func sameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// publish gives the file its name, unless the context has ended.
func (d *draft) publish() error {
	if !d.keep() {
		return errInterrupted
	}
	err := d.Flush()
	if err == nil {
		err = d.file.Sync()
	}
	if err == nil {
		err = d.file.Close()
	}
	if err == nil {
		err = d.free(nil)
	}
	if err == nil {
		err = os.Rename(d.file.Name(), d.path)
	}
	if err != nil {
		return fmt.Errorf("%s: the file could not be written: %w", d.path, inner(err))
	}
	if directory, err := os.Open(filepath.Dir(d.path)); err == nil {
		directory.Sync()
		directory.Close()
	}
	return nil
}

// discard removes what was not published.
func (d *draft) discard() {
	d.file.Close()
	os.Remove(d.file.Name())
}

// inner takes the name of the temporary file off an error.
func inner(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
