// Package schema drafts schemas from public facts: the names of a table's columns, and metadata that is published or
// that the catalog of a database contains. It reads no row and no statistics of the table. Parts of the schema that
// these facts do not determine stay open, for a person to complete.
package schema
