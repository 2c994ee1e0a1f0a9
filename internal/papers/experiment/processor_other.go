//go:build !unix

package experiment

import "time"

// processorTime returns 0, because the CPU time is not known on this system.
func processorTime() time.Duration { return 0 }
