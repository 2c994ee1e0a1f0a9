//go:build unix

package solver

import (
	"os"
	"syscall"
)

// killGroup kills all processes of p's group. It works after p itself has ended, too.
func killGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil {
		return os.ErrProcessDone
	}
	return nil
}
