// Package schema drafts schemas from public facts: the names of a table's columns, published metadata, and the
// definitions in the catalog of a database. It reads no row and no statistics of the table. The draft leaves parts of
// the schema open that these facts do not determine, and a person completes them.
package schema
