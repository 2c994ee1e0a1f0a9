//go:build !unix

package solver

import "syscall"

// attributes returns the attributes of a new process: the defaults of the system.
func attributes() *syscall.SysProcAttr { return nil }
