// Package cells encodes the cells of marginals and their counts as byte strings. Pipelines of Apache Beam
// shuffle these strings and add up the counts.
package cells
