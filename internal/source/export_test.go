package source

import "testing"

// SetPersonsMemory sets the memory for sorting rows by person, in bytes, until the test ends.
func SetPersonsMemory(t testing.TB, bytes int) {
	before := personsMemory
	personsMemory = bytes
	t.Cleanup(func() { personsMemory = before })
}

// StreamAll sets mostHeld such that all Parquet files without persons are streamed, until the test ends.
func StreamAll(t testing.TB) {
	before := mostHeld
	mostHeld = -1 << 20
	t.Cleanup(func() { mostHeld = before })
}
