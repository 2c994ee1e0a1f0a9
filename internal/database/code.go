package database

import "errors"

// numbered are what drivers' packages know of their own errors.
var numbered []func(error) string

// Numbered has [Code] ask how a driver's own error is numbered: what of returns, empty for
// errors of others. It is for the initialisation of programs.
func Numbered(of func(err error) string) { numbered = append(numbered, of) }

// Code returns by what a database's manual lists an error, such as "SQLSTATE 57014", which quotes
// nothing of the data, or the empty text where nothing is known.
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
