// Package pushdown generates SQL statements that map values to codes and count records inside a database, so that
// the database sends only counts. It does not connect to databases.
//
// For every value of a column, the generated expression returns the same code that a table.Coder returns for the
// plain text of the value. For some column types this is impossible in SQL. The functions then return false for ok,
// and the caller must read the values.
package pushdown
