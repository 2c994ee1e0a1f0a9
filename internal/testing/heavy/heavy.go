// Package heavy selects between the two forms of long tests: SIBYL_HEAVY=1 in the environment
// requests the full form, with more draws, finer paths and larger tables. The short form runs on
// every change: it checks the same statements and can fail.
package heavy

import "os"

// On reports whether the full forms are requested. It reads the environment while tests run, so
// that the go command caches the results of the two forms separately.
func On() bool { return os.Getenv("SIBYL_HEAVY") == "1" }

// Pick returns the argument for the short form, or the one for the full form.
func Pick[T any](quick, full T) T {
	if On() {
		return full
	}
	return quick
}
