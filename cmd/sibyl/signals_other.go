//go:build !unix

package main

import (
	"os"
	"syscall"
)

// endings ask the program to end.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM}

// failures come with a write that fails.
var failures []os.Signal
