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

// A Log holds diagnostics, which may tell anything about the data. It is opened before
// the data is read, only its owner may read it, and an error while writing to it, such as
// a full disk, changes nothing. The zero value keeps nothing.
type Log struct {
	file  *os.File
	start time.Time
}

// OpenLog opens the log, unless the run has another use for the file. An empty path is a
// log that keeps nothing.
func OpenLog(path string, files *publish.Claims) (*Log, error) {
	l := &Log{start: time.Now()}
	if path == "" {
		return l, nil
	}
	mine, err := files.Writes(path)
	if err != nil {
		return nil, err
	}
	// To open a pipe waits for its reader, and a device keeps nothing.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, fmt.Errorf("%s: the private log must be an ordinary file; name another one", quote.Name(path))
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
		return nil, fmt.Errorf("%s: the private log cannot be kept from others: %w", quote.Name(path), publish.Inner(err))
	}
	return l, nil
}

// tell adds a line.
func (l *Log) tell(format string, args ...any) {
	if l == nil || l.file == nil {
		return
	}
	line := fmt.Sprintf(format, args...)
	fmt.Fprintf(l.file, "%s +%.3fs %s\n", time.Now().UTC().Format(time.RFC3339), time.Since(l.start).Seconds(), line)
}

// Close closes the log.
func (l *Log) Close() {
	if l != nil && l.file != nil {
		l.file.Close()
	}
}
