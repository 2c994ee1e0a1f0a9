// Package source reads private data: delimited text, sheets of .xlsx workbooks, Parquet files, SQL databases and
// files of counts. It also writes text, Parquet and files of counts. The main functions are:
//
//   - Read groups a whole source into a table.Table.
//   - Counts answers queries on a source.
//   - Records visits the records of a source one by one, in order.
//   - Check reports to the curator how the data fits the schema.
//
// If the schema has a Person, Read bounds the contribution of each person. Otherwise the data must have one row per
// person, because neighbouring tables differ in one row.
//
// A program can read Parquet files if it imports package parquet, and databases if it imports their driver.
//
// An error about a malformed source is one sentence that states the position and the remedy. No message quotes the
// content of a field. A value outside the domain is not an error: its record becomes a null record.
//
// Typed values are compared by their plain text:
//
//   - integers as digits,
//   - decimals with all digits of their scale,
//   - floating-point numbers as the shortest decimal without exponent that rounds to them,
//   - truth values as true and false,
//   - dates as 2006-01-02, times of day as 15:04:05, and instants in RFC 3339,
//   - bytes unchanged.
//
// A null of SQL or Parquet and an empty text are missing values. Package source/workbook defines the plain texts of
// cells.
package source
