//go:build unix && !linux

package solver

import "syscall"

// attributes returns attributes by which the process leads a new process group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
