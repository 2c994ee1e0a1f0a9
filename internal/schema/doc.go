// Package schema writes schemas from public facts: the names of a table's columns, and metadata that is published
// or in a database's catalog. It reads no row and no statistics of the table. Parts that these facts do not
// determine stay open in the schema, for a person to complete.
package schema
