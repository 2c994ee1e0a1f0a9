package main

import (
	"fmt"
	"os"
	"time"

	"github.com/sibyl-dp/sibyl/search"
)

// A privateLog holds diagnostics, which may tell anything about the data. It
// is opened before the data is read, only its owner may read it, and an error
// while writing to it, such as a full disk, changes nothing.
type privateLog struct {
	file  *os.File // nil: no log was asked for
	start time.Time
}

// openPrivateLog opens the log, unless it is one of the other files.
func openPrivateLog(path string, others ...string) (*privateLog, error) {
	l := &privateLog{start: time.Now()}
	if path == "" {
		return l, nil
	}
	for _, other := range others {
		if sameFile(path, other) {
			return nil, fmt.Errorf("%s: the private log needs a file of its own", path)
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%s: the private log cannot be written: %w", path, inner(err))
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() {
		err = file.Chmod(0o600)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: the private log cannot be kept from others: %w", path, inner(err))
	}
	l.file = file
	return l, nil
}

// tell adds a line.
func (l *privateLog) tell(format string, args ...any) {
	if l.file == nil {
		return
	}
	line := fmt.Sprintf(format, args...)
	fmt.Fprintf(l.file, "%s +%.3fs %s\n", time.Now().UTC().Format(time.RFC3339), time.Since(l.start).Seconds(), line)
}

// effort tells what a draw cost.
func (l *privateLog) effort(e search.Effort) {
	l.tell("walked %d nodes in %d passes, and drew %d times", e.Nodes, e.Passes, e.Rounds)
}

func (l *privateLog) close() {
	if l.file != nil {
		l.file.Close()
	}
}
