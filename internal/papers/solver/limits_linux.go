package solver

import (
	"strconv"
	"syscall"
)

// attributes make the process the leader of its group, and let it die with the
// thread that started it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limited returns the command line of a shell that sets the limits and then
// becomes the program: no core dumps, which would hold private data, and the
// limit on memory, which ulimit counts in KiB.
func (p Program) limited(args []string) (path string, all []string, err error) {
	memory := "unlimited"
	if p.Memory > 0 {
		memory = strconv.FormatInt((p.Memory-1)/1024+1, 10)
	}
	script := `ulimit -c 0 && { [ "$0" = unlimited ] || ulimit -v "$0"; } && exec "$@"`
	return "/bin/sh", append([]string{"-c", script, memory, p.Path}, args...), nil
}
