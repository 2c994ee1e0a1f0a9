// Package pushdown writes the SQL by which a database codes and counts records itself, so that
// what travels is as small as what is asked. It connects to nothing.
//
// The codes are those that a table.Coder gives the plain text of a value, for every value that a
// column's type has; where a type makes that impossible, it says so.
package pushdown
