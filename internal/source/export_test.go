package source

import "testing"

// SetPersonsMemory sets the memory for sorting rows by person, in bytes, until the test ends.
func SetPersonsMemory(t testing.TB, bytes int) {
	before := personsMemory
	personsMemory = bytes
	t.Cleanup(func() { personsMemory = before })
}
