// Package workbook reads .xlsx workbooks (Office Open XML, ECMA-376 part 1, section 18) row by row. It uses the
// standard library only. Of a workbook's content, it keeps only the table of shared texts in memory.
//
// Numbers become the shortest decimal without exponent that rounds to them, since a workbook stores floating-point
// numbers of 64 bits and writes up to 17 digits of them. If the number format of a cell is one of dates or times,
// its number becomes a date such as 2006-01-02, an instant such as 2006-01-02T15:04:05, or a time of day such as
// 15:04:05. Booleans become TRUE and FALSE. Formulas are not evaluated: their stored values are read.
//
// Errors are sentences without the name of the file. They quote neither cells nor names of sheets.
package workbook
