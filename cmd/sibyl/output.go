package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"syscall"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// errUnread says that the reader of the standard output had enough of it, as head has, where
// nothing else was written. That needs no words.
var errUnread = errors.New("standard output was closed by its reader")

// An output is the standard output. Its failure must not be taken for that of the command:
// what was released or written to files is there, and has spent what it spends.
type output struct {
	w     io.Writer
	mutex sync.Mutex // a command that is stuck may still write
	first error
}

func (o *output) Write(p []byte) (int, error) {
	if err := o.failure(nil); err != nil {
		return 0, err
	}
	n, err := o.w.Write(p)
	if err != nil {
		err = o.failure(err)
	}
	return n, err
}

// failure returns the first failure, which may be this one.
func (o *output) failure(this error) error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.first == nil {
		o.first = this
	}
	return o.first
}

// Stat is that of a file, where the output is one.
func (o *output) Stat() (fs.FileInfo, error) {
	if file, ok := o.w.(interface{ Stat() (fs.FileInfo, error) }); ok {
		return file.Stat()
	}
	return nil, fs.ErrInvalid
}

// ended returns how a command ended that returned the error and wrote those files: by
// failing to write here, if that is what its error is or if it has none.
func (o *output) ended(err error, written []string) error {
	first := o.failure(nil)
	if first == nil || err != nil && !errors.Is(err, first) {
		return err
	}
	if errors.Is(first, syscall.EPIPE) && len(written) == 0 {
		return publish.Partly{Reason: errUnread}
	}
	return publish.Partly{Reason: fmt.Errorf("standard output could not be written: %w%s", publish.Inner(first), notice("; ", written))}
}

// notice tells which files are written, after what is before it; nothing where none is.
func notice(before string, written []string) string {
	var names []string
	for _, path := range written {
		names = append(names, quote.Name(path))
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return before + names[0] + " is written"
	case n <= 3:
		return before + strings.Join(names, ", ") + " are written"
	default:
		return fmt.Sprintf("%s%s and %d more files are written", before, names[0], n-1)
	}
}
