package sibyl

import (
	"errors"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

var (
	// ErrBudgetExhausted is returned if a release would consume more than the remaining budget of
	// the account. Nothing is charged then, and no data is read.
	ErrBudgetExhausted = privacy.ErrSpent

	// ErrNothing is returned if the mechanism released no hypothesis, which is one of its random
	// results. The budget is consumed. Only papers.PRSMA returns it.
	ErrNothing error = release.ErrNothing

	// ErrFailed is returned if a release failed after the data was read. The cause may depend on
	// the data, so it is private and not reported. The budget is consumed.
	ErrFailed = errors.New("nothing was released: the release failed after the data was read; the cause is not shown, because it may reveal private data")
)

// A ParameterError reports an invalid public parameter, or parameters that exclude each other. No
// data has been read, and nothing was charged.
type ParameterError struct {
	Field string // the name of a field of Settings, the class, the mechanism or Synthesis; or of an argument, such as "class"
	text  string
	err   error
}

// Error states in one sentence what is wrong with the parameter, and how to correct it.
func (e *ParameterError) Error() string { return e.text }

// Unwrap returns the underlying error, or nil.
func (e *ParameterError) Unwrap() error { return e.err }

// A DataError reports data that is malformed or cannot be read. It never quotes a value of the data. If the error was
// found before any row was read, nothing was charged. Examples of such errors are a missing file, a missing column,
// and a query that the database rejects.
type DataError struct {
	text string
	err  error
}

// Error states in one sentence what is wrong with the data, and where.
func (e *DataError) Error() string { return e.text }

// Unwrap returns the underlying error, or nil.
func (e *DataError) Unwrap() error { return e.err }

// fieldNames maps parameters to the names of the corresponding Go fields or arguments. It contains
// only the names that fieldName does not derive from the parameter by a rule.
var fieldNames = map[string]string{
	"class": "class", "monotone": "Rising or Falling", "pair": "Pairs", "model": "schema", "lookup": "Lookups",
}

// fieldName returns the name of the Go field or argument for a parameter, such as FalsePositive for
// false-positive.
func fieldName(name string) string {
	if f, other := fieldNames[name]; other {
		return f
	}
	var b strings.Builder
	for _, word := range strings.Split(name, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// parameterError wraps an error about public inputs in a ParameterError. If err names a parameter, the Field of the
// result is that parameter; otherwise it is the given argument. For a nil err, parameterError returns nil.
func parameterError(argument string, err error) error {
	if _, known := errors.AsType[*ParameterError](err); err == nil || known {
		return err
	}
	if e, named := errors.AsType[*parameter.Error](err); named && e.Name() != "" {
		argument = fieldName(e.Name())
	}
	return &ParameterError{argument, parameter.Say(err, fieldName), err}
}

// releaseError converts an error of package release to the errors that Learn documents.
func releaseError(err error) error {
	switch _, refused := errors.AsType[release.Refused](err); {
	case refused:
		return &DataError{parameter.Say(err, fieldName), err}
	case errors.Is(err, release.ErrWithheld), errors.Is(err, release.ErrDefect):
		return ErrFailed
	}
	if _, named := errors.AsType[*parameter.Error](err); named {
		return parameterError("", err)
	}
	return err
}
