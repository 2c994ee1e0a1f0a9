//go:build unix

package main

import (
	"os"
	"syscall"
)

// endings ask the program to end.
var endings = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU}

// failures come with a write that fails: to a pipe that nobody reads, or beyond the limit
// on a file's size.
var failures = []os.Signal{syscall.SIGPIPE, syscall.SIGXFSZ}
