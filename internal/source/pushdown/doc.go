// Package pushdown generates SQL statements that map values to codes and count records inside a
// database, so that the database sends only counts. It does not connect to databases.
//
// For every value of a column's type, the generated expression gives the same code as a table.Coder
// gives for the value's plain text. If a type makes that impossible, the functions report it.
package pushdown
