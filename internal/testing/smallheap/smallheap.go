// Package smallheap speeds up tests that allocate much and retain little: importing it sets the
// first garbage collection to 32 MiB instead of 4.
package smallheap

import "runtime/debug"

func init() { debug.SetGCPercent(800) }
