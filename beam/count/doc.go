// Package count counts the marginals of a table in many files with a pipeline of Apache Beam, and writes them to a
// file of counts (source.CountsWriter).
//
// Workers read files, convert rows to codes and count them. The pipeline shuffles the non-empty cells of marginals
// with their counts, and adds up the counts of each cell. If the schema has a [person], so that a person may have
// several rows, the pipeline first shuffles the rows. Then one worker receives all rows of a person. The package uses
// no randomness.
//
// Every count is an exact sum, which does not depend on the order in which Beam processes its bundles of elements. If
// a bundle fails, the runner discards its output and restarts it. No function keeps state between bundles, so a
// restart does not change the result.
//
// The pipeline's intermediate data is as private as the table, and the runner must be trusted.
package count
