// Package smallheap speeds up tests that allocate much memory and retain little. A test only needs to import it. The
// first garbage collection then starts at a heap of 32 MiB instead of 4 MiB.
package smallheap

import "runtime/debug"

func init() { debug.SetGCPercent(800) }
