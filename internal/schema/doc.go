// Package schema drafts schemas from public facts: the names of a table's columns, published metadata, and the
// definitions in the catalog of a database. It reads no row and no statistics of the table. If these facts do not
// determine a part of the schema, the draft leaves it open, and a person completes it.
package schema
