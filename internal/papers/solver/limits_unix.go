//go:build unix && !linux

package solver

import "syscall"

// attributes makes the process the leader of a new group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
