package cli

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// If the value of a flag is invalid, the flag library prints the error of a Go parsing function, such as
// strconv.ParseInt. This file replaces these errors by sentences for users.

// noValues maps the type of a flag to the end of an error message, which states what values the flag must have.
var noValues = map[string]string{
	"bool":     "must be true or false",
	"int":      "must be a whole number, not too large",
	"int64":    "must be a whole number, not too large",
	"uint64":   "must be a whole number from 0, not too large",
	"float64":  "must be a number, not too large",
	"duration": "must be a duration such as 10s or 5m, not too long",
}

// mistypedValue replaces the flag library's error for an invalid value of a flag by an error in plain words.
func mistypedValue(err *pflag.InvalidValueError) error {
	flag, value := err.GetFlag(), quote.Word(err.GetValue())
	if what, known := noValues[flag.Value.Type()]; known {
		return fmt.Errorf("--%s %s %s", flag.Name, value, what)
	}
	if errors.As(err.Unwrap(), new(*csv.ParseError)) {
		return fmt.Errorf(`--%s %s has a quote in a wrong place; write an item that contains a comma as "a,b", with quotes around the whole item, and double a quote inside it`, flag.Name, value)
	}
	mark := ":"
	if strings.HasPrefix(err.Unwrap().Error(), "is ") {
		mark = ""
	}
	return fmt.Errorf("--%s %s%s %w", flag.Name, value, mark, err.Unwrap())
}
