// Package pushdown generates SQL statements that map values to codes and count records inside a
// database, so that the database sends only counts. It does not connect to databases.
//
// For every value of a column's type, the generated expression returns the code that a table.Coder returns for the
// value's plain text. If this is impossible for a type, the functions report that.
package pushdown
