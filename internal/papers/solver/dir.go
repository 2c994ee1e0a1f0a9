package solver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// A Dir is a directory for the files of one call of a solver.
type Dir string

// ErrAbandoned reports a directory or a file that was to be made after Abandon.
var ErrAbandoned = errors.New("solver: the program is ending")

// inUse are the directories of this process. Nothing is made while it is locked.
var inUse struct {
	sync.Mutex
	abandoned bool
	paths     map[string]bool
}

// made calls create, unless all directories are abandoned.
func made(create func() error) error {
	inUse.Lock()
	defer inUse.Unlock()
	if inUse.abandoned {
		return ErrAbandoned
	}
	return create()
}

// InDir calls use with a new directory that only its owner can enter, and
// removes it with all that is in it, also when use panics.
func InDir(use func(Dir) error) (err error) {
	var path string
	err = made(func() (err error) {
		if path, err = os.MkdirTemp("", "sibyl-"); err != nil {
			return err
		}
		if inUse.paths == nil {
			inUse.paths = map[string]bool{}
		}
		inUse.paths[path] = true
		return nil
	})
	if err != nil {
		return err
	}
	defer func() {
		gone := os.RemoveAll(path)
		if gone != nil {
			err = errors.Join(err, fmt.Errorf("solver: private files may be left behind: %w", gone))
		}
		inUse.Lock()
		defer inUse.Unlock()
		delete(inUse.paths, path)
	}()
	return use(Dir(path))
}

// Abandon removes the directories of all calls of InDir that have not ended. It is
// for a program that is about to end without them: no directory and no file of one
// can be made after it. Solvers that still run must have been stopped by their
// contexts.
func Abandon() {
	inUse.Lock()
	defer inUse.Unlock()
	inUse.abandoned = true
	for path := range inUse.paths {
		os.RemoveAll(path)
	}
}

// Path returns the path of a file of the directory.
func (d Dir) Path(name string) string { return filepath.Join(string(d), name) }

// Write makes a file that only its owner can read, with what fill writes.
func (d Dir) Write(name string, fill func(w io.Writer) error) (err error) {
	var f *os.File
	err = made(func() (err error) {
		f, err = os.OpenFile(d.Path(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		return err
	})
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
