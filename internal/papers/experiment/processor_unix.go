//go:build unix

package experiment

import (
	"syscall"
	"time"
)

// processorTime returns the CPU time that this process has used so far, summed over all processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
