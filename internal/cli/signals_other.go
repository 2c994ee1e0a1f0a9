//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// endings are the signals that request the end of the program.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM}

// failures are the signals that the operating system sends in addition to the error of a failed write. On this
// system there are none.
var failures []os.Signal
