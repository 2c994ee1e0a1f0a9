package database

import "errors"

// numbered lists the functions that were registered with the function Numbered. Each of them returns the code of
// errors of one database driver.
var numbered []func(error) string

// Numbered registers a function that returns the code of errors of one database driver, and "" for other errors.
// [Code] calls all registered functions. Programs call Numbered during initialization.
func Numbered(code func(err error) string) { numbered = append(numbered, code) }

// Code returns the code of a database error as the manual of the database lists it, such as "SQLSTATE 57014". It
// returns "" if the code is unknown. A code never contains data.
func Code(err error) string {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return "SQLSTATE " + state.SQLState()
	}
	for _, function := range numbered {
		if code := function(err); code != "" {
			return code
		}
	}
	return ""
}
