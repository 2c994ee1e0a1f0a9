// Package synthetic is private synthetic data once it is released: a fitted model as a file,
// rows drawn from it, answers to questions, and what anyone may read about it. All that it
// knows was released by package synth or is public, so that nothing here costs any privacy.
//
// A Layout lays a schema over the columns that package synth counts. A Model keeps what was
// measured of them with its guarantee, and the records fitted to that: rows, further rows and
// answers are functions of these. Rows are those of a
// table of the schema, written as values by its public rules.
package synthetic
