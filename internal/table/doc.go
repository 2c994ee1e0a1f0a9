// Package table represents private data in the form that all mechanisms use: the distinct records of category
// codes, with their counts.
//
// A Schema is the public domain of the data: the columns, the categories of their values, and the label. A person
// writes it without looking at the data, and ParseSchema reads it. A Coder maps the text of a field to the code of
// its category, a Builder groups equal records, and the result is a Table.
//
// A record with a value outside the domain is called a null record. It is counted as a row, but adds no cost to any
// hypothesis.
//
// The package does not access files or databases; package source does.
package table
