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

// A Dir is a temporary directory for the files of one call of a solver.
type Dir string

// ErrAbandoned is returned if a directory or a file would be created after Abandon was called.
var ErrAbandoned = errors.New("solver: no file can be created, because the program is ending")

// inUse records the temporary directories that this process has created and not yet removed. Its lock must be held
// while such a directory, or a file in it, is created.
var inUse struct {
	sync.Mutex
	abandoned bool
	paths     map[string]bool
}

// made calls the function create, which creates a directory or a file, while it holds the lock of inUse, and returns
// the error of create. If Abandon was called before, made returns ErrAbandoned without calling create.
func made(create func() error) error {
	inUse.Lock()
	defer inUse.Unlock()
	if inUse.abandoned {
		return ErrAbandoned
	}
	return create()
}

// InDir creates a temporary directory that only its owner can enter, and calls the function use with
// it. When use returns or panics, InDir removes the directory and its contents.
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
			err = errors.Join(err, fmt.Errorf("solver: a temporary directory with private files could not be removed; remove it by hand: %w", gone))
		}
		inUse.Lock()
		defer inUse.Unlock()
		delete(inUse.paths, path)
	}()
	return use(Dir(path))
}

// Abandon removes the directories of all calls of InDir that have not returned. A program that exits during calls of
// InDir must first cancel the contexts of running solvers, and then call Abandon. After Abandon, InDir and Dir.Write
// return ErrAbandoned.
func Abandon() {
	inUse.Lock()
	defer inUse.Unlock()
	inUse.abandoned = true
	for path := range inUse.paths {
		os.RemoveAll(path)
	}
}

// Path returns the path of the file with the given name in the directory.
func (d Dir) Path(name string) string { return filepath.Join(string(d), name) }

// Write creates a file that only its owner can read, and calls the function fill to write its contents. It returns an
// error if the file already exists.
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

// Read returns the contents of the file with the given name. It returns ErrOutput if the file has more bytes than the
// given limit.
func (d Dir) Read(name string, limit int64) ([]byte, error) {
	f, err := os.Open(d.Path(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: an output file of the solver has more than %d bytes", ErrOutput, limit)
	}
	return data, err
}
