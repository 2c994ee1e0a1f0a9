// Package model describes released models. A model consists of:
//
//   - a hypothesis with its schema
//   - the class from which the hypothesis was selected
//   - the mechanism with its public parameters
//   - the guarantee
//
// Models are stored in JSON, in the format "sibyl-model/1".
//
// Only the hypothesis and its risks depend on the data. Some models state no risks. Read trusts nothing in a file:
// it refuses a hypothesis outside its class, a class that does not fit the schema, and malformed parameters.
// Package mechanism checks that the parameters of the mechanism imply the guarantee.
package model
