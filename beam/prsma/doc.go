// Package prsma solves the parts of the mechanism prsma by a pipeline of Apache Beam, one worker for
// each part, so that no process needs more memory than for one part (parts.Task).
//
// Workers read files and count distinct records in groups. One worker samples how many rows of each group belong to
// each part, others sample which rows, and then each part is solved. The randomness of a step is a function of a key
// that was sampled before the pipeline started, and no function keeps state between bundles. So a restarted
// bundle gives the same result (docs/explanation/proofs/prsma.md, section 10). The results return in a file that is
// encrypted with its own key.
//
// The pipeline's intermediate data, keys included, is as private as the table, and the runner must be trusted.
package prsma
