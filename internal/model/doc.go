// Package model holds what a release is kept in: a hypothesis with the schema
// it reads, the class it was chosen from, the mechanism that chose it with its
// public parameters, and the guarantee. The format, "sibyl-model/1", is JSON.
//
// A model holds nothing of the data but the hypothesis itself. Read trusts
// nothing in a file: it refuses a hypothesis outside its class, a class that
// does not go with the schema, and a guarantee that the mechanism's parameters
// do not give.
package model
