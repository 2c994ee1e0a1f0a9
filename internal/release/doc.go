// Package release runs every release, from a request to a published value.
//
// A Request holds the parameters of a release; all of them are public. Prepare checks them and
// computes the class, the mechanism, the guarantee and the error bounds; after that no public
// input can cause a failure. Release then charges the account, opens the private data, checks its
// number of rows, draws the value, pads the running time, and publishes all outputs or none of
// them. Once the data is open, there are four outcomes: a value, a mechanism's own answer that it
// releases no hypothesis (ErrNothing), the refusal of an ill-formed table, or one fixed sentence
// (Withheld). A Stream does the same for a series of releases, an Evaluation for estimates of a
// model's errors, and a Synthetic for synthetic data. This package alone implements the ORDER of
// these steps, on which privacy depends.
//
// Parameters are named after the command's flags, and error messages use these names, such as
// --epsilon.
package release
