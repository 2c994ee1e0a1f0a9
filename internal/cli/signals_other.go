//go:build !unix

package cli

import (
	"os"
	"syscall"
)

// endings are the signals that request the end of the program.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM}

// failures are the signals that accompany a failed write.
var failures []os.Signal
