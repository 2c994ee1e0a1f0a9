// Package mustfail checks that a test suite can fail: it runs the suite on a deliberately
// incorrect implementation.
package mustfail

import (
	"fmt"
	"testing"
)

// A Recorder stands in for *testing.T in a test suite that must fail, and records the message of its
// failure.
type Recorder struct{ message string }

// Helper does nothing. It exists because test suites call the method of this name of *testing.T.
func (r *Recorder) Helper() {}

// Fatalf records the message of a failure, and ends the test suite.
func (r *Recorder) Fatalf(format string, args ...any) {
	r.message = fmt.Sprintf(format, args...)
	panic(r)
}

// Run runs a test suite that must fail, and returns the message of its failure. It fails the test t if the
// suite does not fail.
func Run(t *testing.T, suite func(r *Recorder)) (message string) {
	t.Helper()
	r := new(Recorder)
	defer func() {
		if e := recover(); e != nil && e != any(r) {
			panic(e)
		}
		if r.message == "" {
			t.Errorf("the suite passes for a deliberately incorrect implementation, but must fail")
		}
		message = r.message
	}()
	suite(r)
	return ""
}
