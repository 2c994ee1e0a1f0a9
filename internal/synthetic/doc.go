// Package synthetic handles released synthetic data: the model file, rows sampled from the model,
// answers to queries, and a page for readers. All of its inputs were released by package synth or
// are public, so nothing in this package consumes privacy budget.
//
// A Layout maps a schema to the columns that package synth measures. A Model holds the measurements
// with their guarantee, and the records that were fitted to them. Rows and answers are functions of
// these. Rows have the columns of the schema, and its public rules determine how values are written.
package synthetic
