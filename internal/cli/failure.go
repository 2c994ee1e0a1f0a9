package cli

import (
	"errors"
	"slices"

	naming "github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Failure is the JSON output of a command that was called with --json and failed before it printed anything
// else. It contains the message that is also printed on standard error.
type Failure struct {
	Error failureJSON `json:"error"`
}

type failureJSON struct {
	Kind      string `json:"kind"`
	Message   string `json:"message"`
	Parameter string `json:"parameter,omitempty"` // the first parameter that the message is about, without dashes
}

// The kinds of failures, which tell the caller what to correct. The first three kinds share the exit code
// ExitUsage, and each of the others has an exit code of its own.
const (
	parameterFailure   = "parameter" // a flag, a schema, a model or another public input is invalid
	dataFailure        = "data"      // the data is malformed or cannot be read
	budgetFailure      = "budget"    // the privacy budget does not allow the release
	nothingFailure     = "nothing"   // ExitNothing
	partlyFailure      = "partly"    // ExitPartly
	interruptedFailure = "interrupted"
)

// newFailure returns the Failure of a command that ended with the given error and exit code. The parameter
// message is the text of the error as it is printed.
func newFailure(code int, err error, message string) Failure {
	f := failureJSON{Kind: parameterFailure, Message: message}
	switch {
	case code == ExitInterrupted:
		f.Kind = interruptedFailure
	case code == ExitPartly:
		f.Kind = partlyFailure
	case code == ExitNothing:
		f.Kind = nothingFailure
	case errors.Is(err, privacy.ErrSpent):
		f.Kind = budgetFailure
	case errors.As(err, new(release.Refused)):
		f.Kind = dataFailure
	default:
		if e, named := errors.AsType[*naming.Error](err); named {
			f.Parameter = e.Name()
		}
	}
	return Failure{f}
}

// wantsJSON reports whether the arguments contain --json, even if they are otherwise invalid.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}
