// Package smallheap makes tests quicker that make much garbage and hold little: it collects
// garbage at 32 MiB instead of 4. Tests import it for that alone.
package smallheap

import "runtime/debug"

func init() { debug.SetGCPercent(800) }
