package database

import "errors"

// numbered lists the functions that were registered with Numbered. Such a function returns the code of an error of
// one database driver.
var numbered []func(error) string

// Numbered registers a function for the errors of one database driver. The registered function returns the code of
// such an error, and "" for any other error. [Code] calls all registered functions. Programs call Numbered during
// initialization.
func Numbered(code func(err error) string) { numbered = append(numbered, code) }

// Code returns the code of a database error, such as "SQLSTATE 57014", as the manual of the database lists it. It
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
