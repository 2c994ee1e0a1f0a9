// Package release takes every release from a request to a value.
//
// A Request is all that is asked for, and all of it is public. Prepare makes of it the
// class, the mechanism, the guarantee and the bounds, and after that nothing public can
// fail any more. Release then opens the private data: first the account is charged, then
// the data is read and its number of rows checked, then the value is drawn, the time
// padded, and what is published appears whole or not at all. After the data was opened the
// only outcomes are a value, a mechanism's own answer that there is none (ErrNothing),
// the refusal of an ill-formed table, or one fixed sentence. A Stream is the same for a
// series of releases, an Evaluation for estimates of a model's errors, a Synthetic for
// synthetic data. What privacy rests on in the ORDER of these things is in this package and
// nowhere else.
//
// Parameters have the names of the command's flags, and errors call them so: --epsilon.
package release
