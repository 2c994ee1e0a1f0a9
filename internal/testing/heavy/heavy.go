// Package heavy holds the one switch between the two forms of the tests that take
// long: SIBYL_HEAVY=1 in the environment asks for the full one, with more draws,
// finer paths, larger worlds. The quick form is there for every change: it checks
// the same statements and can fail.
package heavy

import "os"

// On tells whether the full forms are asked for. It reads the environment while
// tests run, so that the go command keeps the results of either form apart.
func On() bool { return os.Getenv("SIBYL_HEAVY") == "1" }

// Pick returns what the test takes in its quick form, or in the full one.
func Pick[T any](quick, full T) T {
	if On() {
		return full
	}
	return quick
}
