package database

import "errors"

// numbered are the functions that Numbered has registered.
var numbered []func(error) string

// Numbered registers a function that returns the code of a driver's errors, and "" for other errors. [Code]
// calls it. Programs call Numbered during initialisation.
func Numbered(of func(err error) string) { numbered = append(numbered, of) }

// Code returns the code of a database error in the manual of the database, such as "SQLSTATE 57014", or "" if
// it is unknown. A code never contains data.
func Code(err error) string {
	var state interface{ SQLState() string }
	if errors.As(err, &state) {
		return "SQLSTATE " + state.SQLState()
	}
	for _, of := range numbered {
		if code := of(err); code != "" {
			return code
		}
	}
	return ""
}
