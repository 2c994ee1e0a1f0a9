// Package cells encodes the cells of marginals with their counts as byte strings, which pipelines of
// Apache Beam shuffle and add up.
package cells
