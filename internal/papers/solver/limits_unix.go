//go:build unix && !linux

package solver

import "syscall"

// attributes returns the attributes of a new process, which leads a new process group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
