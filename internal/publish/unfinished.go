package publish

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
)

// An interrupted run may block, for example on a slow disk or an endless input. The process then ends
// without waiting for the run. So the process records which temporary files the run has created, to remove
// them, and which files it has published, to report them.

// Unfinished records what must be known if a process is interrupted: the temporary files to remove, the files that it
// has published, and whether it has charged a privacy budget ledger. The zero value is empty.
type Unfinished struct {
	// ToDisk writes a file to the disk. If it is nil, (*os.File).Sync is used.
	ToDisk func(*os.File) error

	mutex   sync.Mutex
	over    bool               // whether Abandon was called; Begin and publish then return an error
	paths   map[string]remover // the temporary files and directories
	written []string           // the published files
	charged bool               // whether Charge was called
}

// A remover is a function that removes the file or directory at a path, such as os.Remove or os.RemoveAll.
type remover func(path string) error

type unfinishedKey struct{}

// With returns a context that contains u. Functions that create temporary files with this context record them in u.
func With(ctx context.Context, u *Unfinished) context.Context {
	return context.WithValue(ctx, unfinishedKey{}, u)
}

// In returns the Unfinished that the context contains, or a new one if it contains none.
func In(ctx context.Context) *Unfinished {
	if u, ok := ctx.Value(unfinishedKey{}).(*Unfinished); ok {
		return u
	}
	return &Unfinished{}
}

// errOver is the error of Begin and publish after a call of Abandon.
var errOver = errors.New("the program is ending")

// Begin creates a temporary file or directory and records it. It calls the function create, which returns the path,
// and keeps the function gone for removing it. If create returns an empty path, nothing is recorded. After a call of
// Abandon, Begin returns an error without calling create.
func (u *Unfinished) Begin(gone remover, create func() (path string, err error)) error {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.over {
		return errOver
	}
	path, err := create()
	if err != nil || path == "" {
		return err
	}
	if u.paths == nil {
		u.paths = map[string]remover{}
	}
	u.paths[path] = gone
	return nil
}

// Remove removes a temporary file or directory, unless it has already been removed.
func (u *Unfinished) Remove(path string) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if gone := u.paths[path]; gone != nil {
		gone(path)
		delete(u.paths, path)
	}
}

// publish calls the function move, which gives files their final names, and records the paths that move returns. If
// the context has ended or Abandon was called, publish returns an error without calling move. A call of Abandon waits
// until publish has returned.
func (u *Unfinished) publish(ctx context.Context, move func() (written []string, err error)) error {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	switch {
	case u.over:
		return errOver
	case ctx.Err() != nil:
		return ctx.Err()
	}
	written, err := move()
	u.written = append(u.written, written...)
	return err
}

// Abandon removes all temporary files and directories. After this call, Begin and publish return an error.
func (u *Unfinished) Abandon() {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.over = true
	// Remove the content of a directory before the directory.
	paths := slices.Sorted(maps.Keys(u.paths))
	slices.Reverse(paths)
	for _, path := range paths {
		u.paths[path](path)
	}
	u.paths = nil
}

// Charge records that the process has charged a privacy budget ledger for a release.
func (u *Unfinished) Charge() {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.charged = true
}

// Charged reports whether the process has charged a privacy budget ledger for a release.
func (u *Unfinished) Charged() bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	return u.charged
}

// Left returns the paths of the published files of the process that still exist.
func (u *Unfinished) Left() []string {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	var left []string
	for _, path := range u.written {
		if _, err := os.Lstat(path); err == nil {
			left = append(left, path)
		}
	}
	return left
}

// toDisk flushes a file to the disk.
func (u *Unfinished) toDisk(f *os.File) error {
	if u.ToDisk != nil {
		return u.ToDisk(f)
	}
	return f.Sync()
}
