// Package smallheap speeds up tests that allocate much memory and retain little. If a test imports it, the first garbage
// collection starts at a heap of 32 MiB instead of 4 MiB.
package smallheap

import "runtime/debug"

func init() { debug.SetGCPercent(800) }
