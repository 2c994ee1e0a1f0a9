// Package source reads private data into tables: delimited text, Parquet files
// and SQL databases.
//
// Read collapses a whole source to a table.Table, Records visits its records
// one by one in their order, and Check tells a curator how the data fits the
// schema. Where the schema says whose a row is, Read bounds what the rows of a
// person weigh; elsewhere data must hold one row per person, since neighbouring
// data sets differ in one row then.
//
// Parquet files are read where the program imports package parquet, and
// databases where it imports their driver.
//
// An ill-formed source is refused with one sentence that says where and how to
// mend it. No message quotes what stands in a field. A value outside the
// domain is no error: it makes the record a null record.
//
// Values that have a type are compared by their plain text: whole numbers in
// digits, decimals with all the digits of their scale, floating-point numbers
// as the shortest decimal without exponent that rounds to them, truth values
// as true and false, dates as 2006-01-02, times of day as 15:04:05 and
// instants as RFC 3339 has them, bytes as they are. A null of SQL or Parquet
// and an empty text are both a missing value.
package source
