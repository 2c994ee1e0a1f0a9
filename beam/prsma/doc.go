// Package prsma runs the mechanism prsma with a pipeline of Apache Beam. The mechanism divides the rows at random into
// parts and calls an optimisation oracle on each part (parts.Task). One worker solves each part, so no process needs
// more memory than one part requires.
//
// The pipeline has these steps:
//
//   - Workers read files, divide the records into groups, and count the distinct records of each group.
//   - One worker samples how many rows of each group belong to each part.
//   - Workers sample which rows of a group belong to which part.
//   - Workers solve the parts, and one worker writes all results to a file. The file is encrypted with a key of its
//     own.
//
// The randomness of each step is a function of a key that is sampled before the pipeline starts, and no function keeps
// state between bundles. So a bundle that is run again gives the same result (docs/explanation/proofs/prsma.md, section
// 10).
//
// The pipeline's intermediate data, keys included, is as private as the table, and the runner must be trusted.
package prsma
