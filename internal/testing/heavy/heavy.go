// Package heavy selects between two forms of long tests. Both check the same statements. The short form runs on every
// change. SIBYL_HEAVY=1 in the environment requests the full form, with more samples, more cases and larger tables.
package heavy

import "os"

// On reports whether the full form is requested. It reads the environment while tests run, so the go command notices
// the variable and caches the results of the two forms separately.
func On() bool { return os.Getenv("SIBYL_HEAVY") == "1" }

// Pick returns full if the full form is requested, and quick otherwise.
func Pick[T any](quick, full T) T {
	if On() {
		return full
	}
	return quick
}
