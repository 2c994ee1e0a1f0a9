package solver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A Dir is a directory for the files of one call of a solver.
type Dir string

// InDir calls use with a new directory that only its owner can enter, and
// removes it with all that is in it, also when use panics.
func InDir(use func(Dir) error) (err error) {
	path, err := os.MkdirTemp("", "sibyl-")
	if err != nil {
		return err
	}
	defer func() {
		if gone := os.RemoveAll(path); gone != nil {
			err = errors.Join(err, fmt.Errorf("solver: private files may be left behind: %w", gone))
		}
	}()
	return use(Dir(path))
}

// Path returns the path of a file of the directory.
func (d Dir) Path(name string) string { return filepath.Join(string(d), name) }

// Write makes a file that only its owner can read, with what fill writes.
func (d Dir) Write(name string, fill func(w io.Writer) error) (err error) {
	f, err := os.OpenFile(d.Path(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	if err := fill(w); err != nil {
		return err
	}
	return w.Flush()
}

// Read returns the contents of a file; more than most bytes fail with
// ErrOutput.
func (d Dir) Read(name string, most int64) ([]byte, error) {
	f, err := os.Open(d.Path(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%w: more than %d bytes in a file", ErrOutput, most)
	}
	return data, err
}
