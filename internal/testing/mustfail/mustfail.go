// Package mustfail shows that a test can fail: it runs the test on something
// made wrong on purpose.
package mustfail

import (
	"fmt"
	"testing"
)

// A Recorder takes the place of *testing.T in a suite, and remembers its
// failure.
type Recorder struct{ message string }

// Helper does nothing.
func (r *Recorder) Helper() {}

// Fatalf records the failure and ends the suite.
func (r *Recorder) Fatalf(format string, args ...any) {
	r.message = fmt.Sprintf(format, args...)
	panic(r)
}

// Run fails t unless the suite fails; it returns the suite's message.
func Run(t *testing.T, suite func(r *Recorder)) (message string) {
	t.Helper()
	r := new(Recorder)
	defer func() {
		if e := recover(); e != nil && e != any(r) {
			panic(e)
		}
		if r.message == "" {
			t.Errorf("the suite passes what is wrong on purpose")
		}
		message = r.message
	}()
	suite(r)
	return ""
}
