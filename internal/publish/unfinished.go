package publish

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
)

// A run that is interrupted may be stuck, in a slow disk or an input that never ends,
// and then the process ends without it. So the process knows what the run has begun,
// and what it has published: nothing is left behind, and nothing is denied that is there.

// Unfinished is what a process must remove if it ends now. The zero value has nothing.
type Unfinished struct {
	// ToDisk has a file on the disk; nil is (*os.File).Sync.
	ToDisk func(*os.File) error

	mutex   sync.Mutex
	over    bool               // nothing can begin or be published any more
	paths   map[string]remover // what was begun
	written []string           // files that were published
}

// A remover removes what is at a path: os.Remove, or os.RemoveAll.
type remover func(path string) error

type unfinishedKey struct{}

// With returns a context whose runs note there what they begin.
func With(ctx context.Context, u *Unfinished) context.Context {
	return context.WithValue(ctx, unfinishedKey{}, u)
}

// In returns that of the context.
func In(ctx context.Context) *Unfinished {
	if u, ok := ctx.Value(unfinishedKey{}).(*Unfinished); ok {
		return u
	}
	return &Unfinished{}
}

// errOver reports what came after the end.
var errOver = errors.New("the program is ending")

// Begin makes something temporary, and notes how to remove it if it has a path.
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

// Remove removes what was begun, if it is still there.
func (u *Unfinished) Remove(path string) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if gone := u.paths[path]; gone != nil {
		gone(path)
		delete(u.paths, path)
	}
}

// publish has move give files their names, and notes those that it returns, unless
// the context or the process has ended. Either both end while it lasts, or neither.
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

// Abandon removes all that was begun; nothing can begin after that.
func (u *Unfinished) Abandon() {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.over = true
	// What is in a directory comes before it.
	paths := slices.Sorted(maps.Keys(u.paths))
	slices.Reverse(paths)
	for _, path := range paths {
		u.paths[path](path)
	}
	u.paths = nil
}

// Left returns the published files that are still there.
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

// toDisk has a file on the disk.
func (u *Unfinished) toDisk(f *os.File) error {
	if u.ToDisk != nil {
		return u.ToDisk(f)
	}
	return f.Sync()
}
