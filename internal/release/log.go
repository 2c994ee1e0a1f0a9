package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/sibyl-dp/sibyl/internal/publish"
	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A Log is a file of diagnostics for the owner of the data, which may reveal private data. It is opened before the
// data is read, and only its owner may read it. If writing to the log fails, for example because the disk is full,
// this has no effect on the release. The zero value discards everything.
type Log struct {
	file  *os.File
	start time.Time
}

// OpenLog opens the log at the given path. It returns an error if this run uses the file for another purpose. If the
// path is empty, the log discards everything.
func OpenLog(path string, files *publish.Claims) (*Log, error) {
	l := &Log{start: time.Now()}
	if path == "" {
		return l, nil
	}
	mine, err := files.Writes(path)
	if err != nil {
		return nil, err
	}
	// Opening a pipe would block until a reader opens it, and a device would not store the log.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%s: the private log must be a regular file; choose another path", quote.Name(path))
	}
	flags := os.O_WRONLY | os.O_APPEND
	if !mine.Exists() {
		flags |= os.O_CREATE | os.O_EXCL
	}
	if l.file, err = os.OpenFile(path, flags, fs.FileMode(publish.ForCurator)); err != nil {
		return nil, fmt.Errorf("%s: the private log cannot be written: %w", mine.Name(), publish.Inner(err))
	}
	info, err := l.file.Stat()
	if err == nil {
		err = files.Opened(mine, info)
	}
	if errors.As(err, new(publish.Shared)) {
		l.Close()
		if flags&os.O_CREATE != 0 {
			os.Remove(path)
		}
		return nil, err
	}
	if err == nil && info.Mode().IsRegular() {
		err = l.file.Chmod(fs.FileMode(publish.ForCurator))
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("%s: the private log cannot be made readable only by its owner: %w", quote.Name(path), publish.Inner(err))
	}
	return l, nil
}

// tell formats a message like fmt.Sprintf and writes it to the log as one line.
func (l *Log) tell(format string, args ...any) {
	if l == nil || l.file == nil {
		return
	}
	line := fmt.Sprintf(format, args...)
	fmt.Fprintf(l.file, "%s +%.3fs %s\n", time.Now().UTC().Format(time.RFC3339), time.Since(l.start).Seconds(), line)
}

// Close closes the file of the log.
func (l *Log) Close() {
	if l != nil && l.file != nil {
		l.file.Close()
	}
}
