//go:build unix

package experiment

import (
	"syscall"
	"time"
)

// processorTime returns the processor time of this process so far, over all processors.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
