// Package table holds the private data in the only form the rest of Sibyl
// sees: records of category codes, collapsed to distinct records with counts.
//
// A Schema is the public domain: which columns count, into which categories
// each is divided, and what the label means. It is written by a person before
// the data is looked at, and it is read with ParseSchema. A Coder turns the
// text of one field into the code of its category, a Builder collapses the
// coded records, and a Table is the result. A record with a value outside the
// domain is a null record: it costs every hypothesis nothing, and it counts
// among the rows.
//
// The package knows neither files nor databases; package source does.
package table
