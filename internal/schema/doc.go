// Package schema writes schemas from public facts: the names of a table's columns, and metadata that
// somebody has published or that a database's catalog holds. It reads no row of the table, and no
// statistics of it. What these facts do not determine stays open in the schema, for a person to fill in.
package schema
