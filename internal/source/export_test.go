package source

import "testing"

// SetPersonsMemory has rows of persons sorted in so few bytes of memory, until the test ends.
func SetPersonsMemory(t testing.TB, bytes int) {
	before := personsMemory
	personsMemory = bytes
	t.Cleanup(func() { personsMemory = before })
}
