package solver

import (
	"strconv"
	"syscall"
)

// attributes returns the attributes of a new process. The process leads a new process group, and the kernel kills it
// when the thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limited returns the command line of a shell that sets limits and then executes the program with the arguments
// args. The shell disables core dumps, since they would contain private data, and limits the memory with ulimit.
func (p Program) limited(args []string) (path string, all []string, err error) {
	memory := "unlimited"
	if p.Memory > 0 {
		memory = strconv.FormatInt((p.Memory-1)/1024+1, 10)
	}
	script := `ulimit -c 0 && { [ "$0" = unlimited ] || ulimit -v "$0"; } && exec "$@"`
	return "/bin/sh", append([]string{"-c", script, memory, p.Path}, args...), nil
}
