// Package model describes released models: a hypothesis with its schema, the class from which it was selected, the
// mechanism with its public parameters, and the guarantee. The file format, "sibyl-model/1", is JSON.
//
// The hypothesis, and its risks if it has any, are the only parts of a model that depend on the data.
// Read trusts nothing in a file: it refuses a hypothesis outside its class, a class that does not fit
// the schema, and malformed parameters. Package mechanism checks that the parameters of the mechanism
// imply the guarantee.
package model
