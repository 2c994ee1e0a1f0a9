// Package parameter defines errors and other texts that name parameters. A parameter has two names: in the command it
// is a flag, such as --most-rows, and in a Go program it is a field of a struct, such as MostRows. The texts of this
// package can be printed with either name.
package parameter

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// An Error is an error about an invalid parameter, or about parameters that exclude each other. It can be printed
// with the names of the parameters in the command, or with those in a Go program.
type Error struct {
	names []string                                  // the parameters to which the error refers, those in the format first
	text  func(call func(name string) string) error // formats the error; call returns the name of a parameter
}

// A Text is a message in which {name} represents the parameter with that name. It can be an argument of Errorf.
type Text string

// Say returns the message with the names of parameters that the function call returns, such as those of flags.
func (t Text) Say(call func(name string) string) string { return replace(string(t), call) }

// String returns the message for the command, in which parameters have the names of their flags.
func (t Text) String() string { return t.Say(Flag) }

// MarshalText returns the message for the JSON output of the command, in which parameters have the names of their
// flags.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// reference matches a reference to a parameter, such as {most-rows}, in a format or a Text.
var reference = regexp.MustCompile(`\{[a-z][a-z-]*\}`)

// Errorf is like fmt.Errorf, but returns an *Error. In the format, {name} represents the parameter with that name.
func Errorf(format string, args ...any) error {
	e := &Error{names: names(format)}
	for _, a := range args {
		switch a := a.(type) {
		case Text:
			e.names = append(e.names, names(string(a))...)
		case error:
			if inner, ok := errors.AsType[*Error](a); ok {
				e.names = append(e.names, inner.names...)
			}
		}
	}
	e.text = func(call func(string) string) error {
		own := slices.Clone(args)
		for i, a := range own {
			switch a := a.(type) {
			case Text:
				own[i] = a.Say(call)
			case error:
				own[i] = called{a, call}
			}
		}
		return fmt.Errorf(replace(format, call), own...)
	}
	return e
}

// About returns an *Error about the named parameter. The parameter err is its cause, whose text must not contain the
// name of the parameter. When the error is printed for the command, its text is that of err. When it is printed for a
// Go program, its text begins with the name of the parameter's field. About returns nil if err is nil, and err itself
// if it wraps an *Error.
func About(name string, err error) error {
	if _, known := errors.AsType[*Error](err); err == nil || known {
		return err
	}
	return &Error{[]string{name}, func(call func(string) string) error {
		if called := call(name); called != Flag(name) {
			return fmt.Errorf("%s: %w", called, err)
		}
		return fmt.Errorf("%w", err)
	}}
}

// names returns the names of the parameters that occur in a text as {name}.
func names(text string) (all []string) {
	for _, found := range reference.FindAllString(text, -1) {
		all = append(all, strings.Trim(found, "{}"))
	}
	return all
}

// replace replaces each {name} in a text by the result of the function call for this name.
func replace(text string, call func(string) string) string {
	return reference.ReplaceAllStringFunc(text, func(found string) string { return call(strings.Trim(found, "{}")) })
}

// A called is an error in whose text the parameters have the names that the function call returns.
type called struct {
	error
	call func(string) string
}

func (c called) Error() string { return Say(c.error, c.call) }
func (c called) Unwrap() error { return c.error }

// Flag returns the name of the command's flag for a parameter: the parameter's name after two hyphens.
func Flag(name string) string { return "--" + name }

// Error returns the text of the error for the command, in which parameters have the names of their flags.
func (e *Error) Error() string { return e.text(Flag).Error() }

// Name returns the name of the invalid parameter, without leading hyphens. If the error refers to several parameters,
// Name returns the first; if it refers to none, Name returns "".
func (e *Error) Name() string {
	if len(e.names) == 0 {
		return ""
	}
	return e.names[0]
}

// Unwrap returns the error that e wraps, or nil.
func (e *Error) Unwrap() error { return errors.Unwrap(e.text(Flag)) }

// Say returns the text of an error with the names of parameters that the function call returns, such as those of
// flags.
func Say(err error, call func(name string) string) string {
	if e, ok := err.(*Error); ok {
		return e.text(call).Error()
	}
	text := err.Error()
	if e, ok := errors.AsType[*Error](err); ok {
		text = strings.Replace(text, e.Error(), e.text(call).Error(), 1)
	}
	return text
}
