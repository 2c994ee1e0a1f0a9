package cli

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

// errUnread is the error of a command that wrote no files, and whose standard output was closed by the program that
// reads it, such as head. This error is not printed.
var errUnread = errors.New("standard output was closed by its reader")

// An output is the standard output of a command. It keeps the first error of writing to it, because this error must be
// distinguished from a failure of the command: released values and written files may exist, and the privacy budget may
// be consumed.
type output struct {
	w     io.Writer
	mutex sync.Mutex // a command for which execute no longer waits may still write
	first error
	some  bool // whether anything was written
}

func (o *output) Write(p []byte) (int, error) {
	if err := o.failure(nil); err != nil {
		return 0, err
	}
	n, err := o.w.Write(p)
	o.mutex.Lock()
	o.some = o.some || n > 0
	o.mutex.Unlock()
	if err != nil {
		err = o.failure(err)
	}
	return n, err
}

// failure records the first error of writing to the output, and returns the recorded error, or nil. Later errors are
// ignored.
func (o *output) failure(err error) error {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.first == nil {
		o.first = err
	}
	return o.first
}

// used reports whether the command tried to write to its standard output.
func (o *output) used() bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.some || o.first != nil
}

// Stat returns information about the file to which the output is written, if it is a file.
func (o *output) Stat() (fs.FileInfo, error) {
	if file, ok := o.w.(interface{ Stat() (fs.FileInfo, error) }); ok {
		return file.Stat()
	}
	return nil, fs.ErrInvalid
}

// ended returns the final error of a command that returned the error err. The parameter written lists the files that
// the command has written. If the only failure was that of writing to standard output, the final error is a
// publish.Partly, and otherwise it is err.
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

// notice returns a text that names the written files, such as "; model.json is written". The parameter before is its
// beginning, such as "; ". It returns "" if no files were written.
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
