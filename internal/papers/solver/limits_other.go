//go:build !unix

package solver

import "syscall"

// attributes are the system's own.
func attributes() *syscall.SysProcAttr { return nil }
