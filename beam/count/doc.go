// Package count counts the marginals of a table in many files by a pipeline of Apache Beam, and writes
// them to a file of counts (source.CountsWriter).
//
// Workers read, code and count files. The pipeline shuffles non-empty cells with their counts, and adds
// them up. If rows belong to persons, it shuffles rows instead, so that one worker receives all rows of a person.
// Every count is an exact sum that does not depend on the order of bundles. A runner that restarts a
// failed bundle discards its output, and no function keeps state between bundles, so a restart does not
// change the result. The package uses no randomness.
//
// The pipeline's intermediate data is as private as the table, and the runner must be trusted.
package count
