// Package prsma solves the parts of the mechanism prsma by a pipeline of Apache Beam, each where
// a worker is, so that no process holds more of the data than a part (parts.Task).
//
// Files are read and counted into groups of distinct records; how many rows of each group fall
// into each part is drawn, then which, and each part is solved. All coins of a step are of a key
// that was drawn before the pipeline began: a worker that dies and whose bundle is run again
// gives what it gave, and functions keep nothing from one bundle to the next
// (docs/explanation/proofs/prsma.md, section 10). Answers come back in a file that is encrypted with a key of its own.
//
// What the pipeline holds in between is as private as the data, keys included, and so is whoever
// runs it.
package prsma
