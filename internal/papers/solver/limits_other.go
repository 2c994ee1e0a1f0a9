//go:build !unix

package solver

import "syscall"

// attributes returns the default attributes of the system.
func attributes() *syscall.SysProcAttr { return nil }
