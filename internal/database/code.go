package database

import "errors"

// numbered has the functions that programs have registered by Numbered.
var numbered []func(error) string

// Numbered registers a function for one database driver. For an error of this driver, the function returns the
// error's code, and for all other errors "". [Code] calls the registered functions. Programs call Numbered during
// initialization.
func Numbered(of func(err error) string) { numbered = append(numbered, of) }

// Code returns the code of a database error, such as "SQLSTATE 57014", as the manual of the database lists it. It
// returns "" if the code is unknown. A code never contains data.
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
