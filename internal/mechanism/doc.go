// Package mechanism describes each mechanism in a file of its own: its name, its parameters with
// defaults and help, the forms that it works for, its construction, its guarantee, its error
// bounds, its record in models, and how a reader checks that record. All lists the mechanisms.
//
// A Setting holds the inputs of a mechanism, all of them public: nothing in this package opens
// data, or fails because of its contents.
//
// Parameters are named after the command's flags, and error messages use these names, such as
// --epsilon.
package mechanism
