package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// The library of flags reports a value that is none in the words of the functions that
// read it, which are no user's.

// noValues says, for the types of flags, what a value is that is none.
var noValues = map[string]string{
	"bool":     "is neither true nor false",
	"int":      "is no whole number, or too large",
	"int64":    "is no whole number, or too large",
	"uint64":   "is no whole number from 0, or too large",
	"float64":  "is no number, or too large",
	"duration": "is no duration such as 10s or 5m, or too long",
}

// mistypedValue explains what is wrong with the value of a flag.
func mistypedValue(err *pflag.InvalidValueError) error {
	flag, value := err.GetFlag(), quote.Word(err.GetValue())
	if what, known := noValues[flag.Value.Type()]; known {
		return fmt.Errorf("--%s %s %s", flag.Name, value, what)
	}
	mark := ":"
	if strings.HasPrefix(err.Unwrap().Error(), "is ") {
		mark = ""
	}
	return fmt.Errorf("--%s %s%s %w", flag.Name, value, mark, err.Unwrap())
}
