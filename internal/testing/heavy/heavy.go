// Package heavy selects between two forms of long tests. Both check the same statements. The short form runs on every
// change. SIBYL_HEAVY=1 in the environment requests the full form, with more samples, more cases and larger tables.
package heavy

import "os"

// On reports whether the full form of slow tests is requested, by SIBYL_HEAVY=1. It reads the environment while tests
// run, so that the go command notices the variable and caches the results of the full and the quick form separately.
func On() bool { return os.Getenv("SIBYL_HEAVY") == "1" }

// Pick returns the value full if the full form of slow tests is requested, and quick otherwise.
func Pick[T any](quick, full T) T {
	if On() {
		return full
	}
	return quick
}
