// Package release runs every release, from a request to a published value.
//
// A Request holds the parameters of a release, which are all public. Prepare checks them and computes the class, the
// mechanism, the guarantee and the error bounds. After Prepare, no public input can cause a failure. Release then
// performs these steps:
//
//  1. charge the account,
//  2. open the private data and check its number of rows,
//  3. sample the value,
//  4. pad the running time,
//  5. publish all outputs or none of them.
//
// Privacy depends on the ORDER of these steps, and only this package implements it. Once the data is open, there are
// four outcomes:
//
//   - a value;
//   - the mechanism's own answer that it releases no hypothesis (ErrNothing);
//   - the refusal of a malformed table;
//   - one fixed sentence (Withheld).
//
// A Stream does the same for a series of releases, an Evaluation for estimates of a model's error rates, and a
// Synthetic for synthetic data.
//
// Parameters have the names of the command's flags, and error messages use these names, such as --epsilon.
package release
