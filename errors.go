package sibyl

import (
	"errors"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/release"
	"github.com/sibyl-dp/sibyl/privacy"
)

var (
	// ErrBudgetExhausted is the error of a release that would consume more than the account has
	// left. Nothing is charged then, and no data is read.
	ErrBudgetExhausted = privacy.ErrSpent

	// ErrNothing is the error of a mechanism that released no hypothesis, which is one of its
	// results and consumes the budget too. Only papers.PRSMA has it.
	ErrNothing error = release.ErrNothing

	// ErrFailed is the error of a release that failed after the data was read. Why it failed may
	// depend on the data, and is private. The budget is consumed.
	ErrFailed = errors.New("nothing was released: the release failed after the data was read, and why is private")
)

// A ParameterError reports a public parameter that is wrong, or parameters that exclude each
// other. No data has been read, and nothing was charged.
type ParameterError struct {
	Field string // of Settings, of the class, of the mechanism or of Synthesis; or an argument, such as "class"
	text  string
	err   error
}

// Error says in one sentence what is wrong and how to mend it.
func (e *ParameterError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *ParameterError) Unwrap() error { return e.err }

// A DataError reports data that cannot be read or is ill-formed. Where that shows before a row is
// read, as for a file that does not exist, a column that is missing or a query that is refused,
// nothing was charged. It does not quote a value.
type DataError struct {
	text string
	err  error
}

// Error says in one sentence what is wrong and where.
func (e *DataError) Error() string { return e.text }

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.err }

// fields are the parameters whose field does not have the flag's name.
var fields = map[string]string{
	"class": "class", "monotone": "Rising or Falling", "pair": "Pairs", "model": "schema",
}

// field returns the field or argument that a parameter is in programs.
func field(name string) string {
	if f, other := fields[name]; other {
		return f
	}
	var b strings.Builder
	for _, word := range strings.Split(name, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// wrong returns a ParameterError for an error over what is public, which is about the argument
// unless it names a parameter.
func wrong(argument string, err error) error {
	if _, known := errors.AsType[*ParameterError](err); err == nil || known {
		return err
	}
	if e, named := errors.AsType[*parameter.Error](err); named && e.Name() != "" {
		argument = field(e.Name())
	}
	return &ParameterError{argument, parameter.Say(err, field), err}
}

// told returns the error of a release as programs see it.
func told(err error) error {
	switch _, refused := errors.AsType[release.Refused](err); {
	case refused:
		return &DataError{parameter.Say(err, field), err}
	case errors.Is(err, release.ErrWithheld), errors.Is(err, release.ErrDefect):
		return ErrFailed
	}
	if _, named := errors.AsType[*parameter.Error](err); named {
		return wrong("", err)
	}
	return err
}
