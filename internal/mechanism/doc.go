// Package mechanism describes each mechanism in a file of its own: its name, its parameters with
// defaults and help texts, the forms (kinds of hypotheses) that it supports, its guarantee, and its
// error bounds. The file also defines the mechanism's record, which is its entry in a model file,
// and how a reader checks this record. All returns the list of mechanisms.
//
// A Setting holds the inputs of a mechanism, which are all public. Nothing in this package opens
// data, or fails because of the contents of data.
//
// Parameters have the names of the command's flags, and error messages use these names, such as
// --epsilon.
package mechanism
