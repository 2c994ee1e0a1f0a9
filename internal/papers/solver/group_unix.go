//go:build unix

package solver

import (
	"os"
	"syscall"
)

// killGroup kills all processes of the process group that p leads, even if p itself has ended. It returns
// os.ErrProcessDone if it cannot.
func killGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil {
		return os.ErrProcessDone
	}
	return nil
}
