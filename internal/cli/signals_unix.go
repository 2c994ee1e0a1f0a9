//go:build unix

package cli

import (
	"os"
	"syscall"
)

// endings are the signals that request the end of the program.
var endings = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU}

// failures are the signals that the operating system sends in addition to the error of a failed
// write: a write to a pipe without a reader, or beyond the limit on a file's size.
var failures = []os.Signal{syscall.SIGPIPE, syscall.SIGXFSZ}
