//go:build unix && !linux

package solver

import "syscall"

// attributes make the process the leader of its group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
