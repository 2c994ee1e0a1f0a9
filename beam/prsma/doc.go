// Package prsma runs the mechanism prsma with a pipeline of Apache Beam. The mechanism divides the rows at random
// into parts and calls an optimization oracle on each part (parts.Task). Each part is solved by one worker, so no
// process needs more memory than one part requires.
//
// The pipeline has these steps:
//
//   - Workers read files, divide the records into groups, and count the distinct records of each group.
//   - One worker samples how many rows of each group belong to each part.
//   - Workers sample which rows of a group belong to which part.
//   - Workers solve the parts. One worker writes all results to a file, encrypted with a key for this file only.
//
// All randomness of the pipeline is derived from a key that is sampled before the pipeline starts. No function keeps
// state between the bundles of elements that Beam processes. So a bundle that is run again gives the same result
// (docs/explanation/proofs/prsma.md, section 10).
//
// The pipeline's intermediate data, keys included, is as private as the table, and the runner must be trusted.
package prsma
